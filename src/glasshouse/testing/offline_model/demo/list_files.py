"""Demo: look into the working directory and say what is there."""

import re

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.testing.offline_model.conversation import Conversation
from glasshouse.testing.offline_model.demo.attempt import Obstacle
from glasshouse.testing.offline_model.demo.listing import Listing, look
from glasshouse.testing.offline_model.demo.task import DemoTask
from glasshouse.testing.offline_model.reply import Call, Reply, Say

_SHOWN = 20

BEGIN = Phrase(
    "（离线演示模型）我看看工作目录里有什么。", "(Offline demo model) Let me look into the working directory."
)
EMPTY = Phrase("工作目录是空的。", "The working directory is empty.")
FOUND = Phrase(
    "工作目录里有文件夹 {folders} 个、文件 {files} 个：",
    "This is in the working directory (folders: {folders}, files: {files}):",
)
FOUND_PART = Phrase(
    "工作目录里的东西很多，我看到的这些里有文件夹 {folders} 个、文件 {files} 个：",
    "There is much in the working directory. This is in the part that I saw (folders: {folders}, files: {files}):",
)
MORE = Phrase("- ……还有 {count} 项没有写在这里", "- … and {count} more, not written here")


def _play(conversation: Conversation) -> Reply:
    language = conversation.language
    seen = look(conversation)
    match seen:
        case Call():
            return Say(BEGIN.say(language)), seen
        case Obstacle():
            return (Say(seen.told(language)),)
    return (Say(_told(seen, language)),)


def _told(listing: Listing, language: Language) -> str:
    if not listing.names:
        return EMPTY.say(language)
    head = (FOUND_PART if listing.cut else FOUND).say(language, folders=len(listing.folders), files=len(listing.files))
    lines = [f"- `{name}`" for name in (listing.folders + listing.files)[:_SHOWN]]
    if len(listing.names) > _SHOWN:
        lines.append(MORE.say(language, count=len(listing.names) - _SHOWN))
    return "\n".join([head, "", *lines])


LIST_FILES = DemoTask(
    id="list_files",
    title=Phrase("列出文件", "List files"),
    description=Phrase("看一眼工作目录，说出里面有什么。", "Looks into the working directory and says what is there."),
    prompt=Phrase("列出当前目录的文件", "List the files in this directory"),
    asks_for_it=re.compile(
        r"列出.*(文件|目录|内容)|有(哪些|什么)文件|\blist\b.*\bfiles\b|\bwhat files\b", re.IGNORECASE
    ),
    tools=("Bash",),
    permission_mode="default",
    play=_play,
)
