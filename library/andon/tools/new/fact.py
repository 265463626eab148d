"""`andon new fact SERVICE NAME`: a fact more of a service, of rows of its own in the service's table.

Its row, its route and its bodies stand in files of their own; the service's command and FACTS get a few lines.
"""

import re
from argparse import Namespace
from pathlib import Path, PurePosixPath
from typing import Final

from andon.dynamodb.client import Table
from andon.packages.package import Package
from andon.project import project
from andon.tools.called import as_called
from andon.tools.new import template
from andon.tools.new.changes import Changes, made
from andon.tools.new.edits import merged, with_aggregate, with_entity, with_imports, with_meaning, with_type
from andon.tools.new.errors import NotNew
from andon.tools.new.known import require_no_sample, service_of
from andon.tools.new.words import Name, Words

MERGED: Final = ("command.py", "samples.py")
"""Files that a service may have already: what they lack is put behind what they have."""

DECLARED: Final = (
    "Aggregate(CURRENT_ONLY, Identity.GIVEN, revised=Frequency.SELDOM, read=Frequency.OFTEN, speed=Speed.SLOW)"
)
"""How the rows of the template are versioned."""

CALLED: Final = frozenset({"PutItem", "UpdateItem"})


def make(asked: Namespace) -> str:
    """Make a fact; return what was written.

    Raises:
        NotNew: see `changes`.

    """
    return made(project().root, changes(project().root, asked.service, asked.name))


def changes(root: Path, service: str, text: str) -> Changes:
    """Return the changes for a new fact.

    Raises:
        NotNew: the name cannot be one, or is taken; there is no such service, or no table that it could stand in.

    """
    package, name = service_of(service), Name.only(text)
    if not package.has("facts"):
        raise NotNew(f"{package.folder} has no facts.py: it publishes nothing of its rows")
    words = Words([(template.INSPECTION, name), (template.THINGS, Name.of(package.name))])
    event_type = words("inspection-recorded")
    require_no_sample(words("http/put-inspection"), f"domain/{event_type}")
    constant, table = _table_of(package)
    texts = {
        file: _in_table(text, constant, table)
        for file, text in template.copied(words, template.files(of=template.FACT), of=template.FACT).items()
        if file.suffix == ".py"
    }
    edited = {
        file: merged((root / file).read_text(), text)
        for file, text in texts.items()
        if file.name in MERGED and (root / file).is_file()
    }
    edited |= _declared(root, package, name, words)
    new = {file: text for file, text in texts.items() if file not in edited}
    return Changes(
        new,
        edited,
        (
            f"say in functions/{package.folder}/{name.many}.py what is recorded, in {name.many}_bodies.py what is said",
            f"then write its samples anew: {as_called('samples')}",
            f"let a view show it: andon new view NAME --of {package.name}/{event_type}",
        ),
    )


def _declared(root: Path, package: Package, name: Name, words: Words) -> dict[PurePosixPath, str]:
    """Return the files of a service that declare its facts, and how its rows are versioned, with those of the fact."""
    facts = PurePosixPath("functions", package.folder, "facts.py")
    of_type, meaning = words("inspection.INSPECTION_RECORDED"), words("inspection.inspection_recorded")
    kind, module = words("inspection.DISCRIMINATOR"), f"services.{package.name}.{name.many}"
    with_both = with_meaning(with_type((root / facts).read_text(), "Facts", of_type), kind, meaning)
    with_all = with_entity(with_both, of_type, words("inspection.InspectionEntity"))
    edited = {facts: with_imports(with_all, [f"from services.{package.name} import {name.many}"])}
    versioning = facts.with_name("versioning.py")
    if (root / versioning).is_file():
        edited[versioning] = with_aggregate((root / versioning).read_text(), kind, DECLARED, module)
    return edited


def _table_of(package: Package) -> tuple[str, Table]:
    """Return a table whose changes are published, and its name in `tables.py`."""
    tables, file = package.load("tables"), f"functions/{package.folder}/tables.py"
    streamed = {variable for variable, schema in package.tables.items() if schema.stream}
    found = [(name, one) for name, one in vars(tables).items() if isinstance(one, Table) and one.variable in streamed]
    if not found:
        raise NotNew(f"{file} has no table with a stream")
    constant, table = found[0]
    granted = package.grants.get("command", {}).get(table.variable)
    if package.has("command") and package.grants.get("command") and not set(granted or ()) >= CALLED:
        raise NotNew(
            f"GRANTS of {file} let its command only {', '.join(granted or ()) or 'nothing'} "
            f"of {table.variable}; a fact is saved by {' and '.join(sorted(CALLED))}"
        )
    return constant, table


def _in_table(text: str, constant: str, table: Table) -> str:
    """Return a file for a table of another name, or with a sort key."""
    text = re.sub(r"\bTABLE\b", constant, text)
    if table.keys.sort is None:
        return text
    return re.sub(r"(\.keys\.of\((f\"\w+#\{\w+\}\"))\)", r"\1, DISCRIMINATOR)", text)
