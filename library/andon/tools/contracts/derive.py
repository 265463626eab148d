"""The contracts of today beside those of the release: what they are, who breaks, what nobody could be asked about."""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from andon.events.fault import TYPE as FAULT
from andon.events.topic import ANY, Topic
from andon.packages.discovery import services
from andon.runtime.json_types import JsonObject
from andon.testing.samples import is_of_old, paths, read, type_of
from andon.tools.contracts import interview, publishers, verdict
from andon.tools.contracts.consumers import ANY_TOPIC, Consumer
from andon.tools.contracts.diff import Change, Misfit, SchemaChange, changes, is_break, misfits
from andon.tools.contracts.members import Path, paths_in, values_at
from andon.tools.contracts.need import UNUSED, ConsumerRefusal, Need, kind_of, run_of
from andon.tools.contracts.observe import Observed
from andon.tools.contracts.page import Blind
from andon.tools.contracts.publishers import entities_in
from andon.tools.contracts.state import ContractState, TypeState, same
from andon.tools.contracts.stories import rule_name
from andon.tools.contracts.verdict import ContractFinding, Severity, readers_of, severity_of

# Trials: consumers of today on the events of today and of the release, and publishers against their own types.


def _of_publishers(today: Observed) -> Iterator[ContractFinding]:
    """Yield who publishes what its type does not say, or what has no type."""
    for topic, why in today.without_schema.items():
        yield ContractFinding(Severity.BREAKS, topic[0], topic, (), f"has no type: {why}")
    for unmade in today.unmade:
        topic = unmade.source, unmade.sample.partition(".")[0]
        why = f"is not made of events/stream/{unmade.sample}.json any more: {unmade.why}"
        yield ContractFinding(Severity.BREAKS, unmade.source, topic, (), why)
    for made in (*today.made, *today.live):
        if one := today.state.types.get(made.topic):
            for misfit in _misfits(made.event, one):
                yield ContractFinding(Severity.BREAKS, made.topic[0], made.topic, misfit.path, misfit.why)


def _misfits(event: JsonObject, one: TypeState) -> list[Misfit]:
    whole = {"type": "object", "properties": {one.entity: one.schema}, "required": [one.entity]}
    return misfits(entities_in(event), whole)


def of_consumers(today: Observed, released: ContractState) -> Iterator[ContractFinding]:
    """Yield who fails at an event of today, of the release, or of before."""
    tried = [*_events_of(today, released)]
    for consumer in today.consumers:
        for topic, event, of in tried:
            reads = consumer.reads_of(topic)
            result = run_of(reads)(event) if reads else None
            if isinstance(result, ConsumerRefusal):
                yield ContractFinding(Severity.BREAKS, consumer.name, topic, (), f"fails at {of}: {result.error}")


def _events_of(today: Observed, released: ContractState) -> Iterator[tuple[Topic, JsonObject, str]]:
    yield from ((one.topic, one.event, f"events/domain/{one.sample}.json") for one in today.made)
    yield from ((one.topic, one.event, "what is published in a story") for one in today.live)
    for topic, one in released.types.items():
        yield from ((topic, event, f"the released {sample}") for sample, event in one.events.items())
        for version, events in one.older.items():
            yield from ((topic, event, f"{sample} of version {version}") for sample, event in events.items())
    for path in filter(is_of_old, paths("domain")):
        event = read(path)
        yield (event["tags"]["source"], type_of(path)), event, f"events/domain/{path.name}"


def _of_subscriptions(today: Observed) -> Iterator[ContractFinding]:
    """Yield who subscribes to what nobody publishes, or asks the lake for it."""
    for who, topics in _subscribed(today.consumers):
        for topic in sorted(topics - today.declared - {ANY_TOPIC}):
            yield ContractFinding(Severity.BREAKS, who, topic, (), "is published by nobody")
    for question in interview.questions():
        for path in interview.unknown_to(question, today.state.types):
            yield ContractFinding(Severity.BREAKS, question.name, (ANY, ANY), path, "is published by nobody")


