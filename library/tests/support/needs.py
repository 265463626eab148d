"""Marks of tests that need more than a copy of the library alone has; they are skipped there, and say so."""

from typing import Final

import pytest

from andon.tools import docs
from andon.tools.stack import emulator

EMULATOR: Final = pytest.mark.skipif(not emulator.PYTHON.is_file(), reason=f"no emulator is at {emulator.PYTHON}")
PAGES: Final = pytest.mark.skipif(
    not any((folder / f"{docs.INDEX}.md").is_file() for folder in (docs.SHIPPED, docs.SOURCE)),
    reason=f"the library's pages are neither in it nor at {docs.SOURCE}",
)
