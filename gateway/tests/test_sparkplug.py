"""Sessions of edge nodes: a made-up one sends over a network that loses, and asks what the gateway takes for known."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon_gateway.changes import Change
from andon_gateway.conditions import Value
from andon_gateway.sparkplug import ASK_AGAIN_MS, EdgeNode, Origin, origin_of_tag, read_topic, topics_of
from andon_gateway.sparkplug_payload import Metric, Payload, decode
from andon_gateway.testing.sparkplug import payload

NODE: Final = Origin("plant", "line-3")
PRESS, SAW = NODE._replace(device="press"), NODE._replace(device="saw")
ALIASES: Final = {"mode": 1, "oil": 2}
INT8: Final = 1
TAGS: Final = frozenset(f"{origin.text}#{name}" for origin in (NODE, PRESS, SAW) for name in ALIASES)


class Sent(NamedTuple):
    """A message, and what was true when it was sent; truth: value by tag."""

    kind: str
    origin: Origin
    payload: Payload
    truth: Mapping[str, Value]


class Machine:
    """An edge node with two devices. Its numbers go on over births: none may be lost so that the next one fits."""

    def __init__(self, seq: int) -> None:
        self._seq, self._session = seq, 0
        self._truth: dict[str, Value] = {}
        self.is_alive = False

    def bear(self, *devices: Origin) -> list[Sent]:
        """Be born, with some devices."""
        self.is_alive = True
        self._truth = {}
        sent = [self._birth("NBIRTH", NODE)]
        return sent + [self._birth("DBIRTH", device) for device in devices]

    def die(self) -> list[Sent]:
        """End the session; the next one has another number."""
        self.is_alive = False
        self._truth = {}
        self._session += 1
        payload = Payload(None, 0, (Metric("bdSeq", datatype=4, value=self._session - 1),))
        return [Sent("NDEATH", NODE, payload, {})]

    def do(self, action: str, origin: Origin, value: int, *, by_alias: bool) -> list[Sent]:
        """Do something, if it can be done now."""
        is_born = f"{origin.text}#oil" in self._truth
        match action:
            case "die" if self.is_alive:
                return self.die()
            case "rebirth":
                return self.bear(PRESS) if self.is_alive else self.bear(PRESS, SAW)
            case "device" if self.is_alive and origin.device:
                return [self._birth("DBIRTH", origin)]
            case "device dies" if is_born and origin.device:
                self._truth = {tag: one for tag, one in self._truth.items() if not tag.startswith(f"{origin.text}#")}
                return [self._numbered("DDEATH", origin, ())]
            case "data" if is_born:
                self._truth[f"{origin.text}#oil"] = value
                metric = Metric(None if by_alias else "oil", ALIASES["oil"] if by_alias else None, value=value & 0xFF)
                return [self._numbered("DDATA" if origin.device else "NDATA", origin, [metric])]
            case _:
                return []

    def _birth(self, kind: str, origin: Origin) -> Sent:
        self._truth |= {f"{origin.text}#{name}": alias for name, alias in ALIASES.items()}
        metrics = [Metric(name, alias, datatype=INT8, value=alias) for name, alias in ALIASES.items()]
        return self._numbered(kind, origin, [*metrics, Metric("bdSeq", datatype=4, value=self._session)])

    def _numbered(self, kind: str, origin: Origin, metrics: Iterable[Metric]) -> Sent:
        sent = Sent(kind, origin, Payload(None, self._seq, tuple(metrics)), dict(self._truth))
        self._seq = (self._seq + 1) % 256
        return sent


def taken(host: EdgeNode, known: dict[str, Value], sent: Sent) -> None:
    for change in host.take(sent.kind, sent.origin, sent.payload):
        known[change.tag] = change.value


actions = st.tuples(
    st.sampled_from(["data"] * 8 + ["die", "rebirth", "rebirth", "device", "device dies"]),
    st.sampled_from([NODE, PRESS, SAW]),
    st.integers(-128, 127),
    st.booleans(),
    st.sampled_from(["arrives"] * 8 + ["is lost", "comes twice", "comes late"]),
)


@settings(max_examples=300)
@given(st.integers(0, 255), st.lists(actions, max_size=50))
def test_what_is_known_is_true_whatever_was_lost_and_after_new_births_all_is_known(
    seq: int, steps: list[tuple[str, Origin, int, bool, str]]
) -> None:
    machine, host = Machine(seq), EdgeNode(NODE, TAGS, Counter())
    known: dict[str, Value] = {}
    late: list[Sent] = []
    for action, origin, value, by_alias, fate in steps:
        for sent in machine.do(action, origin, value, by_alias=by_alias):
            # A broker sends a death late: after the births of the next session. Everything else keeps its order.
            if fate == "comes late" and sent.kind == "NDEATH":
                late.append(sent)
            elif fate != "is lost":
                for _ in range(2 if fate == "comes twice" else 1):
                    taken(host, known, sent)
                    assert {
                        tag: value for tag, value in known.items() if value is not None
                    }.items() <= sent.truth.items()

    for sent in [*machine.bear(PRESS, SAW), *late]:
        taken(host, known, sent)
    assert host.is_born
    assert known == {tag: ALIASES[tag.partition("#")[2]] for tag in TAGS}


def born(seq: int = 0, counts: Counter[str] | None = None) -> EdgeNode:
    """Return a host that knows a node and its press."""
    host = EdgeNode(NODE, TAGS, Counter() if counts is None else counts)
    for sent in Machine(seq).bear(PRESS):
        taken(host, {}, sent)
    return host


def data(*metrics: Metric, seq: int = 2, at_ms: int | None = None) -> Payload:
    return Payload(at_ms, seq, metrics)


@pytest.mark.parametrize(
    ("kind", "origin", "payload"),
    [
        ("NDATA", NODE, data(seq=3)),
        ("NDATA", NODE, data(seq=1)),
        ("NDATA", NODE, data(seq=0)),
        ("NDATA", NODE, data(Metric(alias=77, value=1))),
        ("NDATA", NODE, data(Metric(value=1))),
        ("DDATA", SAW, data(Metric("oil", value=1))),
        ("NBIRTH", NODE, Payload(None, 256, ())),
        ("NDEATH", NODE, data()),
    ],
)
def test_what_does_not_follow_makes_all_unknown_and_asks_for_births(
    kind: str, origin: Origin, payload: Payload
) -> None:
    host = born()
    assert not host.asks(0)

    changes = host.take(kind, origin, payload)

    assert changes == [Change(tag, None, None) for tag in sorted(TAGS)]
    assert [host.asks(ms) for ms in (5, 6, ASK_AGAIN_MS, ASK_AGAIN_MS + 5)] == [True, False, False, True]


def sent_by_proto3(kind: str, *metrics: Metric, seq: int | None) -> tuple[str, Origin, Payload]:
    """A message of the press as an encoder of proto3 writes it: what is 0 or empty is not there."""
    return kind, PRESS if kind.startswith("D") else NODE, decode(payload(metrics, seq=seq or None))


def born_by_proto3(seq: int, *aliases: int) -> tuple[EdgeNode, Counter[str]]:
    """Return a host that knows a node whose birth had a number, and its press, with aliases for oil, mode and so on."""
    counts = Counter[str]()
    host = EdgeNode(NODE, TAGS, counts)
    host.take(*sent_by_proto3("NBIRTH", Metric("bdSeq", datatype=4, value=1), seq=seq))
    named = zip(("oil", "mode", "colour"), aliases, strict=False)
    metrics = [Metric(name, alias or None, datatype=INT8, value=alias) for name, alias in named]
    assert host.take(*sent_by_proto3("DBIRTH", *metrics, seq=(seq + 1) % 256)), counts
    return host, counts


@pytest.mark.parametrize("seq", [0, 253, 254, 255])
def test_a_number_that_is_not_there_is_0(seq: int) -> None:
    host, _ = born_by_proto3(seq, 0, 1)

    for number in range(seq + 2, seq + 5):
        host.take(*sent_by_proto3("DDATA", Metric("oil", datatype=INT8, value=7), seq=number % 256))

    assert host.is_born


def test_an_alias_that_is_not_there_is_0_and_a_name_that_is_empty_is_none() -> None:
    host, counts = born_by_proto3(0, 0, 1)
    oil, mode = "plant/line-3/press#oil", "plant/line-3/press#mode"

    found = host.take(
        *sent_by_proto3("DDATA", Metric(datatype=INT8, value=7), Metric("", 1, datatype=INT8, value=8), seq=2)
    )

    assert found == [Change(oil, 7, None), Change(mode, 8, None)]
    assert not counts


@pytest.mark.parametrize(
    ("aliases", "metric"),
    [
        ((0, 0), Metric(datatype=INT8, value=7)),  # no aliases are in use
        ((0, 0, 1), Metric(datatype=INT8, value=7)),  # of two that could be 0, nobody knows which
        ((1, 2), Metric(datatype=INT8, value=7)),
        ((0, 1), Metric("", 3, datatype=INT8, value=7)),
    ],
)
def test_a_metric_with_neither_a_name_nor_a_known_alias_is_counted_and_the_node_out_of_step(
    aliases: tuple[int, ...], metric: Metric
) -> None:
    host, counts = born_by_proto3(0, *aliases)

    host.take(*sent_by_proto3("DDATA", metric, seq=2))

    assert not host.is_born
    assert counts == {"metrics_unknown": 1}


def test_a_node_that_joined_earlier_is_asked_and_one_that_died_is_not() -> None:
    assert EdgeNode(NODE, TAGS, Counter()).asks(0)

    host = born()
    host.take("NDEATH", NODE, Payload(None, 0, (Metric("bdSeq", datatype=4, value=0),)))
    assert not host.asks(0)

    host.reset()
    assert host.asks(0)


def test_the_birth_of_a_node_ends_those_of_its_devices() -> None:
    host = born()
    host.take("NBIRTH", NODE, Payload(None, 0, ()))

    host.take("DDATA", PRESS, data(Metric("oil", value=1), seq=1))

    assert not host.is_born


def test_data_keep_their_times_and_no_value_hides_another() -> None:
    metrics = (
        Metric("oil", at_ms=10, value=1),
        Metric("mode", at_ms=10, value=2),
        Metric("oil", at_ms=10, value=3),
        Metric("oil", at_ms=20, value=250),
        Metric("oil", at_ms=5, is_historical=True, value=9),
        Metric("mode", is_good=False, value=4),
        Metric("colour", value=5),
    )

    changes = born().take("DDATA", PRESS, data(*metrics, at_ms=30))

    oil, mode = "plant/line-3/press#oil", "plant/line-3/press#mode"
    assert changes == [
        Change(oil, 1, 10),
        Change(mode, 2, 10),
        Change(oil, 3, 10),
        Change(oil, -6, 20),
        Change(mode, None, 30),
    ]


def test_a_tag_names_a_node_or_a_device_and_a_metric() -> None:
    tags = ["g/n#a/b#c", "g/n/d#m", "g#m", "g/n/d/e#m", "g/n", "g//d#m", "g/+#m", "g/n#"]

    assert [origin_of_tag(tag) for tag in tags] == [Origin("g", "n"), Origin("g", "n", "d"), *[None] * 6]


def test_a_topic_says_what_came_from_whom() -> None:
    topics = ["spBv1.0/g/NDATA/n", "spBv1.0/g/DDATA/n/d", "spBv1.0/STATE/h", "spBv1.0/g/NDATA/n/d", "g/n"]

    assert [read_topic(topic) for topic in topics] == [
        ("NDATA", Origin("g", "n")),
        ("DDATA", Origin("g", "n", "d")),
        *[None] * 3,
    ]
    assert topics_of(NODE) == ("spBv1.0/plant/+/line-3/#", "spBv1.0/plant/NCMD/line-3")
