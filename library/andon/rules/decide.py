"""A history -> the rows that a rule decides upon it. Pure."""

from andon.dynamodb.attribute_values import Item
from andon.events.hops import hops_after
from andon.rules.rule import RULE, Decision, DecisionAttributes, History, Rule


def decide(rule: Rule, history: History) -> list[Item]:
    """Return the rows that a rule decides upon a history.

    Raises:
        ValueError: the key of a decision depends on the id of an event, so that another order of arrival would decide
            twice. That a key contains such an id proves nothing: whoever publishes an event chooses its id.

    """
    decisions = [*rule.expression(history)]
    if any(_contains_trigger(decision) for decision in decisions):
        otherwise = rule.expression(_under_other_ids(history))
        if [decision.key for decision in decisions] != [decision.key for decision in otherwise]:
            raise ValueError(f"rule {rule.id}: the key of a decision names the rule and its subject, never a trigger")
    return [row_of(rule, decision) for decision in decisions]


def row_of(rule: Rule, decision: Decision) -> Item:
    """Return the row of a decision: its own attributes and `DecisionAttributes`."""
    attributes: DecisionAttributes = {
        "by": RULE,
        "rule": rule.id,
        "triggers": [
            {"id": event.id, "type": event.type, "timestamp": event.timestamp_ms} for event in decision.triggers
        ],
        "hops": hops_after(*decision.triggers),
    }
    return {**decision.row, **decision.key, **attributes}


def _contains_trigger(decision: Decision) -> bool:
    key = " ".join(map(str, decision.key.values()))
    return any(event.id in key for event in decision.triggers)


def _under_other_ids(history: History) -> History:
    """Return the same history, of events that have other ids."""
    ids = {event_id: f"event {number}" for number, event_id in enumerate(history.arrived_ms)}
    return history._replace(
        anchor=history.anchor._replace(id=ids[history.anchor.id]),
        events=tuple(event._replace(id=ids[event.id]) for event in history.events),
        before=history.before and history.before._replace(id=ids[history.before.id]),
        arrived_ms={ids[event_id]: arrived_ms for event_id, arrived_ms in history.arrived_ms.items()},
    )
