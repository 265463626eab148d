"""A mutant: one change of the code that breaks a law of the design, and the tests that must notice."""

import ast
import shlex
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Mutant:
    """`before`, which stands exactly once in `file`, becomes `after`; then a test of `selection` fails.

    file: from the root of the tree. selection: pytest's arguments, files or folders first.
    """

    name: str
    file: str
    before: str
    after: str
    selection: str

    @property
    def places(self) -> list[str]:
        """The files and folders of the selection, and tests in them."""
        return [argument for argument in shlex.split(self.selection) if argument.startswith(("tests/", "library/"))]

    def applied_to(self, source: str) -> str:
        """Return the mutated source."""
        return source.replace(self.before, self.after)

    def misfit(self, root: Path) -> str | None:
        """Return why the mutant does not fit a tree, if so."""
        missing = [name for name in (self.file, *self.places) if not (root / name.partition("::")[0]).exists()]
        if missing:
            return f"there is no {missing[0]}"
        source = (root / self.file).read_text()
        found = source.count(self.before)
        if found != 1:
            return f"{self.file} has {found} times: {self.before}"
        if not self.file.endswith(".py"):
            return None
        try:
            ast.parse(self.applied_to(source))
        except SyntaxError as error:
            return f"{self.file} is no Python any more: {error}"
        return None
