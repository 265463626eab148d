"""`make new-view-version`: writes a view's next version beside it, as a copy to edit."""

import argparse
import re
from pathlib import Path
from typing import Final

from andon.packages.discovery import versions_of, views
from andon.packages.package import ROLES
from andon.project import project
from andon.tools.called import as_called
from andon.tools.in_process import derived
from andon.tools.stack.errors import ToolFailed

LINE: Final = '        View(self, "{}", hub, api)\n'
ITEM: Final = "from andon.dynamodb.attribute_values import Item\n"
STORIES: Final = "stories.py"  # the events of the convergence test
NUMBERED: Final = re.compile(r"(.+)_v(\d+)")
_ANY_IMPORT: Final = re.compile(r"^from andon\.", re.MULTILINE)

VERSION: Final = '''

REPLACES = "{before}"  # it is filled beside that, and serves after `make cutover VIEW={before}`


def as_before(row: Item) -> Item | None:
    """Return a row as {before} would have it, without what is new and with what is gone; None: it has none. Pure."""
    return row
'''


def next_name(view: str) -> str:
    """Return the name of a view's next version: `things_v2` of `things`, `things_v3` of `things_v2`."""
    numbered = NUMBERED.fullmatch(view)
    return f"{numbered[1]}_v{int(numbered[2]) + 1}" if numbered else f"{view}_v2"


def renamed(source: str, before: str, after: str) -> str:
    """Return a file with the names of one version as those of the other: its modules, its table, and itself."""
    source = re.sub(rf"\bviews([./]){before}\b", rf"views\g<1>{after}", source)
    source = re.sub(rf"\b{before.upper()}_TABLE\b", f"{after.upper()}_TABLE", source)
    source = re.sub(rf'"{before}(?=", "fault"|\.(?:{"|".join(ROLES)})")', f'"{after}', source)  # whose fault it is
    return re.sub(rf'(\w=|== |"views", |_of\()"{before}"', rf'\g<1>"{after}"', source)


def write(view: str, root: Path) -> str:
    """Write the next version of a view, its stories, and its line in the stack; return its name.

    Raises:
        Failed: there is no such view, it has a next version or lies in objects, or has no line in the stack.

    """
    after = next_name(view)
    _require_one_version(view)
    stack, line = root / "infra" / "stack.py", LINE.format(view)
    if not stack.is_file() or line not in stack.read_text():
        raise ToolFailed(f"{stack} has no line {line.strip()}, which tells where that of the next version goes")
    tests, packages = root / "tests" / "views", root / "functions" / "views"
    copy_into(packages / view, packages / after)
    if (tests / view / STORIES).is_file():  # the other tests ask its routes, which it does not serve
        copy_into(tests / view, tests / after, only=STORIES)
    declared = root / "functions" / "views" / after / "view.py"
    declared.write_text(_with_item(declared.read_text()) + VERSION.format(before=view))
    stack.write_text(stack.read_text().replace(line, line + LINE.format(after)))
    return after


def copy_into(folder: Path, into: Path, *, only: str = "*.py") -> None:
    """Copy the files of one version's folder into that of the other, but for those that it has."""
    into.mkdir(exist_ok=True)
    for file in sorted(folder.glob(only)):
        if not (into / file.name).exists():
            (into / file.name).write_text(renamed(file.read_text(), folder.name, into.name))


def _require_one_version(view: str) -> None:
    found = versions_of(view)
    if view not in {one.name for one in views()}:
        raise ToolFailed(f"there is no view {view}; there is {', '.join(one.name for one in views())}")
    if any(one.objects is not None for one in found):
        raise ToolFailed(
            f"{view} is in objects, and so in one version: name another bucket in its view.py, and replay it"
        )
    if len(found) > 1:
        names = " and ".join(one.name for one in found)
        raise ToolFailed(
            f"there are {names} already; the one that does not serve goes by: {as_called('retire', VIEW=view)}"
        )


def _with_item(source: str) -> str:
    if ITEM in source:
        return source
    # Before the first import of the library that sorts behind it.
    behind = [found.start() for found in _ANY_IMPORT.finditer(source) if source[found.start() :] > ITEM]
    return source[: behind[0]] + ITEM + source[behind[0] :]


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog=as_called("new-view-version"), description=__doc__)
    parser.add_argument("view")
    view = parser.parse_args().view
    after = write(view, project().root)
    derived.follow()
    print(f"functions/views/{after}/ is a copy of {view}, with a line in infra/stack.py.")
    print("Edit it, and let as_before(row) in its view.py undo what differs on purpose.")
    print(f"next: {as_called('up')} (or {as_called('deploy')}), then {as_called('fill', VIEW=view)}")


if __name__ == "__main__":
    main()
