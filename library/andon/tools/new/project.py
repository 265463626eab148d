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
from pathlib import Path, PurePosixPath
from typing import Final

from andon.project import library_folder
from andon.tools.new import template
from andon.tools.new.changes import ALL, FOLLOWING
from andon.tools.new.dependency import Dependency, dependency, version
from andon.tools.new.errors import NotNew
from andon.tools.new.words import Name, Words, camel_case, clashes

REQUIREMENT: Final = PurePosixPath("requirements", "andon.txt")
VENDOR: Final = "vendor"
SETTINGS: Final = PurePosixPath("pyproject.toml")

IN_STACK: Final = frozenset(
    {"api", "archive", "construct", "drift", "event_hub", "fault_store", "lake", "replays", "service", "stack"}
    | {"target", "view"}
)
"""Names of classes beside that of the stack."""


def make(asked: Namespace) -> str:
    """Make a project; return how to go on.

    Raises:
        NotNew: a name is none, or taken; the folder has something in it; or the library's wheel cannot be found.

    """
    root, name, service = asked.folder.absolute(), Name.only(asked.name), Name.of(asked.service, one=asked.one)
    _require_free(root)
    words = _words(name, service)
    root.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=root.parent, prefix=".new-") as beside:
        with dependency(asked.wheel) as needed:
            _fill(Path(beside, "project"), words, needed, _record_of(asked))
        if root.exists():
            root.rmdir()
        Path(beside, "project").rename(root)
    return f"{camel_case(name.one)} is in {asked.folder}; go on there, with: make up"


def _require_free(root: Path) -> None:
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise NotNew(f"{root} is not empty; name an empty folder, or one that is not there yet")


def _words(name: Name, service: Name) -> Words:
    if name.one in IN_STACK:
        raise NotNew(f"{name.one!r} is taken: infra/stack.py has a class of that name")
    beside = (template.INVENTORY, template.WATCH, template.RESTLESS)
    if clash := next(clashes([service, *beside]), None):
        raise NotNew(f"{clash!r} is taken: the project has a view {beside[0].one} and a rule {beside[2].one}")
    return Words([(template.ACORN, name), (template.THINGS, service)])


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


def _fill(root: Path, words: Words, needed: Dependency, record: str) -> None:
    texts = template.copied(words, template.files())
    texts[SETTINGS] += record
    new = template.written(root, {**texts, REQUIREMENT: needed.requirement})
    if needed.wheel is not None:
        (root / VENDOR).mkdir()
        shutil.copyfile(needed.wheel, root / VENDOR / needed.wheel.name)
    template.tidied(root, new)
    _follow(root)


def _follow(root: Path) -> None:
    """Write what follows from the packages of a project: samples, docs/openapi.json, AGENTS.md, llms.txt."""
    places = (str(library_folder().parent), str(root / "functions"), str(root), os.environ.get("PYTHONPATH"))
    imports = os.pathsep.join(filter(None, places))
    subprocess.run(
        [sys.executable, "-m", FOLLOWING, ALL],
        cwd=root,
        env=os.environ | {"PYTHONPATH": imports, "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL,
        check=True,
    )
