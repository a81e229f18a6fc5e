"""A local model that speaks the Messages API and plays scripts, so that the real Claude Code works with no network.

reply         what a model can do: say, think, call tools, be slow, fail, break off
conversation  what a script sees of a request
script        the next reply, from the conversation so far alone
messages      the Messages API: a request read, a reply told in its events
routes        the endpoint: which path answers what, and who may ask
listener      HTTP on loopback, including the answer that is cut in the middle
model         OfflineModel: all of it behind one start and one stop
demo          the scripts that do real work in the working directory
"""

from glasshouse.testing.offline_model.conversation import Conversation, ToolResult
from glasshouse.testing.offline_model.demo import demo_scripts, examples
from glasshouse.testing.offline_model.model import OfflineModel
from glasshouse.testing.offline_model.reply import Call, Cut, Fail, Part, Pause, Reply, Say, Think, Whole
from glasshouse.testing.offline_model.routes import Charged, Received
from glasshouse.testing.offline_model.script import Script, played

__all__ = [
    "Call",
    "Charged",
    "Conversation",
    "Cut",
    "Fail",
    "OfflineModel",
    "Part",
    "Pause",
    "Received",
    "Reply",
    "Say",
    "Script",
    "Think",
    "ToolResult",
    "Whole",
    "demo_scripts",
    "examples",
    "played",
]
