"""Demo: choose a file of the working directory (or take the one that is named), read it, and say what it holds."""

import re
from pathlib import PurePosixPath

from glasshouse.contract.phrase import Phrase
from glasshouse.testing.offline_model.conversation import Conversation
from glasshouse.testing.offline_model.demo.attempt import Obstacle, attempt
from glasshouse.testing.offline_model.demo.file_facts import READ_AT_MOST, read_facts
from glasshouse.testing.offline_model.demo.listing import Listing, look
from glasshouse.testing.offline_model.demo.task import DemoTask
from glasshouse.testing.offline_model.reply import Call, Reply, Say

# The first kind that is there is explained.
_KINDS = (".md", ".py", ".ts", ".js", ".go", ".rs", ".java", ".c", ".sh", ".toml", ".yaml", ".json", ".html", ".txt")
_NAMED = re.compile(r"[A-Za-z0-9_./-]*\w\.[A-Za-z]\w*", re.ASCII)

BEGIN = Phrase(
    "（离线演示模型）我先找一个值得讲的文件。", "(Offline demo model) First I look for a file worth explaining."
)
CHOSEN = Phrase("我来讲 `{path}`，先读一遍。", "I choose `{path}` and read it first.")
NAMED = Phrase("（离线演示模型）我来读 `{path}`。", "(Offline demo model) I read `{path}`.")
NOT_FOUND = Phrase(
    "没有找到可以讲解的文件，所以什么也没有读。", "I did not find the files of this directory, so I read nothing."
)
NOTHING = Phrase(
    "工作目录里没有可以讲解的文本文件。", "There is no text file in the working directory that I could explain."
)
NOT_READ = Phrase(
    "`{path}` 没有读成，所以我不能说它写了什么。", "I could not read `{path}`, so I cannot say what it holds."
)
EXPLAINED = Phrase("`{path}` 读完了：", "I have read `{path}`:")


def _play(conversation: Conversation) -> Reply:
    named = _NAMED.search(conversation.prompt)
    if named:
        return _explained(conversation, named[0], NAMED)
    language = conversation.language
    found = look(conversation)
    match found:
        case Call():
            return Say(BEGIN.say(language)), found
        case Obstacle():
            return (Say(f"{NOT_FOUND.say(language)}\n\n{found.told(language)}"),)
    path = _choice(found)
    return _explained(conversation, path, CHOSEN) if path else (Say(NOTHING.say(language)),)


def _explained(conversation: Conversation, path: str, opening: Phrase) -> Reply:
    language = conversation.language
    read = attempt(conversation, Call("Read", {"file_path": path, "limit": READ_AT_MOST}))
    match read:
        case Call():
            return Say(opening.say(language, path=path)), read
        case Obstacle():
            return (Say(f"{NOT_READ.say(language, path=path)}\n\n{read.told(language)}"),)
    facts = [f"- {fact}" for fact in read_facts(path, read.text).told(language)]
    return (Say("\n".join([EXPLAINED.say(language, path=path), "", *facts])),)


def _choice(listing: Listing) -> str | None:
    files = sorted(listing.files)
    readme = next((name for name in files if PurePosixPath(name).stem.lower() == "readme"), None)
    kinds = (name for kind in _KINDS for name in files if name.endswith(kind))
    return readme or next(kinds, None)


EXPLAIN_FILE = DemoTask(
    id="explain_file",
    title=Phrase("讲解一个文件", "Explain a file"),
    description=Phrase(
        "找到 README 或一个源文件，读它，说出它有多少行、有哪些标题或定义。",
        "Finds a README or a source file, reads it, and says how long it is and which headings or names it has.",
    ),
    prompt=Phrase("讲解这个目录里的一个文件", "Explain a file in this directory"),
    asks_for_it=re.compile(
        r"(讲解|解释|介绍|说明).*(文件|\w\.\w)|\bexplain\b.*(\bfile\b|\w\.\w)",
        re.IGNORECASE,
    ),
    tools=("Bash", "Read"),
    permission_mode="default",
    play=_play,
)
