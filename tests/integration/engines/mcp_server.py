"""An MCP server of two tools, spoken over standard input and output; `argv[1]` is a file that tells that it ran."""

import json
import sys
from pathlib import Path

TOOLS = ("echo", "other")


def main() -> None:
    Path(sys.argv[1]).touch()
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": _result(message)}
            print(json.dumps(answer), flush=True)


def _result(message: dict[str, object]) -> dict[str, object]:
    match message:
        case {"method": "initialize", "params": {"protocolVersion": version}}:
            server = {"name": "test", "version": "1"}
            return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
        case {"method": "tools/list"}:
            schema = {"type": "object", "properties": {}}
            return {"tools": [{"name": name, "description": name, "inputSchema": schema} for name in TOOLS]}
        case {"method": "tools/call", "params": {"name": name}}:
            return {"content": [{"type": "text", "text": f"called {name}"}]}
    return {}


if __name__ == "__main__":
    main()
