"""A trace as a tree of text, a line for each fact and one for its readers. Pure."""

from collections.abc import Callable, Iterator
from typing import Final

from andon.events.actor import actor_of
from andon.runtime import times
from andon.tools.trace.facts import Node, TracedFact
from andon.tools.trace.gathering import Trace
from andon.tools.trace.readers import FactReader, Has

_ReadersOf = Callable[[TracedFact], tuple[FactReader, ...]]

LEGEND: Final = "─ caused by an id   ┄ ≈ by its subject   ↶ earlier than its cause: clocks differ   ✗ not in the lake"


def lines_of(trace: Trace, readers_of: _ReadersOf) -> Iterator[str]:
    """Return the lines of a trace."""
    began_ms = _first_ms(trace.tree)
    yield from _node(trace.tree, readers_of, began_ms, above=None, lead="", mark="")
    yield ""
    unreadable = f", {trace.unreadable} lines are no facts" if trace.unreadable else ""
    yield f"{trace.tree.size} facts, looked for from {trace.first} to {trace.last}{unreadable}"
    yield LEGEND


def is_backwards(fact: TracedFact, above: TracedFact | None) -> bool:
    """Return True if a fact came to the bus, or says that it happened, before its cause."""
    if above is None:
        return False
    return fact.taken_ms < above.taken_ms or fact.event.timestamp_ms < above.event.timestamp_ms


def _node(
    node: Node, readers_of: _ReadersOf, began_ms: int, *, above: TracedFact | None, lead: str, mark: str
) -> Iterator[str]:
    yield f"{lead}{mark}{_words(node, began_ms, above)}"
    inner = lead if not mark else lead + ("   " if mark.startswith("└") else "│  ")
    bar = "│" if node.children else " "
    if node.fact is not None and (readers := readers_of(node.fact)):
        yield f"{inner}{bar}    read by {', '.join(map(_reader, readers))}"
    for cause in node.others:
        where = "✗ not in the lake" if cause in node.missing else "of another branch or trace"
        yield f"{inner}{bar}    also caused by {cause.type or 'an event'} {cause.id}, {where}"
    for number, child in enumerate(node.children, 1):
        corner = "└" if number == len(node.children) else "├"
        line = "┄ ≈ " if child.by_subject else "─ "
        yield from _node(child, readers_of, began_ms, above=node.fact, lead=inner, mark=f"{corner}{line}")


def _words(node: Node, began_ms: int, above: TracedFact | None) -> str:
    fact = node.fact
    if fact is None:
        cause = node.cause
        return f"✗ {cause.type or 'an event'} {cause.id}, not in the lake" if cause else "✗ not in the lake"
    event = fact.event
    after = "" if above is None and fact.taken_ms == began_ms else f" +{(fact.taken_ms - began_ms) / 1000:.3f} s"
    marks = [
        "↶" if is_backwards(fact, above) else "",
        f"{fact.times} times on the bus" if fact.times > 1 else "",
        "names what followed from it" if node.in_circle else "",
    ]
    said = "".join(f" ({one})" for one in marks if one)
    who = f"{event.type} of {fact.source} about {event.partition_key}, by {actor_of(event)}"
    return f"{who}, {times.to_utc(event.timestamp_ms)}{after}{said}  {event.id}"


def _reader(reader: FactReader) -> str:
    if reader.has is Has.UNKNOWN:
        return reader.name
    by = f" by {reader.by}" if reader.by else ""
    pushed = ", on its screens" if reader.pushes and reader.has in {Has.SEEN, Has.OVERTAKEN} else ""
    return f"{reader.name} ({reader.has}{by}{pushed})"


def _first_ms(node: Node) -> int:
    own = [node.fact.taken_ms] if node.fact else []
    return min([*own, *map(_first_ms, node.children)])
