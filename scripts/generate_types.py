"""Writes the console's types from the API's own description: OpenAPI's schemas, and with them the union of events.

scripts/dev python scripts/generate_types.py           writes web/src/shared/api/types.gen.ts
scripts/dev python scripts/generate_types.py --check   exits 1 if that file is not current
"""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from glasshouse.bootstrap import Services
from glasshouse.entrypoints.http.app import create_api
from glasshouse.entrypoints.http.docs import describe

TARGET = Path(__file__).resolve().parent.parent / "web" / "src" / "shared" / "api" / "types.gen.ts"
_HEAD = "// Written by scripts/generate_types.py from the API's description. Not to be edited.\n"
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def typescript(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    values = [schema["const"]] if "const" in schema else schema.get("enum")
    if values is not None:
        return " | ".join(map(_literal, values))
    parts = schema.get("anyOf") or schema.get("oneOf")
    if parts is not None:
        return " | ".join(dict.fromkeys(map(typescript, parts)))
    if schema.get("type") == "array":
        return f"readonly ({typescript(schema.get('items', {}))})[]"
    if schema.get("type") == "object" or "properties" in schema:
        return _object(schema)
    return _PLAIN.get(schema.get("type", ""), "unknown")


def _object(schema: dict[str, Any]) -> str:
    properties = schema.get("properties")
    if properties is None:
        values = schema.get("additionalProperties")
        return f"Readonly<Record<string, {typescript(values) if isinstance(values, dict) else 'unknown'}>>"
    required = schema.get("required", [])
    # Every event has its tag, though its schema, for the sake of a default, does not require it.
    given = {*required, *(name for name, part in properties.items() if name == "type" and "const" in part)}
    fields = [
        f"  readonly {name}{'' if name in given else '?'}: {typescript(part)};" for name, part in properties.items()
    ]
    return "{\n" + "\n".join(fields) + "\n}"


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def generate() -> str:
    schemas = describe(create_api(cast("Services", SimpleNamespace(version=""))))["components"]["schemas"]
    parts = [f"export type {name} = {typescript(schemas[name])};\n" for name in sorted(schemas)]
    return _HEAD + "\n" + "\n".join(parts)


def main() -> int:
    text = generate()
    if "--check" in sys.argv:
        current = TARGET.read_text() if TARGET.exists() else ""
        if current != text:
            print(f"{TARGET.name} is not current: scripts/dev python scripts/generate_types.py")
        return int(current != text)
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
