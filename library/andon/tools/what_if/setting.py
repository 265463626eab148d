"""`SET="NAME=expression"`: one line of one file of the packages with another value. Pure, but for files.

A line counts if it begins with the name: `NAME = …` or `NAME: Final = …`, so that it is a constant of a module. Where
several modules have one, `SET="late.NAME=expression"` means that of `late.py`, `rules.late.NAME` of `rules/late.py`.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from andon.tools.stack.errors import ToolFailed

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
