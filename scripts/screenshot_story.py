"""The tasks of the screenshots: a cent too little in a small project, found, mended and tested."""

from collections.abc import Iterator, Mapping

from glasshouse.contract.phrase import Language, Phrase
from glasshouse.testing.offline_model import Call, Fail, Reply, Say, Script, Think, played

PROJECT: Mapping[str, str] = {
    "cart.py": '''\
"""What a customer is about to pay."""

VAT = 0.19


def total(prices: list[float], discount: float = 0.0) -> float:
    """Euros, to the cent."""
    net = sum(round(price * (1 - discount), 2) for price in prices)
    return round(net * (1 + VAT), 2)
''',
    "test_cart.py": """\
import unittest

from cart import total


class Total(unittest.TestCase):
    def test_without_discount(self) -> None:
        self.assertEqual(total([19.99, 5.00]), 29.74)

    def test_a_discount_is_taken_from_the_sum(self) -> None:
        self.assertEqual(total([0.99, 0.99, 0.99], discount=0.25), 2.65)


if __name__ == "__main__":
    unittest.main()
""",
}

MENDS = Phrase(
    "打折时购物车的总价会少一分钱。先查清原因再修，跑通测试。",
    "With a discount the cart's total is a cent too low. Find out why, mend it, and get the tests to pass.",
)
LASTS = Phrase("再跑一遍完整的检查。", "Run the whole check once more.")
BREAKS = Phrase("把同样的修改带到 1.x 分支。", "Bring the same change to the 1.x branch.")

_THOUGHT = Phrase(
    "少掉的一分钱多半是舍入的问题。先看 total 在哪里舍入，再看测试怎么说。",
    "A cent too little sounds like rounding. First see where total rounds, then what the tests say.",
)
_LOOK = Phrase("先看代码，再让测试说出差了多少。", "I read the code first, then let the tests say how far off it is.")
_CAUSE = Phrase(
    "原因找到了：`total` 先给**每件商品**舍入，再求和。三件 0.99 打七五折，每件 0.7425 变成 0.74，误差就这样累积。"
    "应该只在最后舍入一次：",
    "Found it: `total` rounds **each item** before it sums. With three items at 0.99 and 25 % off, 0.7425 becomes "
    "0.74, and the errors add up. It should round once, at the end:",
)
_DONE = Phrase(
    "修好了，两个测试都通过：\n\n"
    "1. **原因**：逐件舍入，误差按件数累积。\n"
    "2. **修改**：`cart.py` 改了一处，只在最后舍入一次。\n"
    "3. **影响**：不打折的订单总价不变。",
    "It is mended, and both tests pass:\n\n"
    "1. **Cause**: rounding each item, so that the error grew with their number.\n"
    "2. **Change**: one place in `cart.py`, which now rounds once, at the end.\n"
    "3. **Effect**: orders without a discount cost what they did.",
)
_AGAIN = Phrase("好，这次带上详细输出。", "With all of its output this time.")

COMMAND = "python3 -m unittest -v"
_TEST = "python3 -m unittest -q"
_OLD = """\
    net = sum(round(price * (1 - discount), 2) for price in prices)
    return round(net * (1 + VAT), 2)"""
_NEW = """\
    net = sum(prices) * (1 - discount)
    return round(net * (1 + VAT), 2)"""


def _bash(command: str, why: str) -> Call:
    return Call("Bash", {"command": command, "description": why})


def _scripts(language: Language) -> Iterator[Script]:
    replies: list[Reply] = [
        (Think(_THOUGHT.say(language)), Say(_LOOK.say(language)), Call("Read", {"file_path": "cart.py"})),
        (_bash(_TEST, "Run the tests"),),
        (
            Say(_CAUSE.say(language)),
            Call("Edit", {"file_path": "cart.py", "old_string": _OLD, "new_string": _NEW}),
        ),
        (_bash(_TEST, "Run the tests again"),),
        (Say(_DONE.say(language)),),
    ]
    yield played(MENDS.say(language), *replies)
    lasting = _bash(f"{COMMAND} && sleep 60", "Run all checks")
    yield played(LASTS.say(language), (Say(_AGAIN.say(language)), lasting))
    yield played(
        BREAKS.say(language), (Fail(400, "invalid_request_error", "Your credit balance is too low to access the API."),)
    )


SCRIPTS: tuple[Script, ...] = (*_scripts("zh"), *_scripts("en"))
