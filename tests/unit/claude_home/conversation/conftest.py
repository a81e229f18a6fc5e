"""A home with transcripts, for each test its own."""

from pathlib import Path

import pytest
from tests.support.transcripts import Library, Written


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path)


@pytest.fixture
def written(library: Library) -> Written:
    return library.new()
