"""Demo: write a small program, run it, and show what it printed."""

import re

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.testing.offline_model.conversation import Conversation
from glasshouse.testing.offline_model.demo.attempt import Obstacle, attempt
from glasshouse.testing.offline_model.demo.task import DemoTask
from glasshouse.testing.offline_model.reply import Call, Reply, Say, Think

FILE = "glasshouse_demo.py"

_PROGRAM = """\
def primes(limit: int) -> list[int]:
    found: list[int] = []
    for number in range(2, limit):
        if all(number % prime for prime in found):
            found.append(number)
    return found


print("{heading}", *primes(50))
"""

HEADING = Phrase("50 以内的质数：", "The primes below 50:")
THOUGHT = Phrase(
    "（脚本里写好的思考）程序要小，几行就能看懂，运行后有输出。50 以内的质数正合适。",
    "(A thought from the script) The program should be small, easy to read, and print something. "
    "The primes below 50 will do.",
)
BEGIN = Phrase(
    "（离线演示模型）我写一个小程序 `{file}`，算出 50 以内的质数。",
    "(Offline demo model) I write a small program, `{file}`, that finds the primes below 50.",
)
NOT_WRITTEN = Phrase("程序没有写成，所以也没有运行。", "The program was not written, so it was not run either.")
WRITTEN = Phrase("`{file}` 写好了，现在运行它。", "`{file}` is written. Now I run it.")
NO_OUTPUT = Phrase(
    "`{file}` 写好了，但没能成功运行，所以没有结果。",
    "`{file}` is written, but it did not run to its end: there is no result.",
)
PRINTED = Phrase("`{file}` 运行完了，它的输出是：", "`{file}` has run. It printed:")


def _play(conversation: Conversation) -> Reply:
    language = conversation.language
    written = attempt(conversation, _write(language))
    match written:
        case Call():
            return Think(THOUGHT.say(language)), Say(BEGIN.say(language, file=FILE)), written
        case Obstacle():
            return (Say(f"{NOT_WRITTEN.say(language)}\n\n{written.told(language)}"),)
    ran = attempt(conversation, Call("Bash", {"command": f"python3 {FILE}", "description": "Run the program"}))
    match ran:
        case Call():
            return Say(WRITTEN.say(language, file=FILE)), ran
        case Obstacle():
            return (Say(f"{NO_OUTPUT.say(language, file=FILE)}\n\n{ran.told(language)}"),)
    return (Say(f"{PRINTED.say(language, file=FILE)}\n\n```\n{ran.text}\n```"),)


def _write(language: Language) -> Call:
    return Call("Write", {"file_path": FILE, "content": _PROGRAM.format(heading=HEADING.say(language))})


WRITE_PROGRAM = DemoTask(
    id="write_program",
    title=Phrase("写一个程序并运行", "Write a program and run it"),
    description=Phrase(
        f"在工作目录里写 {FILE}，用 Python 运行它，给出它的输出。",
        f"Writes {FILE} in the working directory, runs it with Python and shows what it printed.",
    ),
    prompt=Phrase("写一个小程序并运行它", "Write a small program and run it"),
    asks_for_it=re.compile(r"写.*(程序|脚本|代码)|\bwrite\b.*\b(program|script)\b", re.IGNORECASE),
    # Where Read is not offered, Claude Code overwrites no file, that of an earlier run neither.
    tools=("Write", "Read", "Bash"),
    permission_mode="default",
    play=_play,
)
