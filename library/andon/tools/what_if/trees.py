"""The two trees: a commit in a worktree of its own, and the working tree as it lies, or a copy with one line replaced.

Nothing of the working tree is written, and nothing is left: worktree and copies are in a folder that goes.
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

from andon.tools.stack.errors import ToolFailed

# `SET="NAME=expression"`: one line of one file of the packages with another value. Pure, but for files.
#
# A line counts if it begins with the name: `NAME = …` or `NAME: Final = …`, so that it is a constant of a module.
# Where several modules have one, `SET="late.NAME=expression"` means that of `late.py`, `rules.late.NAME` of
# `rules/micro_event_store.py`.

_SET: Final = re.compile(r"((?:[A-Za-z_]\w*\.)*)([A-Za-z_]\w*)\s*=(?!=)\s*(\S.*)", re.DOTALL)
_OPEN: Final = re.compile(r"[(\[{\\]\s*(#.*)?$")


class ConstantSet(NamedTuple):
    """A constant, and the expression that it is to be. module: the end of its module's name; empty: of any module."""

    name: str
    expression: str
    module: str = ""

    @classmethod
    def of(cls, text: str) -> "ConstantSet":
        """Read `NAME=expression`.

        Raises:
            ToolFailed: it is none, or no expression of Python.

        """
        match = _SET.fullmatch(text.strip())
        if match is None:
            raise ToolFailed(f'SET="{text}" is no NAME=expression')
        module, name, expression = match.groups()
        try:
            compile(expression, "SET", "eval")
        except SyntaxError as error:
            raise ToolFailed(f'SET="{text}": {error.msg}') from error
        if "\n" in expression:
            raise ToolFailed(f'SET="{name}=…" takes one line')
        return cls(name, expression, module.removesuffix("."))

    def __str__(self) -> str:
        return f"{self.called} = {self.expression}"

    @property
    def called(self) -> str:
        """The name, with the module that it was given with."""
        return f"{self.module}.{self.name}" if self.module else self.name

    def set_in(self, functions: Path) -> str:
        """Replace the one line below the packages' folder; return its place, as `services/things/rules/late.py:12`.

        Raises:
            ToolFailed: there is no such line, or there are several, or its value goes on behind it.

        """
        places = [*self._places(functions)]
        if len(places) != 1:
            found = f": {', '.join(f'{file.relative_to(functions)}:{number + 1}' for file, number, _ in places)}"
            raise ToolFailed(f"SET: {len(places) or 'no'} lines begin with {self.called} ={found if places else ''}")
        file, number, head = places[0]
        lines = file.read_text().split("\n")
        if _OPEN.search(lines[number]):
            raise ToolFailed(f"SET: the value of {self.name} has more than one line, in {file.relative_to(functions)}")
        lines[number] = f"{head}{self.expression}"
        file.write_text("\n".join(lines))
        return f"{file.relative_to(functions)}:{number + 1}"

    def _places(self, functions: Path) -> Iterator[tuple[Path, int, str]]:
        line_of = re.compile(rf"{re.escape(self.name)}(?:: [^=]+)? = ")
        for file in filter(partial(self._is_meant, functions), sorted(functions.rglob("*.py"))):
            for number, line in enumerate(file.read_text().split("\n")):
                if match := line_of.match(line):
                    yield file, number, match.group()

    def _is_meant(self, functions: Path, file: Path) -> bool:
        names = file.relative_to(functions).with_suffix("").parts
        wanted = self.module.split(".") if self.module else []
        return [*names[len(names) - len(wanted) :]] == wanted


FUNCTIONS: Final = "functions"
_NO_HOOKS: Final = ("-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false")
CALLED: Final = 10  # hexadecimal digits of a commit


class Tree(NamedTuple):
    """The packages of a state of the project. name: in words. functions: their folder."""

    name: str
    functions: Path


@contextmanager
def room() -> Iterator[Path]:
    """Make a folder that goes, also when the process is asked to end."""

    def ends(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, ends)
    folder = Path(tempfile.mkdtemp(prefix="andon-what-if-"))
    try:
        yield folder
    finally:
        with _undisturbed():
            shutil.rmtree(folder, ignore_errors=True)
        signal.signal(signal.SIGTERM, before)


@contextmanager
def commit(root: Path, base: str, folder: Path) -> Iterator[Tree]:
    """Check a commit out into a worktree of its own, which goes.

    Raises:
        ToolFailed: there is no such commit, or no repository.

    """
    sha = git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}", why=f"BASE={base}")
    inside = git(root, "rev-parse", "--show-prefix", why="git")
    try:
        add = ("worktree", "add", "--detach", "--no-checkout", "--quiet", str(folder), sha)
        git(root, *_NO_HOOKS, *add, why=f"BASE={base}")
        packages = f"{inside}{FUNCTIONS}"
        git(folder, *_NO_HOOKS, "checkout", sha, "--", packages, why=f"BASE={base} has no {FUNCTIONS}/")
        functions = folder / packages
        yield Tree(f"{base}, {sha[:CALLED]}", functions)
    finally:
        with _undisturbed():
            for arguments in (("remove", "--force", "--force", str(folder)), ("prune",)):
                _run(root, "worktree", *arguments)


def working(root: Path, setting: ConstantSet | None, folder: Path) -> Tree:
    """Return the working tree as it lies; with a setting, a copy of it with that line.

    Raises:
        ToolFailed: see `ConstantSet.set_in`.

    """
    if setting is None:
        return Tree("the working tree", root / FUNCTIONS)
    copy = folder / FUNCTIONS
    shutil.copytree(root / FUNCTIONS, copy, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    setting.set_in(copy)
    return Tree(f"the working tree, {setting}", copy)


def git(root: Path, *arguments: str, why: str) -> str:
    """Run git in a folder, and return its output.

    Raises:
        ToolFailed: it fails.

    """
    done = _run(root, *arguments)
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise ToolFailed(f"{why}: {said[-1] if said else 'there is no such commit'}")
    return done.stdout.strip()


def _run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # Ctrl-C at a terminal goes to all processes of the group; git is to end by itself.
    return subprocess.run(
        ["git", "-C", str(root), *arguments],
        capture_output=True, text=True, check=False, env=_of_no_repository(os.environ), start_new_session=True,
    )  # fmt: skip


def _of_no_repository(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without what a hook of git says about its own repository."""
    return {name: value for name, value in environment.items() if not name.startswith("GIT_")}


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let nobody end the process while it cleans up."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
