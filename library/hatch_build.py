"""Puts the pages of docs/ into wheel and sdist, beside what shows them: `andon/tools/docs.py`."""

from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGES: Final = "andon/tools/pages"


class Pages(BuildHookInterface[Any]):
    """Adds the pages from beside the library's folder; an sdist, which has them already, lies beside none."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002  hatchling's
        """Map each page to its place."""
        docs = Path(self.root).parent / "docs"
        for page in sorted(docs.rglob("*.md")):
            build_data["force_include"][str(page)] = f"{PAGES}/{page.relative_to(docs).as_posix()}"
