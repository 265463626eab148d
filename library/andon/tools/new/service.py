"""`andon new service NAME`: a service with a command, a table and a fact of its own, its test and its samples."""

from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from andon.project import project
from andon.tools.called import as_called
from andon.tools.new import template
from andon.tools.new.changes import Changes, made
from andon.tools.new.edits import merged, with_argument, with_imports, with_package
from andon.tools.new.fields import DATE, NUMBER, Field, require_fields
from andon.tools.new.known import require_free, require_no_sample
from andon.tools.new.words import Name, Words

STACK: Final = PurePosixPath("infra/stack.py")


def make(asked: Namespace) -> str:
    """Make a service; return what was written.

    Raises:
        NotNew: see `changes`.

    """
    root, dates = project().root, tuple(asked.date)
    return made(root, changes(root, asked.name, one=asked.one, unique=asked.unique, dates=dates))


def changes(
    root: Path, text: str, *, one: str | None = None, unique: str | None = None, dates: Sequence[str] = ()
) -> Changes:
    """Return what a new service changes.

    one: the singular of its name, if that is irregular. unique: a field that no two have the same. dates: fields that
    are times.

    Raises:
        NotNew: a name cannot be one, or is taken.

    """
    name = Name.of(text, one=one)
    require_free(name.many)
    words = Words([(template.THINGS, name)])
    require_no_sample(words("http/put-thing"), words("domain/thing-moved"))
    new = _with_fields(template.copied(words, template.files(*template.SLICES["service"])), name, unique, dates)
    stack = with_package((root / STACK).read_text(), "Service", name.many)
    return Changes(new, {STACK: stack}, (*_next(name, unique, dates),))


def _next(name: Name, unique: str | None, dates: Sequence[str]) -> Iterator[str]:
    folder, fact = f"functions/services/{name.many}", f"{name.many}/{name.one.replace('_', '-')}-moved"
    yield f"say in {folder}/{name.one}.py what it is, instead of its place, and in bodies.py what a request says"
    if unique is None or not dates:
        yield "(made with --unique FIELD it has a text that no two of them have, with --date FIELD a time)"
    yield f"then write its samples anew: {as_called('samples')}"
    yield f"let a view show it: andon new view NAME --of {fact}; it counts with --count-by place"
    for date in dates:
        yield f"decide when {date} has come: andon new rule SERVICE NAME --of {fact} --due-at {date}"


def _with_fields(
    texts: Mapping[PurePosixPath, str], name: Name, unique: str | None, dates: Sequence[str]
) -> dict[PurePosixPath, str]:
    numbers = [] if unique is None else [Name.only(unique)]
    fields = [*(Field(one.one, NUMBER) for one in numbers), *(Field(Name.only(one).one, DATE) for one in dates)]
    require_fields([field.name for field in fields], of=name)
    found = dict(texts)
    for field in reversed(fields):
        found = {file: field.added(text) for file, text in found.items()}
    for number in numbers:
        words = Words([(template.NUMBER, number), (template.THINGS, name)])
        chosen = [file for file in template.files(of=template.UNIQUE) if file.suffix == ".py"]
        more = template.copied(words, chosen, of=template.UNIQUE)
        for field in reversed(fields[1:]):
            more = {file: field.added(text) for file, text in more.items()}
        found |= {file: merged(found[file], text) if file in found else text for file, text in more.items()}
        found |= _claiming(found, name)
    return found


def _claiming(texts: Mapping[PurePosixPath, str], name: Name) -> dict[PurePosixPath, str]:
    """Return the aggregate, whose drafts say what they claim."""
    folder = PurePosixPath("functions", "services", name.many)
    aggregate = with_argument(texts[folder / f"{name.one}.py"], "Draft", "claims=claims_of")
    import_ = f"from services.{name.many}.claims import claims_of"
    return {folder / f"{name.one}.py": with_imports(aggregate, [import_])}
