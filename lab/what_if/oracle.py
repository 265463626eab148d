"""The oracle of `make what-if` about a lake and a change: the difference of the lake lived again by both trees."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from andon.project import library_folder
from andon.tools.what_if.report import DecidedRow, WhatIf
from andon.tools.what_if.trees import room
from lab.what_if import lived_again
from lab.what_if.changes import Change, Sample
from lab.what_if.lived_again import Decision, Key

REACHES_LAKE_MS: Final = 5 * 60_000
"""Decisions so shortly before the end may not be in the lake."""
LEFT_OUT: Final = frozenset({"pk", "sk", "digest", "fingerprint", "hops", "ttl"})
"""Members of a row that follow from the others, or from when it is written."""

MESSAGE: Final = "message-decided"
"""The rows that name what arrived first: of what arrives at one time, the lake does not say what that is."""

Decisions = Mapping[Key, Decision]


def decided_again(lines: Iterable[str], sample: Sample, change: Change) -> Decisions:
    """Return the decisions of the packages with a change about a lake's inputs."""
    with room() as folder, sample.packages(change) as functions:
        source, out = folder / "lines", folder / "decided"
        source.write_text("\n".join(lines))
        imports = os.pathsep.join((str(functions), str(library_folder().parent)))
        # The packages are changed again within a second, so that bytecode would be taken for that of other text.
        environment = {**os.environ, "PYTHONPATH": imports, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-P", lived_again.__file__, str(source), str(out)]
        subprocess.run(command, env=environment, check=True)
        found = (Decision(rule, (pk, sk), at_ms, row) for rule, (pk, sk), at_ms, row in json.loads(out.read_text()))
        return {one.key: one for one in found}


def until(decided: Decisions, end_ms: int) -> Decisions:
    """Return the decisions until a time."""
    return {key: one for key, one in decided.items() if one.decided_ms <= end_ms}


class Strays(NamedTuple):
    """The decisions of a rule that a lake has and the same rules do not decide about it, and the other way round."""

    missing: int
    extra: int


def strays_in(lines: Iterable[str], decided: Decisions, rule: str) -> Strays:
    """Compare a lake with what the rules that made it decide about it again."""
    recorded = lived_again.recorded_in(lines)
    reaches_ms = max(one.decided_ms for one in recorded.values()) - REACHES_LAKE_MS
    missing = [one for key, one in recorded.items() if one.rule == rule and key not in decided]
    extra = [key for key, one in decided.items() if one.rule == rule and key not in recorded]
    return Strays(len(missing), len([key for key in extra if decided[key].decided_ms <= reaches_ms]))


def misfits(report: WhatIf, before: Decisions, after: Decisions) -> list[str]:
    """Return in what the tool disagrees with what was decided again."""
    return [one for rule in report.rules for one in _misfits(report, rule.rule, before, after)]


def _misfits(report: WhatIf, name: str, before: Decisions, after: Decisions) -> Iterator[str]:
    [rule] = [one for one in report.rules if one.rule == name]
    earlier, later = ({key: one for key, one in decided.items() if one.rule == name} for decided in (before, after))
    changed = {key for key in earlier.keys() & later.keys() if _said(earlier[key].row) != _said(later[key].row)}
    yield from _of_rows(f"{name} added", rule.added, [later[key] for key in later.keys() - earlier.keys()])
    yield from _of_rows(f"{name} removed", rule.removed, [earlier[key] for key in earlier.keys() - later.keys()])
    seen = [one for one in rule.changed if _said(one.before.row) != _said(one.after.row)]
    yield from _of_rows(f"{name} before", [one.before for one in seen], [earlier[key] for key in changed])
    yield from _of_rows(f"{name} after", [one.after for one in seen], [later[key] for key in changed])
    if (rule.before, rule.after) != (len(earlier), len(later)):
        yield f"{name}: {rule.before} and {rule.after} decisions, again {len(earlier)} and {len(later)}"


def _of_rows(what: str, rows: Sequence[DecidedRow], decided: Iterable[Decision]) -> Iterator[str]:
    found = {(str(row.key[0][1]), str(row.key[1][1])): row for row in rows}
    wanted = {one.key: one for one in decided}
    for key in sorted(found.keys() | wanted.keys()):
        if key not in wanted:
            yield f"{what}: only the tool has {key}, {found[key].row}"
        elif key not in found:
            yield f"{what}: the tool has no {key}, {wanted[key].row}"
        elif (said := _said(found[key].row)) != (again := _said(wanted[key].row)):
            names = [name for name in sorted(said.keys() | again.keys()) if said.get(name) != again.get(name)]
            yield f"{what}: {key}: " + "; ".join(f"{name} {said.get(name)}, again {again.get(name)}" for name in names)


def _said(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a row that are compared; an event that was published again has another id."""
    said = {name: value for name, value in row.items() if name not in LEFT_OUT}
    triggers = said.pop("triggers", ())
    if said.get("discriminator") != MESSAGE:
        said["triggers"] = [(one["type"], one["timestamp"]) for one in triggers]
    return said
