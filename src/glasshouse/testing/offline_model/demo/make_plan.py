"""Demo: look into the working directory and present a plan, carrying out nothing."""

import re

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.testing.offline_model.conversation import Conversation
from glasshouse.testing.offline_model.demo.attempt import Obstacle, attempt
from glasshouse.testing.offline_model.demo.listing import Listing, look
from glasshouse.testing.offline_model.demo.task import DemoTask
from glasshouse.testing.offline_model.reply import Call, Reply, Say, Think

_NAMED = 3

THOUGHT = Phrase(
    "（脚本里写好的思考）计划要从目录里真有的东西出发，所以先看一眼。",
    "(A thought from the script) The plan must start from what is really there, so I look first.",
)
BEGIN = Phrase(
    "（离线演示模型）做计划之前，我先看看目录里有什么。", "(Offline demo model) Before I plan, I look at what is here."
)
NO_PLAN = Phrase(
    "我没能看到目录里有什么，所以没有做计划。", "I could not see what is in the directory, so I made no plan."
)
PRESENT = Phrase("计划做好了，请你过目。", "The plan is ready for you to see.")
APPROVED = Phrase(
    "计划获得了批准。离线演示模型只做计划，到此为止：计划里的事一件也没有做。",
    "The plan is approved. The offline demo model only plans and stops here: nothing of the plan has been done.",
)
AS_TEXT = Phrase(
    "计划没有得到批准，计划里的事一件也没有做。\n\n{why}\n\n"
    "要照它去做，有两个办法：再发一次请求，在 `tools` 里写上所需的工具，"
    "或者换一个 `permission_mode`（例如 `acceptEdits`）。下面是计划的文字。",
    "The plan has not been approved, and nothing of it has been done.\n\n{why}\n\n"
    "There are two ways to have it carried out: ask again and name the tools that it needs in `tools`, "
    "or choose another `permission_mode` (`acceptEdits`, for one). Here is the plan as text.",
)
PLAN = Phrase(
    "# 计划：为这个目录写一份概览\n\n"
    "目录里有文件夹 {folders} 个、文件 {files} 个。\n\n"
    "1. 读 {first}，弄清它的用途。\n"
    "2. 逐个看文件夹：{where}，各记一句话。\n"
    "3. 把结果写进 `OVERVIEW.md`：用途、结构、怎样开始。\n"
    "4. 对照目录检查一遍，每一项都要写到。\n",
    "# Plan: an overview of this directory\n\n"
    "Folders: {folders}, files: {files}.\n\n"
    "1. Read {first} to learn what it is for.\n"
    "2. Look into each folder: {where}; one sentence each.\n"
    "3. Write the result to `OVERVIEW.md`: purpose, structure, how to begin.\n"
    "4. Check it against the directory: every entry must be in it.\n",
)
NONE = Phrase("（没有）", "(none)")


def _play(conversation: Conversation) -> Reply:
    language = conversation.language
    found = look(conversation)
    match found:
        case Call():
            return Think(THOUGHT.say(language)), Say(BEGIN.say(language)), found
        case Obstacle():
            return (Say(f"{NO_PLAN.say(language)}\n\n{found.told(language)}"),)
    plan = _plan(found, language)
    presented = attempt(conversation, Call("ExitPlanMode", {"plan": plan}))
    match presented:
        case Call("ToolSearch"):
            return (presented,)
        case Call():
            return Say(PRESENT.say(language)), presented
        case Obstacle():
            return (Say(f"{AS_TEXT.say(language, why=presented.reasons(language))}\n\n{plan}"),)
    return (Say(APPROVED.say(language)),)


def _plan(listing: Listing, language: Language) -> str:
    files = sorted(listing.files, key=lambda name: (not name.lower().startswith("readme"), name))
    return PLAN.say(
        language,
        folders=_count(listing.folders, listing),
        files=_count(listing.files, listing),
        first=_some(files, language),
        where=_some(listing.folders, language),
    )


def _count(names: list[str], listing: Listing) -> str:
    return f"≥ {len(names)}" if listing.cut else str(len(names))


def _some(names: list[str], language: Language) -> str:
    shown = ("、" if language == "zh" else ", ").join(f"`{name}`" for name in names[:_NAMED])
    return f"{shown} …" if len(names) > _NAMED else shown or NONE.say(language)


MAKE_PLAN = DemoTask(
    id="make_plan",
    title=Phrase("做一个计划", "Make a plan"),
    description=Phrase(
        "在计划模式里看一眼工作目录，给出一个计划，什么也不改动。",
        "Looks into the working directory in plan mode and presents a plan; changes nothing.",
    ),
    prompt=Phrase("为这个目录写一份概览，先做一个计划", "Make a plan for an overview of this directory"),
    asks_for_it=re.compile(r"计划|规划|\bplan\b", re.IGNORECASE),
    tools=None,
    permission_mode="plan",
    play=_play,
)
