"""Actors: the tag `actor` of every domain event. Pure.

| what happened                                | actor                                        |
|----------------------------------------------|----------------------------------------------|
| somebody called a command                    | the token's subject, as the row keeps it     |
| a machine published about itself, no row     | its id, the partition key                    |
| a rule decided                               | `rule:<id>`                                  |
| the TTL service removed a row                | `ttl`                                        |
| a consumer gave a message up (`fault`)       | the consumer, such as `<view>.listener`      |
| a view found drift in its rows               | the function, such as `<view>.recompute`     |
| nobody can say any more                      | `unknown`                                    |

It is read off the row, never off the invocation: a change is the same event, however often it is delivered.
An event of before has no such tag; `with_actor` derives it, where the event goes through `upcast`.
"""

from typing import Final

from andon.events.domain_event import DomainEvent

ACTOR: Final = "actor"

TTL: Final = "ttl"
UNKNOWN: Final = "unknown"

_AUTHORS: Final = ("changedBy", "reportedBy", "acknowledgedBy")
"""The names under which rows, and some entities, keep the subject that wrote them."""

_RULE: Final = "rule:"
_FAULT: Final = "fault"  # `fault.TYPE`; that module imports this one

COMMAND: Final = ".command"
"""The end of the pipeline's name of a stream-first event: it was published without a row."""


def of_rule(rule_id: str) -> str:
    """Return the actor of a rule's decision."""
    return f"{_RULE}{rule_id}"


def rule_of(event: DomainEvent) -> str | None:
    """Return the rule that decided an event's fact; None: nobody, or a person."""
    actor = actor_of(event)
    return actor.removeprefix(_RULE) if actor.startswith(_RULE) else None


def author_in(row: object) -> str:
    """Return the author of a row: the rule that decided it, or its author; UNKNOWN if there is no row, or no author."""
    return _author_in(row) or UNKNOWN


def actor_of(event: DomainEvent) -> str:
    """Return the actor of an event: its tag, or else its author. It never raises.

    Without the tag it is the author in `raw.new`, else in an entity; else the partition key of a fault, which is its
    consumer, and of a stream-first event, which a machine publishes about itself; else UNKNOWN. What somebody did about
    a thing was not done by that thing, so that no other partition key is an actor.
    """
    tagged = event.tags.get(ACTOR)
    return tagged if isinstance(tagged, str) and tagged else _derived(event)


def with_actor(event: DomainEvent) -> DomainEvent:
    """Return an event that has the tag: itself, if it has one."""
    actor = actor_of(event)
    return event if event.tags.get(ACTOR) == actor else event._replace(tags={**event.tags, ACTOR: actor})


def _derived(event: DomainEvent) -> str:
    for said in (event.new_row, *event.entities.values()):
        if author := _author_in(said):
            return author
    return event.partition_key or UNKNOWN if _is_by_its_partition(event) else UNKNOWN


def _is_by_its_partition(event: DomainEvent) -> bool:
    # An event with `raw` was published because of a row, and that names its author or nobody.
    is_without_row = event.raw is None and str(event.tags.get("pipeline")).endswith(COMMAND)
    return is_without_row or event.type == _FAULT


def _author_in(said: object) -> str | None:
    """Return the author of a row or an entity; others may have written anything there."""
    if not isinstance(said, dict):
        return None
    # `andon.rules.rule.DecisionAttributes`; a row also has an author, which is "rule" for all of them.
    if said.get("by") == "rule" and isinstance(rule := said.get("rule"), str) and rule:
        return of_rule(rule)
    for name in _AUTHORS:
        if isinstance(author := said.get(name), str) and author:
            return author
    return None
