"""`andon new project DIR NAME`: a copy of the template, with samples that its own handlers make.

It is made beside DIR and moved there once it is whole, so that a failure leaves nothing.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple, Self

from andon.project import library_folder
from andon.tools.new import template
from andon.tools.new.changes import FOLLOWING, last_words
from andon.tools.new.dependency import Dependency, dependency, version
from andon.tools.new.shape import Shape
from andon.tools.new.words import Name, NotNew, Words, camel_case, clashes

REQUIREMENT: Final = PurePosixPath("requirements", "andon.txt")
VENDOR: Final = "vendor"
NEW: Final = "andon.tools.new"
AGENTS: Final = "AGENTS.md"
SAYS: Final = PurePosixPath("functions/project.py")
_TELLING: Final = frozenset({SAYS, PurePosixPath("README.md")})
"""Files that tell of a view and a rule, also of those that are written after them."""
SETTINGS: Final = PurePosixPath("pyproject.toml")

_IN_STACK: Final = frozenset(
    {
        "api",
        "archive",
        "construct",
        "drift",
        "eraser",
        "event_hub",
        "fault_store",
        "lake",
        "replays",
        "service",
        "stack",
    }
    | {"target", "view"}
)
"""Names of classes beside that of the stack."""


class Beginning(NamedTuple):
    """The packages of a new project: a service, and perhaps a view, a control service with a rule, and persons."""

    name: Name
    service: Shape
    view: Name | None
    rule: tuple[Name, Name] | None
    persons: Name | None

    @classmethod
    def of(cls, asked: Namespace) -> Self:
        """Return the packages that somebody asked for.

        Raises:
            NotNew: a name is none, or taken.

        """
        control, _, rule = (asked.rule or template.RESTLESS.one).rpartition("/")
        rules = None if asked.no_rule else (Name.only(control or template.WATCH.one), Name.only(rule))
        view = None if asked.no_view else Name.only(asked.view or template.INVENTORY.one)
        name, service = Name.only(asked.name), Shape.of(asked, Name.of(asked.service, one=asked.one))
        if name.one in _IN_STACK:
            raise NotNew(f"{name.one!r} is taken: infra/stack.py has a class of that name")
        persons = None if asked.person is None else Name.of(asked.person)
        others = [*(one for one in (view, persons) if one), *(rules or ())]
        if clash := next(clashes([service.name, *others]), None):
            raise NotNew(f"{clash!r} is taken: the project has {', '.join(one.one for one in others)}")
        return cls(name, service, view, rules, persons)

    @property
    def _copied(self) -> dict[str, object]:
        """The slices of the template that are copied; of facts with a partition they are written, see `verbs`."""
        wanted = {"view": self.view, "control": self.rule} if self.service.partition is None else {}
        return {kind: one for kind, one in wanted.items() if one}

    @property
    def verbs(self) -> Iterator[tuple[str, ...]]:
        """The arguments of `andon new` for what is not copied."""
        fact = f"{self.service.name.many}/{self.service.fact}"
        if self.view and not self._copied:
            yield "view", self.view.one, "--of", fact
        if self.rule and not self._copied:
            yield "rule", *(one.one for one in self.rule), "--of", fact
        if self.persons:
            yield "service", self.persons.many, "--person"

    def texts(self) -> dict[PurePosixPath, str]:
        """Return the files."""
        found = {file: self._text(file) for file in template.outside_packages()}
        if "view" in self._copied:
            found |= template.copied(self._words, template.slice_of("views", template.INVENTORY, "row", "declared"))
        if "control" in self._copied:
            found |= template.copied(self._words, template.control(template.RESTLESS, "first"))
        named = {PurePosixPath(self._words(str(file))): text for file, text in found.items()}
        return {file: self.service.spelled(file, text) for file, text in named.items()} | self.service.files()

    @property
    def _words(self) -> Words:
        return Words(self._named)

    @property
    def _named(self) -> list[tuple[Name, Name]]:
        view = [(template.INVENTORY, self.view)] if self.view else []
        rule = zip((template.WATCH, template.RESTLESS), self.rule or (), strict=False)
        return [(template.ACORN, self.name), *self.service.named, *view, *rule]

    def _text(self, file: PurePosixPath) -> str:
        """Return a file of no package; the subjects of a project are what its facts are grouped by."""
        text, service = (template.PROJECT / file).read_text(), self.service
        if file.parts[0] in template.OTHERS:
            return text
        there = {"view": self.view, "control": self.rule} if file in _TELLING else self._copied
        parts = {kind for kind, one in there.items() if one}
        parts |= {"timed" if service.is_timed else "versioned", *(["partition"] if service.partition else [])}
        named = [*self._named, *([(template.THINGS, service.partition)] if service.partition and file == SAYS else [])]
        return Words(named).fitted(template.with_parts(text, parts), service.asked)


def make(asked: Namespace) -> str:
    """Make a project; return how to go on.

    Raises:
        NotNew: a name is none, or taken; the folder has something in it; or the library's wheel cannot be found.

    """
    root, parts = asked.folder.absolute(), Beginning.of(asked)
    _require_free(root)
    root.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root.parent, prefix=".new-") as beside:
        with dependency(asked.wheel) as needed:
            _fill(Path(beside, "project"), parts, needed, _record_of(asked))
        if root.exists():
            root.rmdir()
        Path(beside, "project").rename(root)
    return f"{camel_case(parts.name.one)} is in {asked.folder}; go on there, with: make up"


def _require_free(root: Path) -> None:
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise NotNew(f"{root} is not empty; name an empty folder, or one that is not there yet")


def _record_of(asked: Namespace) -> str:
    """Return the table of settings by which `andon upgrade` makes the project again: version and answers."""
    answers = [asked.name]
    for name, value in vars(asked).items():
        if name in {"kind", "folder", "name", "wheel"} or value in (None, False, []):
            continue
        option = f"--{name.replace('_', '-')}"
        values = value if isinstance(value, list) else [value]
        answers += [option] if value is True else [word for one in values for word in (option, str(one))]
    return f"\n[tool.andon]\nmade-by = {json.dumps(version())}\nmade-with = {json.dumps(answers)}\n"


def _fill(root: Path, parts: Beginning, needed: Dependency, record: str) -> None:
    texts = parts.texts() | {PurePosixPath(AGENTS): "", REQUIREMENT: needed.requirement}
    texts[SETTINGS] += record
    new = template.written(root, texts)
    if needed.wheel is not None:
        (root / VENDOR).mkdir()
        shutil.copyfile(needed.wheel, root / VENDOR / needed.wheel.name)
    template.tidied(root, new)
    _run(root, FOLLOWING)
    for verb in parts.verbs:
        _run(root, NEW, *verb)


def _run(root: Path, module: str, *arguments: str) -> None:
    """Run a module of the library in a project: it writes what follows from packages, or more of them.

    Raises:
        NotNew: it failed.

    """
    places = (str(library_folder().parent), str(root / "functions"), str(root), os.environ.get("PYTHONPATH"))
    imports = os.pathsep.join(filter(None, places))
    run = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=root,
        env=os.environ | {"PYTHONPATH": imports, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        raise NotNew(last_words(run.stdout + run.stderr))
