"""Derived contracts, kept in `.local/` for as long as no file changes that it was derived from."""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from andon.project import library_folder, project
from andon.runtime.json_types import JsonObject
from andon.tools.contracts import state
from andon.tools.contracts.derive import Derived
from andon.tools.contracts.members import path_in, text_of
from andon.tools.contracts.page import Blind
from andon.tools.contracts.verdict import ContractFinding, Severity

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
