"""Trials: consumers of today on the events of today and of the release, and publishers against their own types."""

from collections.abc import Iterator

from andon.events.fault import TYPE as FAULT
from andon.events.topic import ANY, Topic
from andon.packages.discovery import services
from andon.runtime.json_types import JsonObject
from andon.testing.samples import is_of_old, paths, read, type_of
from andon.tools.contracts import queries
from andon.tools.contracts.consumers import EVERY, Consumer
from andon.tools.contracts.fit import Misfit, misfits
from andon.tools.contracts.need import ConsumerRefusal, run_of
from andon.tools.contracts.observe import Observed
from andon.tools.contracts.publishers import entities_in
from andon.tools.contracts.state import ContractState, TypeState
from andon.tools.contracts.verdict import ContractFinding, Severity


def of_publishers(today: Observed) -> Iterator[ContractFinding]:
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


def of_subscriptions(today: Observed) -> Iterator[ContractFinding]:
    """Yield who subscribes to what nobody publishes, or asks the lake for it."""
    for who, topics in _subscribed(today.consumers):
        for topic in sorted(topics - today.declared - {EVERY}):
            yield ContractFinding(Severity.BREAKS, who, topic, (), "is published by nobody")
    for question in queries.questions():
        for path in queries.unknown_to(question, today.state.types):
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
