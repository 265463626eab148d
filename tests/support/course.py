"""The course of docs/, done: its blocks are written, applied and run in order, in a project of its own.

| block | is |
|---|---|
| `sh` | commands, which are run |
| `console` | commands for a running system, which are not |
| `python title="<file>"` | that file |
| `python title="<file> (excerpt)"` | a part of that file |
| `diff title="<file>"` | what changes in it |
| `python` | a program, whose output, log lines aside, is the block `text` behind it |
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from andon.project import project

FOLDER: Final = project().root / "docs" / "course"
CHAPTERS: Final = sorted(FOLDER.glob("[0-9]*.md"))
BLOCK: Final = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
EXCERPT: Final = " (excerpt)"
LOG_LINE: Final = '{"level"'
ANDON: Final = ("-m", "andon.tools.cli")


class Block(NamedTuple):
    """A block of a chapter; `file`: its title."""

    language: str
    file: str
    text: str


class Printed(NamedTuple):
    """The output of a program, and what the chapter says of it."""

    printed: str
    expected: str


def blocks_of(chapter: Path) -> list[Block]:
    """Return the blocks of a page, in order."""
    return [Block(*found) for found in BLOCK.findall(chapter.read_text())]


class Course:
    """A project in an empty folder, as far as the course has come; each chapter needs those before it.

    library: the folder that the wheel was installed into, of which no project has to build it.
    """

    def __init__(self, folder: Path, library: Path) -> None:
        self.folder, self._library = folder, library
        self._done = 0

    @property
    def root(self) -> Path:
        """The project's folder, once the first chapter has made it."""
        return next((one for one in self.folder.iterdir() if one.is_dir()), self.folder)

    def take(self, chapter: Path) -> list[Printed]:
        """Do a chapter, if it is not done yet, and what is left of those before it without their programs."""
        number = CHAPTERS.index(chapter)
        for left in CHAPTERS[self._done : number]:
            list(self._do(left, runs=False))
        programs = list(self._do(chapter, runs=True)) if number >= self._done else []
        self._done = max(self._done, number + 1)
        return programs

    def _do(self, chapter: Path, *, runs: bool) -> Iterator[Printed]:
        blocks = blocks_of(chapter)
        for block, following in zip(blocks, [*blocks[1:], None], strict=True):
            if block.language == "python" and not block.file and runs:
                expected = following.text if following and following.language == "text" else ""
                yield Printed(self._python("-c", block.text), expected)
            elif block.language == "sh":
                for command in block.text.splitlines():
                    self._command(command)
            elif block.file:
                self._write(block)

    def _command(self, command: str) -> None:
        verb, *arguments = shlex.split(command)
        if verb != "andon":
            raise ValueError(f"{command}: a course runs nothing but andon; what it only shows is a block `console`")
        self._python(*ANDON, *arguments)

    def _write(self, block: Block) -> None:
        file = self.root / block.file.removesuffix(EXCERPT)
        if block.file.endswith(EXCERPT):
            if block.text not in file.read_text():
                raise ValueError(f"{block.file} does not say\n{block.text}")
        elif block.language == "diff":
            file.write_text(changed(file.read_text(), block.text))
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text)

    def _python(self, *arguments: str) -> str:
        imports = (str(self.root / "functions"), str(self._library), str(self.root))
        done = subprocess.run(  # noqa: S603  our own blocks
            [sys.executable, *arguments],
            cwd=self.root,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(imports), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ValueError(f"{shlex.join(arguments)}\n{done.stdout}{done.stderr}")
        return "".join(line for line in done.stdout.splitlines(keepends=True) if not line.startswith(LOG_LINE))


def changed(text: str, diff: str) -> str:
    """Return a text with a change in it: lines that begin with `-` and a space are there, once; `+` comes instead."""
    lines = diff.splitlines(keepends=True)
    before, after = ("".join(line[1:] or "\n" for line in lines if line[0] in {" ", sign}) for sign in "-+")
    if text.count(before) != 1:
        raise ValueError(f"there are {text.count(before)} of\n{before}")
    return text.replace(before, after)
