"""A clone of this project: its sources, beside the tools that are installed here."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from andon.project import library_folder, project
from andon.testing.installed import WITHOUT_PLUGINS
from andon.tools.views import new_version

TOOLS = (".venv", "node_modules", ".local/emulator-venv", ".local/layer", ".local/code")
"""What a clone shares with this project; code that was packed lies in folders that are named by what is in them."""

IMPORTS = ("functions", "library", ".", str(library_folder().parent))  # its own library first, if it has one

# The last one: bytecode that another process is just writing, which is gone before it could be copied.
LEFT_OUT = (".git", ".venv", "node_modules", ".local", "cdk.out", ".*_cache", ".hypothesis", "*.pyc.*")


@dataclass(frozen=True, slots=True)
class Clone:
    """A folder with a clone in it."""

    root: Path

    @property
    def home(self) -> Path:
        """The folder of its stack."""
        return self.root / ".local"

    def file(self, *parts: str) -> Path:
        """Return the path of one of its files."""
        return self.root.joinpath(*parts)

    def replace(self, name: str, before: str, after: str) -> None:
        """Change a text in one of its files, which has it."""
        file = self.root / name
        assert before in file.read_text()
        file.write_text(file.read_text().replace(before, after))

    def python(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run Python in it, to the end."""
        return subprocess.run(  # noqa: S603
            [sys.executable, *arguments],
            cwd=self.root,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(IMPORTS), "PYTEST_ADDOPTS": WITHOUT_PLUGINS},
            capture_output=True,
            text=True,
            check=False,
        )

    def done(self, *arguments: str) -> str:
        """Run Python in it; return what it printed."""
        run = self.python(*arguments)
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout


def clone(to: Path) -> Clone:
    """Copy the project."""
    shutil.copytree(project().root, to, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
    (to / ".local").mkdir()
    (project().local / "code").mkdir(parents=True, exist_ok=True)
    link_tools(to, TOOLS)
    return Clone(to)


def link_tools(to: Path, names: Iterable[str]) -> None:
    """Link tools of this project into a folder, as far as they are installed or packed here."""
    for name in names:
        if (project().root / name).exists():
            (to / name).parent.mkdir(exist_ok=True)
            (to / name).symlink_to((project().root / name).resolve())


def with_next_version(view: str, to: Path) -> Clone:
    """Copy the project, and write the next version of a view in it."""
    made = clone(to)
    new_version.write(view, made.root)
    return made
