"""`glasshouse link`: another one-time sign-in link for the server that runs on this data directory."""

import os
import sys
from typing import Any

from glasshouse.adapters.data_directory import DataDirectory
from glasshouse.bootstrap.sources import data_directory_of, read_settings
from glasshouse.core.settings import BadSettings


def link_to(url: str, code: str) -> str:
    """The code stands behind `#`, which browsers send to no server."""
    return f"{url}/#code={code}"


def print_link(flags: dict[str, Any], command: str) -> int:
    try:
        settings = read_settings(flags, os.environ)
    except BadSettings as wrong:
        print(f"glasshouse: {wrong}", file=sys.stderr)
        return 2
    data = DataDirectory(data_directory_of(settings, os.environ))
    address = data.announced()
    if address is None:
        print(f"glasshouse: no server runs on {data.path}; start one with: {command}", file=sys.stderr)
        return 1
    print(link_to(address["url"], data.new_code()))
    return 0
