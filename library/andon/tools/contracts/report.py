"""The verdict in words. Pure."""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Final

from andon.packages.discovery import FactSubscription
from andon.project import library_folder, project
from andon.runtime.json_types import JsonObject
from andon.tools.contracts import state
from andon.tools.contracts.derive import Derived, news
from andon.tools.contracts.diff import is_break
from andon.tools.contracts.members import path_in, text_of
from andon.tools.contracts.page import UNSEEN, Blind
from andon.tools.contracts.state import ContractState, topic_text
from andon.tools.contracts.verdict import ContractFinding, Severity, package_of, readers_of

WORDS = {Severity.BREAKS: "breaks", Severity.LOSES: "loses"}


def report(found: Derived, released: ContractState | None, together: Iterable[FactSubscription] = ()) -> Iterator[str]:
    """Yield the lines: what is different from the release, who breaks, loses or may miss something, the verdict.

    together: the subscriptions of which neither side is deployed first.
    """
    consumers, types = len(found.state.consumers), len(found.state.types)
    yield f"{types} types and {consumers} consumers, which were run {found.runs:,} times."
    if released is None:
        yield "Nothing is released yet: RELEASE=1 (--release) makes this the state that later ones are compared with."
    else:
        yield from _news(found.state, released)
        yield from _missing(together, released)
    yield from of_findings(found.findings)
    unseen = len(found.blind.rules) + sum(map(len, found.blind.members.values()))
    if unseen:
        yield f"{UNSEEN}: {unseen}, see .local/contracts/contracts.md."
    yield _verdict(found.findings)


def _news(today: ContractState, released: ContractState) -> Iterator[str]:
    for topic, different in news(today, released):
        if different is None:
            yield f"{topic_text(topic)} {'is new' if topic in today.types else 'is no more'} since the release."
        else:
            version = today.types[topic].version
            kind = f"version {version}" if any(map(is_break, different)) else "no reader has to know"
            words = ", ".join(f"{text_of(one.path)} {one.words}" for one in different)
            yield f"{topic_text(topic)}, {kind}: {words}."


def _missing(together: Iterable[FactSubscription], released: ContractState) -> Iterator[str]:
    """Yield who is new to a type, and may miss what is published while it is deployed."""
    for topic, publisher, subscriber in sorted(together, key=lambda one: (one.topic, one.subscriber.name)):
        if subscriber.name not in {package_of(who) for who, _ in readers_of(topic, released)}:
            first = f"{subscriber.name} is new to it, and neither it nor {publisher.name} is deployed first"
            yield f"{topic_text(topic)}: {first}. Publish it a deployment later, see docs/recipes.md."


def of_findings(findings: Iterable[ContractFinding]) -> Iterator[str]:
    """Yield the findings, by topic."""
    for topic, of_topic in groupby(findings, key=lambda one: one.topic):
        yield topic_text(topic)
        for one in of_topic:
            path = f"{text_of(one.path)} " if one.path else ""
            yield f"  {WORDS[one.severity]} {one.who}: {path}{one.why}"


def _verdict(findings: list[ContractFinding]) -> str:
    broken = {one.who for one in findings if one.severity is Severity.BREAKS}
    losing = {one.who for one in findings if one.severity is Severity.LOSES} - broken
    if broken:
        return f"Breaks: {', '.join(sorted(broken))}."
    return f"Loses something: {', '.join(sorted(losing))}." if losing else "Nobody breaks, nobody loses anything."


def status_of(findings: Iterable[ContractFinding]) -> int:
    """Return the status that the command ends with: 0, 1 if somebody loses, 2 if somebody breaks."""
    return max((int(one.severity) for one in findings), default=0)


# Derived contracts, kept in `.local/` for as long as no file changes that it was derived from.

FILE: Final = "contracts.json"

OTHERS: Final = ("events/**/*.json", "functions/**/*.sql", "contracts/*.json", "requirements/*.txt")
"""Files of a project that are read, not imported."""

LISTED: Final = ("functions/**/*.py", "tests/services/**/*.py", "tests/views/**/*.py")
"""Files of a project that are looked for: one more may change what is derived."""


def kept() -> Derived | None:
    """Return the derived contracts; None: nothing was, or a file is different."""
    file = project().local / FILE
    if not file.is_file():
        return None
    whole: JsonObject = json.loads(file.read_text())
    if whole["names"] != _names() or whole["files"] != _digests(map(Path, whole["files"])):
        return None
    return _derived_in(whole)


def keep(found: Derived) -> None:
    """Keep what was derived, with the digests of all files that this process read for it."""
    files = [*_modules(), *(one for pattern in OTHERS for one in project().root.glob(pattern))]
    whole = {"names": _names(), "files": _digests(files), **_to_json(found)}
    project().local.mkdir(exist_ok=True)
    (project().local / FILE).write_text(json.dumps(whole))


def _modules() -> Iterator[Path]:
    """Yield the files of the modules of the project and of the library."""
    roots = (project().root, library_folder())
    files = (getattr(module, "__file__", None) for module in [*sys.modules.values()])
    for file in map(Path, filter(None, files)):
        if any(root in file.parents for root in roots) and ".venv" not in file.parts:
            yield file


def _digests(files: Iterable[Path]) -> dict[str, str]:
    found = sorted({str(file) for file in files if file.is_file()})
    return {file: hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in found}


def _names() -> list[str]:
    """Return the names of all files that might be read."""
    root = project().root
    return sorted(str(file.relative_to(root)) for pattern in (*OTHERS, *LISTED) for file in root.glob(pattern))


def _to_json(found: Derived) -> JsonObject:
    return {
        "state": json.loads(state.to_json(found.state)),
        "findings": [
            [int(one.severity), one.who, state.topic_text(one.topic), [*one.path], one.why] for one in found.findings
        ],
        "rules": [*found.blind.rules],
        "members": {state.topic_text(topic): [*map(text_of, paths)] for topic, paths in found.blind.members.items()},
        "runs": found.runs,
    }


def _derived_in(whole: JsonObject) -> Derived:
    members = {state.topic_in(topic): [*map(path_in, paths)] for topic, paths in whole["members"].items()}
    findings = [
        ContractFinding(Severity(severity), who, state.topic_in(topic), tuple(path), why)
        for severity, who, topic, path, why in whole["findings"]
    ]
    return Derived(state.from_json(json.dumps(whole["state"])), findings, Blind(whole["rules"], members), whole["runs"])
