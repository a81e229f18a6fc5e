"""A step of a demo: the tool calls that would do it, and what is said when none of them was possible."""

from dataclasses import dataclass

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.testing.offline_model.conversation import Conversation, ToolResult
from glasshouse.testing.offline_model.reply import Call

NOT_OFFERED = Phrase(
    "这次运行没有提供工具 `{tool}`，所以我没有用它。",
    "The tool `{tool}` is not offered in this run, so I did not use it.",
)
DENIED = Phrase(
    "工具 `{tool}` 没有获准运行，它没有做任何事。得到的答复是：\n\n> {said}",
    "The tool `{tool}` was not allowed to run; it did nothing. The answer was:\n\n> {said}",
)
FAILED = Phrase(
    "工具 `{tool}` 没有成功。它返回：\n\n> {said}", "The tool `{tool}` did not succeed. It returned:\n\n> {said}"
)
WAYS_OUT = Phrase(
    "要让它可用，有两个办法：在请求的 `tools` 里写上 {tools}，或者换一个允许它的 `permission_mode`。",
    "There are two ways to make it possible: name {tools} in the request's `tools`, "
    "or choose another `permission_mode` that allows it.",
)

_LOADER = "ToolSearch"


@dataclass(frozen=True, slots=True)
class Obstacle:
    """No call of a step was possible: each tool with its bad result, or None where it was not offered."""

    tried: tuple[tuple[str, ToolResult | None], ...]

    def told(self, language: Language) -> str:
        """What happened, and the ways out of it."""
        sentences = [self.reasons(language)]
        shut = [f'"{tool}"' for tool, result in self.tried if result is None or result.denied]
        if shut:
            sentences.append(WAYS_OUT.say(language, tools=_either(shut, language)))
        return "\n\n".join(sentences)

    def reasons(self, language: Language) -> str:
        return "\n\n".join(_sentence(tool, result, language) for tool, result in self.tried)


def attempt(conversation: Conversation, *calls: Call) -> ToolResult | Call | Obstacle:
    """What one of the calls brought; else the next of them to make; else what stands in the way of all.

    A call is known again by its tool: Claude Code does not always give the input back as it was.
    """
    results = [conversation.result_of(call.tool) for call in calls]
    for result in results:
        if result is not None and not result.is_error:
            return result
    untried = [call for call, result in zip(calls, results, strict=True) if result is None]
    for call in untried:
        if call.tool in conversation.tools:
            return call
        if call.tool in conversation.deferred and conversation.result_of(_LOADER) is None:
            return Call(_LOADER, {"query": f"select:{call.tool}"})
    return Obstacle(tuple((call.tool, result) for call, result in zip(calls, results, strict=True)))


def _sentence(tool: str, result: ToolResult | None, language: Language) -> str:
    if result is None:
        return NOT_OFFERED.say(language, tool=tool)
    said = result.text.replace("\n", "\n> ")
    return (DENIED if result.denied else FAILED).say(language, tool=tool, said=said)


def _either(names: list[str], language: Language) -> str:
    return (" 或 " if language == "zh" else " or ").join(names)
