"""Demo: what the offline model is and what it can do, for every prompt without a script."""

from dataclasses import dataclass

from glasshouse.contract.phrase import Phrase
from glasshouse.testing.offline_model.conversation import Conversation
from glasshouse.testing.offline_model.demo.task import DemoTask
from glasshouse.testing.offline_model.reply import Reply, Say
from glasshouse.testing.offline_model.script import received

WHO = Phrase(
    "我是离线演示模型，不是真正的 Claude：我只按写好的脚本回答，不懂你问的是什么。"
    "工具和文件都是真的，我能演示这几个任务：",
    "I am the offline demo model, not a real Claude: I only follow written scripts and do not understand what you ask. "
    "The tools and the files are real, though. These are the tasks that I can do:",
)
TASK = Phrase("- {title}：“{prompt}”", "- {title}: “{prompt}”")


@dataclass(frozen=True, slots=True)
class Introduction:
    tasks: tuple[DemoTask, ...]

    def reply(self, conversation: Conversation) -> Reply:
        language = conversation.language
        tasks = [
            TASK.say(language, title=task.title.say(language), prompt=task.prompt.say(language)) for task in self.tasks
        ]
        return (Say("\n".join([*received(conversation), WHO.say(language), "", *tasks])),)