def _subscribed(consumers: list[Consumer]) -> Iterator[tuple[str, set[Topic]]]:
    yield from ((one.name, {*one.reads}) for one in consumers)
    for package in services():
        if package.has("control"):
            rules = package.load("control").CONTROL.rules
            yield from ((f"{package.name}.rule-{rule.id}", {*rule.on}) for rule in rules.all)


def of_stories(today: Observed, released: ContractState) -> Iterator[ContractFinding]:
    """Yield the stories that cannot be told, and who fails in one and did not at the release."""
    for story, why in today.failures.items():
        yield ContractFinding(Severity.BREAKS, story, (ANY, FAULT), (), f"cannot be told: {why}")
    for who in sorted(today.state.faults - released.faults):
        yield ContractFinding(Severity.BREAKS, who, (ANY, FAULT), (), "fails in a story, as it did not at the release")


# Members of released events against those of today: members that vanish, and other values. Pure.

_MadeAgain = Callable[[Topic, JsonObject], JsonObject | None]
"""A type and its event of the release -> the event that today's maker makes of the same row; None: of no row."""


def of_events(
    released: ContractState, today: ContractState, again: _MadeAgain, *, are_told: bool = True
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


def _of_samples(topic: Topic, before: TypeState, after: TypeState, again: _MadeAgain) -> list[SchemaChange]:
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


class Derived(NamedTuple):
    """Contracts that follow from a project's code, its samples and its release. runs: how often consumers were run."""

    state: ContractState
    findings: list[ContractFinding]
    blind: Blind
    runs: int


def derived(today: Observed, released: ContractState | None) -> Derived:
    """Return the contracts of a project as it is observed; released: None if nothing was yet."""
    state = versioned(today.state, released or ContractState({}, {}))
    return Derived(state, findings(today, released), _blind_of(today), today.runs)


def findings(today: Observed, released: ContractState | None) -> list[ContractFinding]:
    """Return the verdict; without a release, of today alone."""
    of_release = released or today.state
    are_told = not today.failures and today.state.faults <= of_release.faults
    return verdict.each_once(
        chain(
            verdict.of_schemas(of_release, today.state),
            of_events(of_release, today.state, publishers.made_again, are_told=are_told),
            verdict.of_types(today.state),
            verdict.of_rows(of_release, today.state, publishers.may_lack()),
            verdict.of_images(today.state),
            _of_publishers(today),
            _of_subscriptions(today),
            of_consumers(today, of_release),
            of_stories(today, of_release),
        )
    )


def versioned(today: ContractState, released: ContractState) -> ContractState:
    """Return a state with the versions of its types: one more than that of the release where readers may break."""
    return today._replace(
        types={topic: _versioned(one, released.types.get(topic)) for topic, one in today.types.items()}
    )


def _versioned(one: TypeState, before: TypeState | None) -> TypeState:
    if before is None:
        return one
    if not any(map(is_break, changes(before.members, one.members))):
        return one._replace(version=before.version, older=before.older)
    older = {**before.older, f"{before.version}": before.events}
    return one._replace(version=before.version + 1, older=older)


def news(today: ContractState, released: ContractState) -> Iterator[tuple[Topic, list[SchemaChange] | None]]:
    """Yield each type that is not as it was released, with what is different; None: it is new, or is no more."""
    for topic in sorted({*today.types, *released.types}):
        one, before = today.types.get(topic), released.types.get(topic)
        if one is None or before is None:
            yield topic, None
        elif found := changes(before.members, one.members):
            yield topic, found


def _blind_of(today: Observed) -> Blind:
    """Return the members that no sample and no story shows."""
    deciding = [package.load("control").CONTROL for package in services() if package.has("control")]
    rules = {rule_name(control, rule) for control in deciding for rule in control.rules.all}
    return Blind(sorted(rules - today.asked), today.unseen)
