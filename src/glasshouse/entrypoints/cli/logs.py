"""Structured logs on standard error: a JSON object a line, with no secret in it and none that forges another."""

import json
import logging
from collections.abc import Collection
from datetime import UTC, datetime

from glasshouse.core.times import timestamp

_HIDDEN = "•••"
_SHORTEST_SECRET = 8
_KNOWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


class JsonLines(logging.Formatter):
    def __init__(self, secrets: Collection[str]) -> None:
        super().__init__()
        self._secrets = sorted((secret for secret in secrets if len(secret) >= _SHORTEST_SECRET), key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": timestamp(datetime.fromtimestamp(record.created, UTC)),
            "level": record.levelname.lower(),
            "from": record.name,
            "message": record.getMessage(),
            **{name: value for name, value in vars(record).items() if name not in _KNOWN},
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        text = json.dumps(line, ensure_ascii=True, default=str)
        for secret in self._secrets:
            text = text.replace(json.dumps(secret)[1:-1], _HIDDEN)  # as it stands in a JSON string
        return text


def log_to_stderr(secrets: Collection[str]) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines(secrets))
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("glasshouse").setLevel(logging.INFO)
