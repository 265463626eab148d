"""The imports of a source, found fast: it is parsed only if something in it looks like one that is asked for."""

import ast
import re
from collections.abc import Callable, Iterator
from typing import Final

FROM: Final = re.compile(
    r"(?:^|[;:])[ \t]*from[ \t]+([\w.]+)[ \t]+import[ \t]*(\((?:#[^\n]*|[^)#])*\)|[^\n;#]+)", re.MULTILINE
)
_IMPORT: Final = re.compile(r"(?:^|[;:])[ \t]*import[ \t]+([^\n;#]+)", re.MULTILINE)
COMMENT: Final = re.compile(r"#[^\n]*")
_CONTINUED: Final = "\\\n"
_BLOCKS: Final = ("body", "orelse", "finalbody", "handlers", "cases")
"""The members of a statement that have statements."""


def imports_that(is_asked_for: Callable[[str], bool], source: str) -> frozenset[str]:
    """Return the imports of a source that are asked for; `from a.b import c` is `a.b.c`, `from . import c` is `.c`."""
    if not any(map(is_asked_for, lookalikes(source))):
        return frozenset()
    return frozenset(filter(is_asked_for, imports(source)))


def lookalikes(source: str) -> Iterator[str]:
    """Yield all imports of a source, and what looks like one, as a line of a docstring may."""
    source = source.replace(_CONTINUED, " ")
    for module, names in FROM.findall(source):
        yield from (_joined(module, name) for name in _names(names))
    for names in _IMPORT.findall(source):
        yield from _names(names)


def imports(source: str) -> Iterator[str]:
    """Yield all imports of a source, which is parsed."""
    for node in _statements(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (_joined("." * node.level + (node.module or ""), alias.name) for alias in node.names)


def _joined(module: str, name: str) -> str:
    return f"{module}{name}" if module.endswith(".") else f"{module}.{name}"


def _names(listed: str) -> Iterator[str]:
    """Yield the names of a list, without those that they get."""
    for one in COMMENT.sub("", listed).strip(" \t()").split(","):
        if words := one.split():
            yield words[0]


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Yield all statements, also those within others; expressions, most of a tree, have none."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        yield node
        for block in _BLOCKS:
            left += getattr(node, block, ())
