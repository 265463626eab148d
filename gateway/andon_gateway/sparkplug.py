"""The session of a Sparkplug edge node, as a host keeps it: births, numbered data, deaths -> values. Pure.

A value is known only while nothing can be missing: from a birth, through messages whose numbers follow one another. A
gap, data before its birth, a metric without a name or an alias of a birth: all values of the node are unknown, and it
is asked for its births. Topics are `spBv1.0/GROUP/KIND/NODE[/DEVICE]`; a value's tag is `GROUP/NODE[/DEVICE]#METRIC`.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Final, NamedTuple

from andon_gateway.changes import Change
from andon_gateway.conditions import Value
from andon_gateway.sparkplug_payload import Metric, Payload, typed

NAMESPACE: Final = "spBv1.0"
NUMBERS: Final = 256
ASK_AGAIN_MS: Final = 10_000
SESSION: Final = "bdSeq"
NEVER_BY_ALIAS: Final = frozenset({SESSION, "Node Control/Rebirth"})
NUMBERED: Final = frozenset({"NDATA", "DBIRTH", "DDATA", "DDEATH"})
IDS: Final = (2, 3)  # group and node, or group, node and device


class Origin(NamedTuple):
    """Sender of a message: an edge node, or one of its devices."""

    group: str
    node: str
    device: str | None = None

    @property
    def text(self) -> str:
        """The part of a tag before its #."""
        return "/".join(part for part in self if part is not None)

    @property
    def of_node(self) -> "Origin":
        """The edge node."""
        return self._replace(device=None)


class Known(NamedTuple):
    """A metric as its birth describes it."""

    name: str
    datatype: int | None


class OutOfStep(Exception):
    """Something is missing: the births are needed."""


def origin_of_tag(tag: str) -> Origin | None:
    """Return the origin of a tag's value; None: it is no tag of Sparkplug."""
    path, mark, metric = tag.partition("#")
    ids = path.split("/")
    return Origin(*ids) if mark and metric and len(ids) in IDS and all(ids) and "+" not in path else None


def read_topic(topic: str) -> tuple[str, Origin] | None:
    """Return the kind of a message, such as DDATA, and its sender; None: it is none of Sparkplug."""
    match topic.split("/"):
        case [namespace, group, kind, node] if namespace == NAMESPACE and kind.startswith("N"):
            return kind, Origin(group, node)
        case [namespace, group, kind, node, device] if namespace == NAMESPACE and kind.startswith("D"):
            return kind, Origin(group, node, device)
    return None


def topics_of(node: Origin) -> tuple[str, str]:
    """Return the filter of the messages of an edge node and its devices, and the topic of its commands."""
    return f"{NAMESPACE}/{node.group}/+/{node.node}/#", f"{NAMESPACE}/{node.group}/NCMD/{node.node}"


