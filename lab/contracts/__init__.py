"""Changes of publishers and consumers in a copy of the tree, and whom `make contracts` names.

Breaking changes are found with all names, harmless ones blame nobody: `make prove NAME=contracts`, those with a text in
their name: `K=board`; with samples written anew after each, as its author would: `SAMPLES=1`.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from andon.project import project
from andon.testing.proving.prover import ProvedPart, Record
from andon.testing.proving.world import Faultless

NAMED: Final = re.compile(r"^  (?:breaks|loses) ([\w.-]+):", re.MULTILINE)
FOLDERS: Final = (
    *("contracts", "demo", "docs", "events", "functions", "infra", "lab", "library/andon", "tests"),
    "Makefile",
)
"""What contracts are derived from."""

Status = subprocess.CompletedProcess[str]


class Edit(NamedTuple):
    """`before`, which stands exactly once in `file`, becomes `after`."""

    file: str
    before: str
    after: str


class Change(NamedTuple):
    """A change; names: whoever breaks or loses something by it, and a service that says what its type does not."""

    name: str
    edits: tuple[Edit, ...]
    names: frozenset[str]

    def misfit(self, root: Path) -> str | None:
        """Return why it does not fit a tree, if so."""
        for file, before, _ in self.edits:
            found = (root / file).read_text().count(before) if (root / file).is_file() else 0
            if found != 1:
                return f"{file} has {found} times: {before}"
        return None

    def apply(self, root: Path) -> dict[Path, str]:
        """Change a tree; return what its files had, to be written back."""
        kept = {root / edit.file: (root / edit.file).read_text() for edit in self.edits}
        for file, before, after in self.edits:
            path = root / file
            path.write_text(path.read_text().replace(before, after))
        return kept


def changes(kind: str) -> list[Change]:
    """Read the changes of a kind, which is a file here."""
    read = tomllib.loads(Path(__file__).with_name(f"{kind}.toml").read_text())["change"]
    return [
        Change(one["name"], tuple(Edit(**edit) for edit in one["edit"]), frozenset(one.get("names", ())))
        for one in read
    ]


class Tree(Faultless):
    """A copy of the tree, whose contracts were released."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, module: str, *arguments: str) -> Status:
        """Run a tool on it."""
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {"PYTHONPATH": os.pathsep.join(str(self.root / one) for one in ("functions", "library", ""))}
        command = [sys.executable, "-m", module, *arguments]
        return subprocess.run(command, cwd=self.root, env=environment, check=False, capture_output=True, text=True)

    def tried(self, change: Change) -> Status:
        """Make a change, ask for the contracts, and take it back."""
        kept = change.apply(self.root)
        if os.environ.get("SAMPLES"):
            kept |= {file: file.read_text() for file in (self.root / "events").rglob("*.json")}
            self.run("andon.tools.in_process.derived")
        said = self.run("andon.tools.contracts")
        for file, text in kept.items():
            file.write_text(text)
        return said


@contextmanager
def copied(*_: object, **__: object) -> Iterator[Tree]:
    """Copy what git knows, or would, and release its contracts."""
    root = project().root
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *FOLDERS]
    names = subprocess.run(listed, cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
    with TemporaryDirectory(prefix="contracts-") as home:
        tree = Tree(Path(home))
        for name in filter(lambda name: (root / name).is_file(), names):
            (tree.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, tree.root / name)
        tree.run("andon.tools.contracts", "--release")
        yield tree


def try_all(tree: Tree, _: Random, record: Record, *, kind: str) -> None:
    """Try the changes of a kind."""
    for change in changes(kind):
        if os.environ.get("K", "") in change.name:
            record.expect("a change fits the code", (why := change.misfit(tree.root)) is None, f"{change.name}: {why}")
            said = tree.tried(change)
            named = frozenset(NAMED.findall(said.stdout))
            found = change.names <= named and said.returncode if change.names else not named and said.returncode <= 1
            shown = f"{change.name}: names {', '.join(sorted(named)) or 'nobody'}"
            record.expect("whoever breaks is named, and nobody else is blamed", found, f"{shown} {said.stderr[-500:]}")
            record.note(shown)


WORLD: Final = copied
PARTS: Final = {
    kind: ProvedPart(partial(try_all, kind=kind), deployed=False) for kind in ("breaking", "harmless", "of_consumers")
}
