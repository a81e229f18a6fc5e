"""What a demo script is: a task that can be shown as an example, the prompts that ask for it, and its play."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from glasshouse.contract.example import Example
from glasshouse.contract.phrase import Language, Phrase
from glasshouse.contract.task import PermissionMode
from glasshouse.testing.offline_model.conversation import Conversation
from glasshouse.testing.offline_model.reply import Reply

# A long text that mentions such a task asks for something else.
_LONGEST_REQUEST = 200


@dataclass(frozen=True, slots=True)
class DemoTask:
    """`tools` and `permission_mode` are those under which all of it is allowed."""

    id: str
    title: Phrase
    description: Phrase
    prompt: Phrase
    asks_for_it: re.Pattern[str]
    tools: tuple[str, ...] | None
    permission_mode: PermissionMode
    play: Callable[[Conversation], Reply]

    def reply(self, conversation: Conversation) -> Reply | None:
        prompt = conversation.prompt
        if len(prompt) > _LONGEST_REQUEST or not self.asks_for_it.search(prompt):
            return None
        return self.play(conversation)

    def example(self, language: Language) -> Example:
        return Example(
            id=self.id,
            title=self.title.say(language),
            description=self.description.say(language),
            prompt=self.prompt.say(language),
            tools=self.tools,
            permission_mode=self.permission_mode,
        )
