"""`andon new service NAME`: a service with a command, a table and a fact of its own, its test and its samples."""

from argparse import Namespace
from pathlib import Path, PurePosixPath
from typing import Final

from andon.project import project
from andon.tools.new import template
from andon.tools.new.changes import Changes, made
from andon.tools.new.edits import with_package
from andon.tools.new.known import require_free, require_no_sample
from andon.tools.new.words import Name, Words

STACK: Final = PurePosixPath("infra/stack.py")


def make(asked: Namespace) -> str:
    """Make a service; return what was written.

    Raises:
        NotNew: see `changes`.

    """
    return made(project().root, changes(project().root, asked.name, one=asked.one))


def changes(root: Path, text: str, *, one: str | None = None) -> Changes:
    """Return what a new service changes; `one`: the singular of its name, if that is irregular.

    Raises:
        NotNew: the name cannot be one, or is taken.

    """
    name = Name.of(text, one=one)
    require_free(name.many)
    words = Words([(template.THINGS, name)])
    require_no_sample(words("http/put-thing"), words("domain/thing-moved"))
    new = template.copied(words, template.files(*template.SLICES["service"]))
    stack = with_package((root / STACK).read_text(), "Service", name.many)
    folder = f"functions/services/{name.many}"
    return Changes(
        new,
        {STACK: stack},
        (
            f"say in {folder}/{name.one}.py what it is, instead of its place, and in bodies.py what a request says",
            "then write its samples anew: andon samples",
            f"let a view show it: andon new view NAME --of {name.many}/{name.one.replace('_', '-')}-moved",
        ),
    )
