"""A conversation read whole from its transcript, by page, without ever holding the file (the port `Conversations`).

kinds     what a record is in a conversation, and what of it is shown
skeleton  where each record of a file begins, and how the records hang together
glances   the ties of a line as Claude Code always writes it, told without parsing it
chain     which of them are the conversation that is shown, in which order, in which round
scan      files that are being read: opened, scanned as far as they have grown, remembered until they change
large     a line too long to be parsed: its long strings left in the file
message   a record as a message
agents    the sub-agents of a session, and where their conversations are
reader    the port: pages, whole messages, and all of a conversation
"""

from glasshouse.claude_home.conversation.reader import ConversationReader

__all__ = ["ConversationReader"]
