"""`andon new fact SERVICE NAME`: a fact more of a service, of rows of its own in the service's table.

It is a resource of its own, whose entity stands in the contract: RESOURCES, routes and command get a few lines, and
FACTS and AGGREGATES, where the service says them itself.
"""

from argparse import Namespace
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Final

from andon.dynamodb.client import Table
from andon.packages.package import Package
from andon.project import project
from andon.tools.called import as_called
from andon.tools.new import template
from andon.tools.new.arguments import ONE_ROW
from andon.tools.new.changes import Changes, made
from andon.tools.new.edits import merged, renamed, with_declared, with_entry, with_imports, with_members, with_resource
from andon.tools.new.known import require_no_sample, service_of
from andon.tools.new.rule import RuleAnchor
from andon.tools.new.shape import members_of, verb_of
from andon.tools.new.words import Name, NotNew, Words
from andon.versions.declared import Declared
from andon.versions.optimistic_lock import VersionedRow

MERGED: Final = ("api.py", "command.py", "query.py", "resources.py", "samples.py")
"""Files that a service may have already: what they lack is put behind what they have, or before RESOURCES."""

ENTITIES: Final = "contract.entities"
PERSONS: Final = "PERSONS"
CALLED: Final = frozenset({"PutItem", "UpdateItem"})


def make(asked: Namespace) -> str:
    """Make a fact; return what was written.

    Raises:
        NotNew: see `changes`.

    """
    root, words = project().root, {"verb": asked.fact, "field": asked.field}
    return made(root, changes(root, asked.service, asked.name, **words, is_timed=asked.time_based))


def changes(
    root: Path,
    service: str,
    text: str,
    *,
    verb: str | None = None,
    field: str | None = None,
    is_timed: bool = False,
) -> Changes:
    """Return the changes for a new fact.

    Raises:
        NotNew: the name cannot be one, or is taken; there is no such service, or no table that it could stand in.

    """
    package, name = service_of(service), Name.only(text)
    _require_facts(package)
    subject = _subject(package)
    words = _words(package, subject, name, verb, field)
    event_type = words("inspection-recorded")
    require_no_sample(words("http/put-inspection"), f"domain/{event_type}")
    texts = _spelled(_in_table_of_its_own(package, words) if is_timed else _in_table_of(package, words), field)
    edited = {
        file: merged((root / file).read_text(), text, before="RESOURCES")
        for file, text in texts.items()
        if file.name in MERGED and (root / file).is_file()
    }
    resources = PurePosixPath("functions", package.folder, "resources.py")
    if resources in edited:
        edited[resources] = with_resource(edited[resources], words("INSPECTION"))
    edited |= _declared(root, package, words)
    new = {file: text for file, text in texts.items() if file not in edited}
    return Changes(
        new,
        edited,
        (
            *(() if is_timed else (ONE_ROW.format(name=name.one, one=subject.one),)),
            f"say in functions/contract/entities/{name.many}.py what is recorded",
            f"then write its samples anew: {as_called('samples')}",
            f"let a view show it: andon new view NAME --of {package.name}/{event_type}",
        ),
    )


def _require_facts(package: Package) -> None:
    if not package.has("facts"):
        raise NotNew(f"{package.folder} has no facts.py: it publishes nothing of its rows")
    if package.has("resources") and package.load("resources").RESOURCES[0].design == PERSONS:
        raise NotNew(f"{package.folder} keeps names and nothing else; a fact of whoever has one is another service's")


def _subject(package: Package) -> Name:
    """Return the subject of a service's facts: its things, or those that its rules decide upon."""
    if package.has("control"):
        source, event_type = min(package.load("control").CONTROL.rules.all[0].on)
        return Name.counted(RuleAnchor.of(f"{source}/{event_type}", None).subject.one)
    if package.has("resources"):
        return Name(package.load("resources").RESOURCES[0].kind.replace("-", "_"), package.name)
    return Name.of(package.name)


def _words(package: Package, subject: Name, name: Name, verb: str | None, field: str | None) -> Words:
    named = [(template.INSPECTION, name), (template.ESTIMATE, name), (template.THINGS, subject)]
    named += [(template.PARCELS, Name(subject.one, package.name)), (template.WATCH, Name(package.name, package.name))]
    said = [] if field is None else [(one, Name.only(field)) for one in (template.NOTE, template.VALUE)]
    return Words([*named, (template.RECORDED, verb_of(verb, name, timed=True)), *said])


def _spelled(texts: Mapping[PurePosixPath, str], field: str | None) -> dict[PurePosixPath, str]:
    spelled = members_of([Name.only(field)] if field else [])
    return {file: with_members(text, spelled) for file, text in texts.items()}


def _entity(name: Name) -> dict[PurePosixPath, str]:
    [file] = template.files(f"functions/{ENTITIES.replace('.', '/')}/{name.many}.py")
    return {file: template.text_of(file, name.one)}


def _in_table_of_its_own(package: Package, words: Words) -> dict[PurePosixPath, str]:
    """Return the files of a fact with a time of its own, whose rows stand in a table by that time."""
    if find_spec(f"{package.folder.replace('/', '.')}.tables") is not None:
        raise NotNew(f"{package.folder} says its tables itself; write a service: andon new service NAME --time-based")
    texts = template.slice_of("services", template.PARCELS) | _entity(template.ESTIMATE)
    first, beside = "def record(", words("def record_estimate(")
    return {file: text.replace(first, beside) for file, text in template.copied(words, texts).items()}


def _in_table_of(package: Package, words: Words) -> dict[PurePosixPath, str]:
    """Return the files of a fact in a table that is there: of another name, without a sort key, or a resource's."""
    constant, table = _table_of(package)
    if taken := [one for one in table.keys.names if one in VersionedRow.__annotations__]:
        why = f"a row of {package.folder} has a {taken[0]} of its own as key, and no versions"
        raise NotNew(f"{why}: andon new fact {package.name} {words('inspection')} --time-based")
    declared = vars(package.load("resources")) if package.has("resources") else {}
    name = next((name for name, one in declared.items() if isinstance(one, Declared) and one.table == table), None)
    used = {"TABLE": constant if name is None else f"{name}.table"}
    texts = template.part_of("services", template.WATCH, "inspection") | _entity(template.INSPECTION)
    found = {}
    for file, text in template.copied(words, texts).items():
        fitted = text if table.keys.sort is not None else text.replace(words(', "inspection")'), ")")
        of_tables = f"from services.{package.name}.tables import TABLE\n"
        found[file] = renamed(fitted if name is None else fitted.replace(of_tables, ""), used)
    return found


def _declared(root: Path, package: Package, words: Words) -> dict[PurePosixPath, str]:
    """Return the files of a service that say its facts and how its rows are versioned; else both follow."""
    folder, constant, entity = (
        PurePosixPath("functions", package.folder),
        words("INSPECTION"),
        words("InspectionEntity"),
    )
    imports = [f"from services.{package.name}.resources import {constant}"]
    facts, versioning = folder / "facts.py", folder / "versioning.py"
    edited = {}
    if (root / facts).is_file():
        text = with_declared((root / facts).read_text(), constant, entity)
        of_entity = [f"from {ENTITIES}.{words('inspection')} import {entity}"] if entity in text else []
        edited[facts] = with_imports(text, [*imports, *of_entity])
    if (root / versioning).is_file():
        declared = with_entry((root / versioning).read_text(), "AGGREGATES", f"**aggregates_of({constant})")
        edited[versioning] = with_imports(declared, [*imports, "from andon.versions.aggregate import aggregates_of"])
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
