"""The demo: scripts that do real work in the working directory, each offered as an example."""

from glasshouse.contract.example import Example
from glasshouse.contract.phrase import Language
from glasshouse.testing.offline_model.demo.ask_first import ASK_FIRST
from glasshouse.testing.offline_model.demo.explain_file import EXPLAIN_FILE
from glasshouse.testing.offline_model.demo.fan_out import FAN_OUT
from glasshouse.testing.offline_model.demo.introduction import Introduction
from glasshouse.testing.offline_model.demo.list_files import LIST_FILES
from glasshouse.testing.offline_model.demo.make_plan import MAKE_PLAN
from glasshouse.testing.offline_model.demo.write_program import WRITE_PROGRAM
from glasshouse.testing.offline_model.script import Script

_TASKS = (LIST_FILES, WRITE_PROGRAM, EXPLAIN_FILE, MAKE_PLAN, ASK_FIRST, FAN_OUT)


def demo_scripts() -> tuple[Script, ...]:
    # The other way round, because a plan to list files is a plan.
    return (*reversed(_TASKS), Introduction(_TASKS))


def examples(language: Language) -> list[Example]:
    return [task.example(language) for task in _TASKS]