class EdgeNode:
    """State of an edge node; tags: those of its values that machines use."""

    def __init__(self, node: Origin, tags: Collection[str], counts: Counter[str]) -> None:
        """Know nothing: its births are needed."""
        self._node = node
        self._tags = frozenset(tags)
        self._counts = counts
        self._has_aliases = False
        self._seq: int | None = None
        self._session: Value = None
        self._asked_ms: int | None = None
        self._is_dead = False
        self._born: dict[Origin, Mapping[str | int, Known]] = {}

    @property
    def is_born(self) -> bool:
        """True while nothing can be missing."""
        return self._seq is not None

    def asks(self, now_ms: int) -> bool:
        """Return True if births are to be asked for now; that counts as done, and is due again after ten seconds."""
        is_recent = self._asked_ms is not None and 0 <= now_ms - self._asked_ms < ASK_AGAIN_MS
        if self.is_born or self._is_dead or is_recent:
            return False
        self._asked_ms = now_ms
        return True

    def lose(self) -> list[Change]:
        """Take no value for known any more."""
        self._seq, self._is_dead, self._has_aliases = None, False, False
        self._born.clear()
        return [Change(tag, None, None) for tag in sorted(self._tags)]

    def reset(self) -> list[Change]:
        """Begin anew: the connection was lost. It asks at once."""
        self._asked_ms = None
        return self.lose()

    def take(self, kind: str, origin: Origin, payload: Payload) -> list[Change]:
        """Return the changes that a message of this node makes, in its order."""
        try:
            if kind == "NBIRTH":
                return self._begin(payload)
            if kind == "NDEATH":
                return self._end(payload)
            return self._go_on(kind, origin, payload) if kind in NUMBERED else []
        except OutOfStep:
            return self.lose()

    def _go_on(self, kind: str, origin: Origin, payload: Payload) -> list[Change]:
        self._is_dead = False
        if self._seq is None or payload.seq != (self._seq + 1) % NUMBERS:
            raise OutOfStep
        self._seq = payload.seq
        if kind == "DBIRTH":
            return self._bear(origin, payload)
        if kind == "DDEATH":
            self._born.pop(origin, None)
            return self._all_of(origin, {}, payload.at_ms)
        return list(self._read(origin, payload))

    def _begin(self, payload: Payload) -> list[Change]:
        """Take the birth of a node; its devices have theirs behind it."""
        lost = self.lose()
        if payload.seq >= NUMBERS:
            raise OutOfStep
        self._seq, self._asked_ms = payload.seq, None
        self._session = _session(payload)
        others = [change._replace(source_ms=payload.at_ms) for change in lost if not _is_of(self._node, change.tag)]
        return others + self._bear(self._node, payload)

    def _end(self, payload: Payload) -> list[Change]:
        """Take the death of a session: not that of an earlier one, which the broker sends late."""
        session = _session(payload)
        is_certain = None not in {session, self._session}
        if is_certain and session != self._session:
            return []
        changes = self.lose()
        self._is_dead = is_certain
        return changes

    def _bear(self, origin: Origin, payload: Payload) -> list[Change]:
        """Take a birth: all that is so now, whenever it became so."""
        self._has_aliases |= any(metric.alias is not None for metric in payload.metrics)
        self._born[origin] = _described(payload, has_aliases=self._has_aliases)
        values = {change.tag: change.value for change in self._read(origin, payload)}
        return self._all_of(origin, values, payload.at_ms)

    def _all_of(self, origin: Origin, values: Mapping[str, Value], at_ms: int | None) -> list[Change]:
        """Return changes of all values of an origin; those that are left out are unknown."""
        return [Change(tag, values.get(tag), at_ms) for tag in sorted(self._tags) if _is_of(origin, tag)]

    def _read(self, origin: Origin, payload: Payload) -> Iterator[Change]:
        """Yield the values that machines use; a historical one is not the present."""
        known = self._born.get(origin)
        if known is None:
            raise OutOfStep
        for metric in payload.metrics:
            found = self._known(metric, known)
            tag = f"{origin.text}#{found.name}" if found else ""
            if found and tag in self._tags and not metric.is_historical:
                value = typed(metric.value, metric.datatype or found.datatype) if metric.is_good else None
                yield Change(tag, value, payload.at_ms if metric.at_ms is None else metric.at_ms)

    def _known(self, metric: Metric, known: Mapping[str | int, Known]) -> Known | None:
        """Return a metric as the birth describes it; None: it names none such."""
        if metric.name is not None:
            return known.get(metric.name)
        alias = 0 if metric.alias is None and self._has_aliases else metric.alias
        if alias is None or alias not in known:
            self._counts["metrics_unknown"] += 1
            raise OutOfStep
        return known[alias]


def _described(payload: Payload, *, has_aliases: bool) -> Mapping[str | int, Known]:
    """Return the metrics of a birth by names and aliases; of one alone that has none, the alias is 0."""
    known: dict[str | int, Known] = {}
    without: list[Known] = []
    for metric in payload.metrics:
        if metric.name is not None:
            one = known[metric.name] = Known(metric.name, metric.datatype)
            if metric.alias is not None:
                known[metric.alias] = one
            elif metric.name not in NEVER_BY_ALIAS:
                without.append(one)
    if has_aliases and len(without) == 1:
        known.setdefault(0, without[0])
    return known


def _is_of(origin: Origin, tag: str) -> bool:
    return tag.startswith(f"{origin.text}#")


def _session(payload: Payload) -> Value:
    return next((metric.value for metric in payload.metrics if metric.name == SESSION), None)
