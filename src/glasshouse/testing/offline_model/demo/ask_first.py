"""Demo: ask the person three questions, then write a small file from the answers."""

import re
from collections.abc import Sequence

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.testing.offline_model.conversation import Conversation, ToolResult
from glasshouse.testing.offline_model.demo.attempt import Obstacle, attempt
from glasshouse.testing.offline_model.demo.task import DemoTask
from glasshouse.testing.offline_model.reply import Call, Reply, Say

FILE = "glasshouse_greeting.md"

KIND = Phrase("这份文件写成哪一种？", "What kind of text shall it be?")
KINDS = (
    (Phrase("问候", "A greeting"), Phrase("一句欢迎的话", "A word of welcome")),
    (Phrase("便条", "A note"), Phrase("简短的备忘", "A short reminder")),
)
PARTS = Phrase("里面要有哪些内容？（可多选）", "What shall it hold? (several are possible)")
PART_OPTIONS = (
    (Phrase("日期一栏", "A line for the date"), Phrase("留给你填写", "For you to fill in")),
    (Phrase("待办清单", "A list of things to do"), Phrase("三个空项", "Three empty items")),
    (Phrase("一条分隔线", "A ruler"), Phrase("放在结尾", "At the end")),
)
NAME = Phrase("写给谁？可以直接输入名字。", "For whom is it? You can type a name.")
NAMES = (
    (Phrase("我自己", "Myself"), Phrase("给自己看", "For my own eyes")),
    (Phrase("大家", "Everybody"), Phrase("给所有人看", "For everyone's")),
)

BEGIN = Phrase(
    "（离线演示模型）动手之前，我先问三个问题。", "(Offline demo model) Before I begin, I ask three questions."
)
NOT_ANSWERED = Phrase("没有得到回答，所以我什么也没有写。", "There was no answer, so I wrote nothing.")
ANSWERED = Phrase("谢谢，我按你的回答写 `{file}`。", "Thank you. I write `{file}` from your answers.")
NOT_WRITTEN = Phrase("文件没有写成。", "The file was not written.")
WRITTEN = Phrase(
    "`{file}` 写好了，用的是你的三个回答：\n\n{answers}",
    "`{file}` is written, from your three answers:\n\n{answers}",
)
DATE = Phrase("日期：______", "Date: ______")
TO = Phrase("致{name}：", "For {name}:")

# As Claude Code puts answers into a result, and as they come in a message where the call was lost.
_IN_RESULT = re.compile(r'"([^"\n]+)"="([^"\n]*)"')
_IN_MESSAGE = re.compile(r"(?:You asked: |你问过：)(.+)\n(?:The user answered: |用户的回答：)(.+)")


def _play(conversation: Conversation) -> Reply:
    language = conversation.language
    asked = attempt(conversation, _question(language))
    answers = _answers(conversation, asked)
    match asked:
        case Call() if not answers:
            return Say(BEGIN.say(language)), asked
        case Obstacle() if not answers:
            return (Say(f"{NOT_ANSWERED.say(language)}\n\n{asked.told(language)}"),)
    written = attempt(conversation, Call("Write", {"file_path": FILE, "content": _content(answers, language)}))
    match written:
        case Call():
            return Say(ANSWERED.say(language, file=FILE)), written
        case Obstacle():
            return (Say(f"{NOT_WRITTEN.say(language)}\n\n{written.told(language)}"),)
    listed = "\n".join(f"- {question} **{answer}**" for question, answer in answers.items())
    return (Say(WRITTEN.say(language, file=FILE, answers=listed)),)


def _question(language: Language) -> Call:
    questions = [
        _asked(KIND, Phrase("种类", "Kind"), KINDS, language),
        {**_asked(PARTS, Phrase("内容", "Parts"), PART_OPTIONS, language), "multiSelect": True},
        _asked(NAME, Phrase("写给谁", "For whom"), NAMES, language),
    ]
    return Call("AskUserQuestion", {"questions": questions})


def _asked(
    text: Phrase, header: Phrase, options: Sequence[tuple[Phrase, Phrase]], language: Language
) -> dict[str, object]:
    return {
        "question": text.say(language),
        "header": header.say(language),
        "multiSelect": False,
        "options": [{"label": label.say(language), "description": told.say(language)} for label, told in options],
    }


def _answers(conversation: Conversation, asked: ToolResult | Call | Obstacle) -> dict[str, str]:
    known = {text.say(conversation.language) for text in (KIND, PARTS, NAME)}
    found = _IN_RESULT.findall(asked.text) if isinstance(asked, ToolResult) else []
    return {
        question: answer
        for question, answer in (*found, *_IN_MESSAGE.findall(conversation.late_answers))
        if question in known
    }


def _content(answers: dict[str, str], language: Language) -> str:
    parts = answers.get(PARTS.say(language), "")
    date, tasks, ruler = (label.say(language) in parts for label, _ in PART_OPTIONS)
    lines = [f"# {answers.get(KIND.say(language), '')}", "", TO.say(language, name=answers.get(NAME.say(language), ""))]
    if date:
        lines += ["", DATE.say(language)]
    if tasks:
        lines += ["", *["- [ ] "] * 3]
    if ruler:
        lines += ["", "---"]
    return "\n".join(lines) + "\n"


ASK_FIRST = DemoTask(
    id="ask_first",
    title=Phrase("先问后做", "Ask first"),
    description=Phrase(
        f"先问你三个问题（单选、多选、可自己输入），再按回答写 {FILE}。",
        f"Asks you three questions (one choice, several, your own words), then writes {FILE} from the answers.",
    ),
    prompt=Phrase("先问我三个问题再动手", "Ask me three questions before you begin"),
    asks_for_it=re.compile(r"问我.*问题|先问|\bask me\b|\bask first\b", re.IGNORECASE),
    tools=("Write", "Read"),
    permission_mode="default",
    play=_play,
)
