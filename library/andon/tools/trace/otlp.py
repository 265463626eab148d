"""A trace as OTLP/JSON, which any collector and most viewers read. Pure.

https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding: ids are hex, nanoseconds are texts. The id of the
trace is that of its first fact, an id of a span the first half of its fact's: a stream gives 32 hexadecimal digits,
and the digest of any other id stands for it.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

from andon.events.actor import actor_of
from andon.runtime.json_types import JsonObject
from andon.tools.trace.facts import Identity, Node, TracedFact
from andon.tools.trace.gathering import Trace
from andon.tools.trace.text import is_backwards

_OF_STREAM: Final = re.compile("[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # AWS, and the emulator
NO_ID: Final = re.compile("0+")  # the specification forbids it

TRACE_DIGITS, SPAN_DIGITS = 32, 16
_NS_OF_MS: Final = 1_000_000

# https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
_PRODUCER: Final = 4


class _Placed(NamedTuple):
    node: Node
    fact: TracedFact
    above: Node | None


def to_otlp(trace: Trace) -> JsonObject:
    """Return the spans of a trace, by the service that published each fact; a span ends when the bus took its fact."""
    placed = [*_placed(trace.tree, None)]
    trace_id, spans = _trace_id(trace.tree), _span_ids(placed)
    by_source: dict[str, list[JsonObject]] = defaultdict(list)
    for one in placed:
        by_source[one.fact.source].append(_span(one, trace_id, spans))
    return {"resourceSpans": [_of_resource(source, found) for source, found in sorted(by_source.items())]}


def _placed(node: Node, above: Node | None) -> Iterator[_Placed]:
    if node.fact is not None:
        yield _Placed(node, node.fact, above)
    for child in node.children:
        yield from _placed(child, node)


def _of_resource(source: str, spans: list[JsonObject]) -> JsonObject:
    return {
        "resource": {"attributes": [_attribute("service.name", source)]},
        "scopeSpans": [{"scope": {"name": "andon"}, "spans": spans}],
    }


def _span(placed: _Placed, trace_id: str, spans: dict[Identity, str]) -> JsonObject:
    node, fact, above = placed
    event, ended_ms = fact.event, max(fact.taken_ms, fact.event.timestamp_ms)
    said = {"andon.event.id": event.id, "andon.subject": event.partition_key, "andon.actor": actor_of(event)}
    clocks_differ = is_backwards(fact, above.fact if above else None) or ended_ms != fact.taken_ms
    marks = {"andon.by_subject": node.by_subject, "andon.clocks_differ": clocks_differ}
    others = {cause.id for cause in node.others}
    links = [{"traceId": trace_id, "spanId": spans[one]} for one in sorted(spans) if one[1] in others]
    span: JsonObject = {
        "traceId": trace_id,
        "spanId": spans[node.identity],
        "name": event.type,
        "kind": _PRODUCER,
        "startTimeUnixNano": str(event.timestamp_ms * _NS_OF_MS),
        "endTimeUnixNano": str(ended_ms * _NS_OF_MS),
        "attributes": [
            *(_attribute(name, text) for name, text in said.items()),
            *(_attribute(name, is_so) for name, is_so in marks.items()),
        ],
    }
    if above is not None and above.fact is not None:
        span["parentSpanId"] = spans[above.identity]
    return {**span, "links": links} if links else span


def _trace_id(root: Node) -> str:
    _, id_ = root.identity
    return _digits(id_) if _is_of_stream(id_) else _digest(*root.identity)[:TRACE_DIGITS]


def _span_ids(placed: list[_Placed]) -> dict[Identity, str]:
    """Return the ids of spans: the first half of an id, if no other fact of the trace begins so; else a digest."""
    identities = [one.node.identity for one in placed]
    halves = Counter(_digits(id_)[:SPAN_DIGITS] for _, id_ in identities)
    return {identity: _span_id(identity, halves) for identity in identities}


def _span_id(identity: Identity, halves: Counter[str]) -> str:
    half = _digits(identity[1])[:SPAN_DIGITS]
    is_own = _is_of_stream(identity[1]) and halves[half] == 1 and not NO_ID.fullmatch(half)
    return half if is_own else _digest(*identity)[:SPAN_DIGITS]


def _is_of_stream(id_: str) -> bool:
    return _OF_STREAM.fullmatch(id_) is not None and NO_ID.fullmatch(_digits(id_)) is None


def _digits(id_: str) -> str:
    return id_.replace("-", "")


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode(errors="surrogatepass")).hexdigest()


def _attribute(key: str, value: str | bool) -> JsonObject:  # noqa: FBT001  a value, no switch
    of_type = {"boolValue": value} if isinstance(value, bool) else {"stringValue": value}
    return {"key": key, "value": of_type}
