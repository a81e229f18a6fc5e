"""The demo scripts, on conversations made by hand; tests/integration plays them with the real Claude Code."""

import re

import pytest

from glasshouse.contract.phrase import Language
from glasshouse.testing.offline_model import Call, Conversation, Reply, Say, ToolResult, demo_scripts, examples
from glasshouse.testing.offline_model.demo.file_facts import READ_AT_MOST, read_facts
from glasshouse.testing.offline_model.demo.listing import Listing, read_listing
from glasshouse.testing.offline_model.script import next_reply

ALL = frozenset({"Agent", "AskUserQuestion", "Bash", "Glob", "Read", "Write", "ExitPlanMode"})
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def play(
    prompt: str, *results: ToolResult, tools: frozenset[str] = ALL, deferred: frozenset[str] = frozenset()
) -> Reply:
    language: Language = "zh" if CHINESE.search(prompt) else "en"
    conversation = Conversation(prompt, language, len(results), tools, deferred, results)
    return next_reply(demo_scripts(), conversation)


def said(reply: Reply) -> str:
    return "\n".join(part.text for part in reply if isinstance(part, Say))


def called(reply: Reply) -> list[str]:
    return [part.tool for part in reply if isinstance(part, Call)]


def test_the_examples_are_the_same_tasks_in_both_languages() -> None:
    chinese, english = examples("zh"), examples("en")
    assert [one.id for one in chinese] == [one.id for one in english]
    for zh, en in zip(chinese, english, strict=True):
        assert (zh.tools, zh.permission_mode) == (en.tools, en.permission_mode)
        assert CHINESE.search(zh.prompt)
        assert not CHINESE.search(en.prompt + en.title + en.description)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_each_example_begins_with_a_call_in_its_own_language(language: Language) -> None:
    for example in examples(language):
        reply = play(example.prompt)
        assert called(reply)
        assert bool(CHINESE.search(said(reply))) == (language == "zh")


def test_a_plan_about_files_is_a_plan() -> None:
    reply = play("Make a plan to list the files", ToolResult("Bash", "a.txt", False))
    assert called(reply) == ["ExitPlanMode"]


def test_a_long_text_that_mentions_a_task_does_not_start_it() -> None:
    assert not called(play("x " * 100 + "list the files"))


def test_a_tool_that_is_deferred_is_loaded_and_only_once() -> None:
    listed = ToolResult("Bash", "a.txt", False)
    some = frozenset({"Bash", "ToolSearch"})
    deferred = frozenset({"ExitPlanMode"})
    loading = play("make a plan", listed, tools=some, deferred=deferred)
    assert loading == (Call("ToolSearch", {"query": "select:ExitPlanMode"}),)
    loaded = ToolResult("ToolSearch", "", False)
    assert called(play("make a plan", listed, loaded, tools=ALL, deferred=deferred)) == ["ExitPlanMode"]
    assert "not offered" in said(play("make a plan", listed, loaded, tools=some, deferred=deferred))


def test_an_approved_plan_is_not_said_to_be_done() -> None:
    reply = play("make a plan", ToolResult("Bash", "a.txt", False), ToolResult("ExitPlanMode", "Approved.", False))
    assert "nothing of the plan has been done" in said(reply)


def test_another_tool_is_tried_where_the_first_was_refused() -> None:
    refused = ToolResult("Bash", "This was denied.", True)
    assert called(play("list the files", refused)) == ["Glob"]
    both = said(play("list the files", refused, ToolResult("Glob", "Not allowed.", True)))
    assert "This was denied." in both
    assert '"Bash" or "Glob"' in both


def test_a_listing_of_ls_is_its_lines() -> None:
    assert read_listing(ToolResult("Bash", ".git/\na.txt\nwith space", False)) == Listing(
        (".git/", "a.txt", "with space"), cut=False
    )


@pytest.mark.parametrize(("tool", "text"), [("Bash", "(Bash completed with no output)"), ("Glob", "No files found")])
def test_an_empty_directory_has_no_names(tool: str, text: str) -> None:
    assert read_listing(ToolResult(tool, text, False)).names == ()


def test_a_long_listing_is_known_to_be_cut() -> None:
    said = "Output too large (1MB). Full output saved to: x"
    text = f"<persisted-output>\n{said}\n\nPreview (first 2KB):\na\nb\nha\n...\n</persisted-output>"
    assert read_listing(ToolResult("Bash", text, False)) == Listing(("a", "b"), cut=True)


def test_a_listing_of_glob_is_seen_from_the_top() -> None:
    text = "b.txt\nsrc/a.py\nsrc/deep/c.py\n(Showing 3 of 9 matching files; 6 more are not listed.)"
    assert read_listing(ToolResult("Glob", text, False)) == Listing(("b.txt", "src/"), cut=True)


def test_the_facts_of_a_file_are_its_own() -> None:
    facts = read_facts(
        "a.py", "1\t# no heading\n2\tasync def go() -> None:\n3\t\n4\tclass Gate:\n5\t    def shut(self): ...\n6\t"
    )
    assert (facts.lines, facts.blank, facts.cut) == (5, 1, False)
    assert facts.definitions == ("go", "Gate")
    assert facts.headings == ()


def test_a_file_that_was_not_read_to_its_end_is_not_said_to_be_so_long() -> None:
    facts = read_facts("a.txt", "\n".join(f"{number}\tx" for number in range(1, READ_AT_MOST + 1)))
    assert facts.cut
    assert "only its first" in facts.told("en")[0]


def test_an_empty_file_is_empty() -> None:
    warning = "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>"
    assert read_facts("a.md", warning).told("en") == ["The file is empty."]


def test_ask_first_asks_three_questions_and_writes_from_the_answers() -> None:
    prompt = "Ask me three questions before you begin"
    tools = frozenset({"AskUserQuestion", "Write"})
    said_first, asked = play(prompt, tools=tools)
    assert isinstance(said_first, Say) and isinstance(asked, Call)
    texts = [question["question"] for question in asked.input["questions"]]
    assert len(texts) == 3

    answers = zip(texts, ("A note", "A ruler", "Ann"), strict=True)
    told = ", ".join(f'"{text}"="{answer}"' for text, answer in answers)
    answered = ToolResult("AskUserQuestion", f"Your questions have been answered: {told}. Go on.", False)
    _, write = play(prompt, answered, tools=tools)
    assert isinstance(write, Call)
    assert write.input["content"] == "# A note\n\nFor Ann:\n\n---\n"

    done = play(prompt, answered, ToolResult("Write", "File created", False), tools=tools)
    assert "**Ann**" in said(done)


def test_ask_first_takes_answers_that_come_late() -> None:
    late = "You asked: For whom is it? You can type a name.\nThe user answered: Ann"
    tools = frozenset({"AskUserQuestion", "Write"})
    conversation = Conversation("Ask me first", "en", 2, tools, frozenset(), (), late)
    _, write = next_reply(demo_scripts(), conversation)

    assert isinstance(write, Call) and "For Ann:" in write.input["content"]


def test_ask_first_that_was_declined_writes_nothing() -> None:
    declined = ToolResult("AskUserQuestion", "The user declined to answer.", True)
    reply = play("Ask me first", declined, tools=frozenset({"AskUserQuestion", "Write"}))

    assert "I wrote nothing" in said(reply)
