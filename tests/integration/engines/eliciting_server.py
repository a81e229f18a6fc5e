"""An MCP server whose tools ask the person, over standard input and output: a form, a page, and one that gives up.

`argv[1]` is a file that tells what it was answered."""

import json
import sys
from pathlib import Path

TOOLS = ("form", "page", "impatient")
FORM = {
    "mode": "form",
    "message": "Who are you?",
    "requestedSchema": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "title": "Name"},
            "age": {"type": "integer", "minimum": 1},
            "sure": {"type": "boolean"},
        },
        "required": ["name"],
    },
}
PAGE = {"mode": "url", "message": "Sign in", "url": "https://example.invalid/sign-in", "elicitationId": "one"}


def main() -> None:
    call = None
    for line in sys.stdin:
        message = json.loads(line)
        match message:
            case {"method": "initialize", "id": name, "params": {"protocolVersion": version}}:
                server = {"name": "shop", "version": "1"}
                say(id=name, result={"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server})
            case {"method": "tools/list", "id": name}:
                schema = {"type": "object", "properties": {}}
                say(id=name, result={"tools": [{"name": n, "description": n, "inputSchema": schema} for n in TOOLS]})
            case {"method": "tools/call", "id": name, "params": {"name": tool}}:
                call = name
                say(id="asked", method="elicitation/create", params=PAGE if tool == "page" else FORM)
                if tool == "impatient":
                    say(method="notifications/cancelled", params={"requestId": "asked", "reason": "too slow"})
                    say(id=call, result={"content": [{"type": "text", "text": "gave up"}]})
            case {"id": "asked"}:
                Path(sys.argv[1]).write_text(json.dumps(message.get("result")))
                say(id=call, result={"content": [{"type": "text", "text": json.dumps(message.get("result"))}]})
            case {"id": name}:
                say(id=name, result={})


def say(**message: object) -> None:
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


if __name__ == "__main__":
    main()
