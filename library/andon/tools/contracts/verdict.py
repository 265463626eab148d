"""The verdict on types and needs: who breaks, who loses something or keeps other values, by name. Pure."""

from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import NamedTuple

from andon.events.topic import Topic
from andon.tools.contracts.diff import Change, SchemaChange, changes
from andon.tools.contracts.members import Member, Path
from andon.tools.contracts.need import ANOTHER_TEXT, FRACTION, UNUSED, LostMember, Need, Needs, literal, literals_of
from andon.tools.contracts.state import ContractState


class Severity(IntEnum):
    """The severity of a finding, which is the status that the command ends with."""

    FINE = 0
    LOSES = 1
    BREAKS = 2


class ContractFinding(NamedTuple):
    """A finding. who: a consumer, or the service that publishes. path: of the member; empty: the event as a whole."""

    severity: Severity
    who: str
    topic: Topic
    path: Path
    why: str


def severity_of(need: Need, change: SchemaChange, now: Need | None = None) -> Severity:
    """Return the effect of a change on a consumer with a need.

    now: its need of today, which knows the listed values that are new. One that keeps what a member says keeps another
    thing if that is of another kind. A listed value more matters to who refuses it.
    """
    match change.change:
        case Change.GONE | Change.OPTIONAL:
            return {
                LostMember.REQUIRED: Severity.BREAKS,
                LostMember.LOST: Severity.LOSES,
                LostMember.UNUSED: Severity.FINE,
            }[need.gone]
        case Change.KIND:
            if change.value in need.refuses:
                return Severity.BREAKS
            return Severity.LOSES if need.keeps else Severity.FINE
        case Change.VALUE:
            refuses = need.refuses if now is None else now.refuses
            tried = {change.value} if now is not None else {change.value, ANOTHER_TEXT}
            return Severity.FINE if refuses.isdisjoint(tried) else Severity.BREAKS
    return Severity.FINE


def of_schemas(released: ContractState, today: ContractState) -> Iterator[ContractFinding]:
    """Yield what the types of today do to the consumers of the release."""
    for topic, before in released.types.items():
        after = today.types.get(topic)
        if after is None:
            for who, _ in readers_of(topic, released):
                yield ContractFinding(Severity.LOSES, who, topic, (), "nobody publishes it any more")
            continue
        for change in changes(before.members, after.members):
            for who, needs in readers_of(topic, released):
                now = today.consumers.get(who, {}).get(topic, {}).get(change.path)
                severity = severity_of(needs.get(change.path, UNUSED), change, now)
                if severity:
                    yield ContractFinding(
                        severity, who, topic, change.path, f"{change.words} by its type{_of_then(now)}"
                    )


def _of_then(now: Need | None) -> str:
    return "; what is released needs it, what stands here does not: release that first" if now is None else ""


def of_types(today: ContractState) -> Iterator[ContractFinding]:
    """Yield who requires what may be missing, or refuses what may be said, by the types of today."""
    for who, of in today.consumers.items():
        for topic, needs in of.items():
            members = today.types[topic].members
            for path, need in needs.items():
                for why in _missed(need, members[path]) if path in members else ():
                    yield ContractFinding(Severity.BREAKS, who, topic, path, why)


def _missed(need: Need, member: Member) -> Iterator[str]:
    if need.gone is LostMember.REQUIRED and member.is_optional:
        yield "is required, and may be missing by its type"
    listed = {literal(one) for one in literals_of(member.schema)}
    for value in sorted(need.refuses & listed):
        yield f"is refused where it says {value}, which its type lists"
    if FRACTION in need.refuses and member.schema == {"type": "number"}:
        yield "is refused where it says a fraction, which its type lets through"


def of_rows(
    released: ContractState, today: ContractState, may_lack: Mapping[Topic, frozenset[str]]
) -> Iterator[ContractFinding]:
    """Yield the members that rows of before lack, so that no fact could be made of them; may_lack: see `publishers`."""
    for topic in sorted(may_lack.keys() & released.types.keys() & today.types.keys()):
        before, after = released.types[topic].members, today.types[topic].members
        for path in (one.path for one in changes(before, after) if one.change is Change.NEW):
            if (
                len(path) == len(("entity", "member"))
                and not after[path].is_optional
                and path[-1] not in may_lack[topic]
            ):
                why = "is new, and rows of before lack it: declare it as NotRequired, or with Gained(…)"
                yield ContractFinding(Severity.BREAKS, topic[0], topic, path, why)


def of_images(today: ContractState) -> Iterator[ContractFinding]:
    """Yield who reads the image of a row that another service owns."""
    for who, of in today.consumers.items():
        for topic, needs in of.items():
            if package_of(who) != topic[0]:
                for path in [path for path in needs if path == ("raw",)]:
                    yield ContractFinding(
                        Severity.BREAKS, who, topic, path, f"is the image of a row, which is {topic[0]}'s own"
                    )


def package_of(consumer: str) -> str:
    """Return the package of a consumer, as `things` of `things.listener`; `query` of all saved queries."""
    return consumer.partition(".")[0]


def readers_of(topic: Topic, state: ContractState) -> list[tuple[str, Needs]]:
    """Return the consumers that need something of a type."""
    return [(who, of[topic]) for who, of in state.consumers.items() if topic in of]


def each_once(findings: Iterator[ContractFinding]) -> list[ContractFinding]:
    """Return the gravest finding about each consumer and member, in the order of topics; the first of several."""
    found: dict[tuple[str, Topic, Path], ContractFinding] = {}
    for one in findings:
        about = one.who, one.topic, one.path
        if about not in found or found[about].severity < one.severity:
            found[about] = one
    return sorted(found.values(), key=lambda one: (one.topic, one.path, -one.severity, one.who))
