"""A script gives a model's next reply; it keeps nothing, so that a conversation can go on after any crash."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from glasshouse.contract.phrase import Phrase
from glasshouse.testing.offline_model.conversation import Conversation
from glasshouse.testing.offline_model.reply import Part, Reply, Say

OVER = Phrase("（离线演示模型）这个脚本到此为止。", "(Offline demo model) This script ends here.")
UNSCRIPTED = Phrase(
    "（离线演示模型）没有为这个任务准备脚本。", "(Offline demo model) There is no script for this prompt."
)


RECEIVED = Phrase("收到附件：{files}（其中可见的图片：{images}）", "Received: {files} (images to be seen: {images})")


class Script(Protocol):
    def reply(self, conversation: Conversation) -> Reply | None:
        """The next reply, None where this script has no part in the conversation."""


def next_reply(scripts: Sequence[Script], conversation: Conversation) -> Reply:
    """Of the first script that has one."""
    for script in scripts:
        reply = script.reply(conversation)
        if reply is not None:
            return reply
    return (Say("\n".join([*received(conversation), UNSCRIPTED.say(conversation.language)])),)


def received(conversation: Conversation) -> list[str]:
    """What came with the prompt, as a line; none where nothing did."""
    names = ", ".join(path.rpartition("/")[2] for path in conversation.attached)
    return [RECEIVED.say(conversation.language, files=names, images=conversation.images)] if names else []


@dataclass(frozen=True, slots=True)
class _Played:
    prompt: str
    replies: tuple[Reply, ...]

    def reply(self, conversation: Conversation) -> Reply | None:
        if conversation.prompt != self.prompt:
            return None
        if conversation.replies >= len(self.replies):
            return (Say(OVER.say(conversation.language)),)
        return self.replies[conversation.replies]


def played(prompt: str, *replies: Reply | Part) -> Script:
    """To exactly this prompt, these replies in a row; one part alone is a reply too."""
    return _Played(prompt, tuple(reply if isinstance(reply, Sequence) else (reply,) for reply in replies))
