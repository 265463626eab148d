"""`andon new service NAME`: a service with a command, a table and a fact of its own, its test and its samples."""

from argparse import Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from andon.project import project
from andon.tools.called import as_called
from andon.tools.new import template
from andon.tools.new.changes import Changes, made
from andon.tools.new.edits import with_argument, with_package
from andon.tools.new.fields import Fields
from andon.tools.new.known import require_free, require_no_sample
from andon.tools.new.words import Name, Words

STACK: Final = PurePosixPath("infra/stack.py")


def make(asked: Namespace) -> str:
    """Make a service; return what was written.

    Raises:
        NotNew: see `changes`.

    """
    root, name = project().root, Name.of(asked.name, one=asked.one)
    return made(root, changes(root, name, Fields.of(asked.field, asked.unique, asked.date, service=name)))


def changes(root: Path, name: Name, fields: Fields) -> Changes:
    """Return the changes for a new service of some fields.

    Raises:
        NotNew: the name is taken.

    """
    require_free(name.many)
    words = Words([(template.THINGS, name), (template.PLACE, fields.first)])
    require_no_sample(words("http/put-thing"), words("domain/thing-moved"))
    plain = template.copied(words, template.files(*template.SLICES["service"]))
    new = {file: fields.beside_first(text) for file, text in plain.items()}
    if fields.unique is not None:
        new = _with_unique(new, name, fields, fields.unique)
    new |= template.contract_of(root)
    stack = with_package((root / STACK).read_text(), "Service", name.many)
    return Changes(new, {STACK: stack}, (*_next(name, fields),))


def _next(name: Name, fields: Fields) -> Iterator[str]:
    folder, fact = f"functions/services/{name.many}", f"{name.many}/{name.one.replace('_', '-')}-moved"
    yield f"say in functions/contract/entities/{name.many}.py what it says, and in {folder}/resources.py how it is kept"
    yield "(--field FIELD names what it says, --unique FIELD a text that no two of them have, --date FIELD a time)"
    yield f"then write its samples anew: {as_called('samples')}"
    yield f"let a view show it: andon new view NAME --of {fact}; it counts with --count-by {fields.first.one}"
    for date in fields.dates:
        yield f"decide when {date.one} has come: andon new rule SERVICE NAME --of {fact} --due-at {date.one}"


def _with_unique(
    texts: Mapping[PurePosixPath, str], name: Name, fields: Fields, unique: Name
) -> dict[PurePosixPath, str]:
    """Return the files of a service that has a unique field."""
    words = Words([(template.NUMBER, unique), (template.THINGS, name), (template.PLACE, fields.first)])
    tests = template.copied(words, template.files("tests/**", of=template.UNIQUE), of=template.UNIQUE)
    resources = PurePosixPath("functions", "services", name.many, "resources.py")
    claimed = words('unique={"number": lambda number: KEYS.of(f"Number#{number}")}')
    found = {**texts, resources: with_argument(texts[resources], "CurrentResource", claimed)}
    return {**found, **{file: fields.dates_beside_first(text) for file, text in tests.items()}}
