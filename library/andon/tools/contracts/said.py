"""Members of released events against those of today: members that vanish, and other values. Pure."""

from collections.abc import Callable, Iterator, Mapping

from andon.events.topic import Topic
from andon.runtime.json_types import JsonObject
from andon.tools.contracts.diff import Change, SchemaChange
from andon.tools.contracts.members import Path, paths_in, values_at
from andon.tools.contracts.need import UNUSED, Need
from andon.tools.contracts.state import ContractState, TypeState, same
from andon.tools.contracts.values import kind_of
from andon.tools.contracts.verdict import ContractFinding, Severity, readers_of, severity_of

MadeAgain = Callable[[Topic, JsonObject], JsonObject | None]
"""A type and its event of the release -> the event that today's maker makes of the same row; None: of no row."""


def of_events(
    released: ContractState, today: ContractState, again: MadeAgain, *, are_told: bool = True
) -> Iterator[ContractFinding]:
    """Yield who loses what events say no more, or keeps another value.

    A member counts if it differs in the event that is made of the same row today, and in the sample of today: samples
    change, and so do rows. are_told: all stories were told as at the release; else what is not in them says nothing.
    """
    for topic, before in released.types.items():
        if (after := today.types.get(topic)) is None:
            continue
        for change in [*_of_samples(topic, before, after, again), *(_of_stories(before, after) if are_told else ())]:
            for who, need in _needs_of(change.path, topic, released, today):
                severity = _severity_of(need, change)
                if severity:
                    yield ContractFinding(
                        severity, who, topic, change.path, f"{change.words} by what is really published"
                    )


def _severity_of(need: Need, change: SchemaChange) -> Severity:
    if change.change is Change.VALUE:
        return Severity.LOSES if need.keeps else Severity.FINE
    return severity_of(need, change)


def _needs_of(path: Path, topic: Topic, released: ContractState, today: ContractState) -> list[tuple[str, Need]]:
    """Return the needs of consumers of a member, those of the release and those of today together."""
    found: dict[str, Need] = {}
    for state in (released, today):
        for who, needs in readers_of(topic, state):
            found[who] = found.get(who, UNUSED) | needs.get(path, UNUSED)
    return [*found.items()]


def _of_samples(topic: Topic, before: TypeState, after: TypeState, again: MadeAgain) -> list[SchemaChange]:
    found = dict[Path, SchemaChange]()
    for sample, event in before.events.items():
        of_today = [one for one in (again(topic, event), after.events.get(sample)) if one is not None]
        differing = [differences(event, one) for one in of_today]
        for path in differing[0] if differing else ():
            if all(path in others for others in differing):
                found.setdefault(path, differing[0][path])
    return [*found.values()]


def _of_stories(before: TypeState, after: TypeState) -> list[SchemaChange]:
    gone = before.live - after.live
    return [SchemaChange(path, Change.GONE) for path in sorted(gone) if path[:-1] not in gone]


def differences(before: JsonObject, after: JsonObject) -> dict[Path, SchemaChange]:
    """Return the members of an event that another one does not say, or says otherwise; rows and most tags aside."""
    old, new = _compared(before), _compared(after)
    found: dict[Path, SchemaChange] = {}
    for path in paths_in(old):
        if path[:-1] in found:
            continue
        if not values_at(new, path):
            found[path] = SchemaChange(path, Change.GONE)
        elif change := _other(path, values_at(old, path), values_at(new, path)):
            found[path] = change
    return found


def _other(path: Path, old: list[object], new: list[object]) -> SchemaChange | None:
    kinds = {kind_of(one) for one in new} - {kind_of(one) for one in old}
    if kinds:
        return SchemaChange(path, Change.KIND, min(kinds))
    if any(isinstance(one, dict | list) for one in old) or same(old, new):
        return None
    return SchemaChange(path, Change.VALUE, "something else")


def _compared(event: Mapping[str, object]) -> JsonObject:
    left_out = {"id", "type", "tags", "raw"}
    tags = event.get("tags")
    actor = tags.get("actor") if isinstance(tags, dict) else None
    return {**{name: value for name, value in event.items() if name not in left_out}, "tags": {"actor": actor}}
