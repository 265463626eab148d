"""`andon new service NAME --person`: the names behind ids, which are erased; the project says where they stand."""

from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from andon.project import project
from andon.tools.called import as_called
from andon.tools.new import template
from andon.tools.new.changes import Changes
from andon.tools.new.edits import with_argument, with_imports, with_package, with_part
from andon.tools.new.known import require_free, require_no_sample
from andon.tools.new.words import Name, NotNew, Words

STACK: Final = PurePosixPath("infra/stack.py")
SAYS: Final = PurePosixPath("functions/project.py")
OTHERS: Final = ("field", "fact", "unique", "date", "time_based")
ALONE: Final = "--person goes with --one and --partition alone: of a person a name is said, and where they are"


def changes(root: Path, asked: Namespace) -> Changes:
    """Return the changes for a service of names.

    Raises:
        NotNew: the name is taken, the project has such a service, or another option does not go with it.

    """
    if any(getattr(asked, option) for option in OTHERS):
        raise NotNew(ALONE)
    name = Name.of(asked.name, one=asked.one)
    partition = Name.counted(asked.partition) if asked.partition else None
    _require_new(name)
    words = Words([(template.GUESTS, name), *([(template.HALL, partition)] if partition else [])])
    texts = template.slice_of("services", template.GUESTS, *(["placed"] if partition else []))
    stack = with_part(with_package((root / STACK).read_text(), "Service", name.many), "Eraser")
    edited = {STACK: stack, SAYS: _said((root / SAYS).read_text(), name)}
    return Changes(template.copied(words, texts), edited, (*_next(name),))


def _require_new(name: Name) -> None:
    people = project().people
    if people is not None:
        raise NotNew(
            f"a project has one service of names, and {people.path} is there: functions/project.py says people="
        )
    require_free(name.many)
    require_no_sample(f"http/put-{name.dashed}", f"domain/{name.dashed}-erased")


def _said(text: str, name: Name) -> str:
    """Return `project.py` with the place of names."""
    path, column = name.many.replace("_", "-"), name.one
    people = f'People(table="{name.many.upper()}_TABLE", path="/{path}", columns=frozenset({{"{column}"}}))'
    return with_imports(with_argument(text, "Project", f"people={people}"), ["from andon.project import People"])


def _next(name: Name) -> Iterator[str]:
    yield f"say in functions/contract/entities/{name.many}.py what else is said of one; their names stand there alone"
    yield "what else names one has the id, as PersonId of andon.http.said; what keeps more of one than the id drops it"
    yield f" upon {name.many}/{name.dashed}-erased"
    yield f"then write its samples anew: {as_called('samples')}"
    yield "erase one, and what somebody wrote of them anywhere: andon erase ID --also OTHER,NAMES --dry-run"
