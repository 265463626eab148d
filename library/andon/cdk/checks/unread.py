"""Refuse packages to which something is missing that they need to read events. Pure."""

from typing import Final

from andon.events.actor import with_actor
from andon.events.domain_event import DomainEvent
from andon.events.topic import Topic
from andon.packages.discovery import readers
from andon.packages.package import Package
from andon.runtime.tried import Failed, tried
from andon.testing.samples import is_of_old, paths, read, topic_of

NO_LISTENER: Final = (
    "service {name} has rules, but no listener that stores events for them, so that they would never decide. Write "
    "functions/services/{name}/subscriptions.py, with ON = {{(source, type): what is stored of it}}, see "
    "`andon.rules.collect.Collected`; own facts are stored as `remembers` of CONTROL in control.py says."
)
NOT_STORED: Final = (
    "service {name}: rule {rule} is on {type} of {source}, which nobody stores there, so that it would never decide. "
    "Add {topic} to {where}."
)
NOT_LIFTED: Final = (
    "{folder} subscribes to {type} of {source}, whose old shapes {other} lifts and it does not: each event of before "
    "that comes again would be a fault. Add UPCASTERS = {{{topic}: (…,)}} to functions/{file}, with the steps of "
    "functions/{example}."
)
NOT_READ: Final = (
    "{folder} cannot read events/domain/{sample}, an old shape of {type} of {source}: each such event that comes again "
    "would be a fault. Add UPCASTERS = {{{topic}: (…,)}} to functions/{file}; a step takes an event's entities, and "
    "returns them in the shape of today."
)


def refuse_idle_rules(service: Package) -> None:
    """Refuse rules on events that their service does not store.

    Raises:
        ValueError: there is such a rule; with what to write where.

    """
    if not service.has("control"):
        return
    control = service.load("control").CONTROL
    remembered = {(control.rules.source, event_type) for event_type in control.remembers}
    if not service.plays("listener") and not remembered:
        raise ValueError(NO_LISTENER.format(name=service.name))
    for rule in control.rules.all:
        for topic in sorted(rule.on - service.subscriptions - remembered):
            source, event_type = topic
            room = f"functions/services/{service.name}"
            is_own = source == control.rules.source
            where = f"`remembers` of CONTROL in {room}/control.py" if is_own else f"ON in {room}/subscriptions.py"
            named = repr(event_type) if is_own else _text(topic)
            raise ValueError(
                NOT_STORED.format(
                    name=service.name, rule=rule.id, type=event_type, source=source, topic=named, where=where
                )
            )


def refuse_unlifted(reader: Package) -> None:
    """Refuse a subscription whose old shapes another reader lifts, and this one does not; or nobody, as a sample shows.

    Raises:
        ValueError: there is one; with what to write where.

    """
    _refuse_unlifted_here(reader)
    _refuse_unread(reader)


def _refuse_unlifted_here(reader: Package) -> None:
    for other in readers():
        for topic in sorted(reader.subscriptions & other.upcasters.keys() - reader.upcasters.keys()):
            source, event_type = topic
            raise ValueError(
                NOT_LIFTED.format(
                    folder=reader.folder,
                    type=event_type,
                    source=source,
                    other=other.folder,
                    topic=_text(topic),
                    file=f"{reader.path(reader.reads_in)}.py",
                    example=f"{other.path(other.reads_in)}.py",
                )
            )


def _refuse_unread(reader: Package) -> None:
    for path in filter(is_of_old, paths("domain")):
        topic, event = topic_of(path), DomainEvent.from_wire(read(path))
        if topic not in reader.subscriptions or topic in reader.upcasters:
            continue
        is_read = not isinstance(tried(reader.load(reader.reads_in).ON[topic], with_actor(event)), Failed)
        if not is_read:
            source, event_type = topic
            raise ValueError(
                NOT_READ.format(
                    folder=reader.folder,
                    sample=path.name,
                    type=event_type,
                    source=source,
                    topic=_text(topic),
                    file=f"{reader.path(reader.reads_in)}.py",
                )
            )


def _text(topic: Topic) -> str:
    source, event_type = topic
    return f'("{source}", "{event_type}")'
