"""`andon new service NAME`: a service with a command, a table and a fact of its own, its test and its samples."""

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from andon.project import project
from andon.tools.called import as_called
from andon.tools.new import person
from andon.tools.new.arguments import BY_ANOTHER_KEY
from andon.tools.new.changes import Changes, made
from andon.tools.new.edits import with_package
from andon.tools.new.known import require_free, require_no_sample
from andon.tools.new.shape import Shape
from andon.tools.new.words import Name, member_name

STACK: Final = PurePosixPath("infra/stack.py")


def make(asked: Namespace) -> str:
    """Make a service; return what was written.

    Raises:
        NotNew: see `changes`.

    """
    root = project().root
    if asked.person:
        return made(root, person.changes(root, asked))
    name = Name.of(asked.name, one=asked.one)
    return made(root, changes(root, Shape.of(asked, name)))


def changes(root: Path, shape: Shape) -> Changes:
    """Return the changes for a new service.

    Raises:
        NotNew: the name is taken.

    """
    require_free(shape.name.many)
    require_no_sample(shape.words("http/put-thing"), f"domain/{shape.fact}")
    stack = with_package((root / STACK).read_text(), "Service", shape.name.many)
    return Changes(shape.files(), {STACK: stack}, (*_next(shape),))


def _next(shape: Shape) -> Iterator[str]:
    name, fields = shape.name, shape.fields
    folder, fact = f"functions/services/{name.many}", f"{name.many}/{shape.fact}"
    yield f"say in functions/contract/entities/{name.many}.py what it says, and in {folder}/resources.py how it is kept"
    yield "(--field names what it says, --fact what its fact is called, --unique a text that no two of them have,"
    yield " --date a time, --partition what it is grouped by; --time-based: it comes late and twice, as readings do)"
    yield f"then write its samples anew: {as_called('samples')}"
    counted = "" if shape.is_timed else f"; it counts with --count-by {member_name(fields.first.one)}"
    yield f"let a view show it: andon new view NAME --of {fact}{counted}"
    if not shape.is_timed:
        yield (
            f"a list of them is one of a view, too, of each {shape.partition.one}"
            if shape.partition
            else (f"a list of them is one of a view, too, by a key of its rows: {BY_ANOTHER_KEY}")
        )
    for date in (member_name(one.one) for one in fields.dates):
        yield f"decide when {date} has come: andon new rule SERVICE NAME --of {fact} --due-at {date}"
