"""A gateway with all sources, among hostile values and on a full disk: it goes on, and no state is lost.

HOSTILE_VALUES says how many values; by default few.
"""

import asyncio
import json
import os
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, Final, Self

import pytest
from asyncua import Server, ua

from andon.testing.gateway import Environ, StartResponse
from andon.testing.loop import Loop
from andon.tools.stack import emulator
from andon_gateway import engine as engines
from andon_gateway import store as stores
from andon_gateway.config import parse
from andon_gateway.gateway import Gateway
from andon_gateway.protobuf import Malformed, integer, member
from andon_gateway.sparkplug_payload import Metric, decode
from andon_gateway.testing.broker import HOST, Broker
from andon_gateway.testing.sparkplug import BOOLEAN, BY_TAHU, STRING, payload
from tests.gateway.test_board import answered, api

VALUES: Final = int(os.environ.get("HOSTILE_VALUES", "320"))
WITHIN_S: Final = 60.0
AT_ONCE: Final = 40  # a server of OPC UA keeps a hundred between two publishes

SOURCES: Final = """
[andon]
url = "%(url)s"
token_file = "token"
clock_is_right = true
[[source]]
name = "lines"
kind = "lines"
run = ["cat", "%(pipe)s"]
[[source]]
name = "mqtt"
kind = "mqtt"
url = "%(broker)s"
[[source]]
name = "sparkplug"
kind = "sparkplug"
url = "%(broker)s"
[[source]]
name = "opcua"
kind = "opcua"
url = "%(server)s"
security = "None"
publish = "10ms"
"""
MACHINE: Final = """
[[machine]]
id = "%(source)s-%(who)s"
source = "%(source)s"
values = { n = "%(n)s", text = "%(text)s" }
states = [{ is = "ERROR", when = "%(when)s", detail = "{text}" }, { is = "NORMAL", detail = "{text}" }]
"""
TAGS: Final = {  # of the number and the text of a machine
    "lines": ("%s-n", "%s-text"),
    "mqtt": ("plant/%s#/n", "plant/%s#/text"),
    "sparkplug": ("plant/%s#n", "plant/%s#text"),
    "opcua": ("nsu=urn:hostile;s=%s-n", "nsu=urn:hostile;s=%s-text"),
}
MACHINES: Final = {"hostile": "n > 0", "neighbour": "n > 0", "garbage": "n > 0 and n < 0"}
"""Machines of each source, and when they are in ERROR; from the last comes what nobody understands, never an ERROR."""
TURNED: Final = [f"{source}-{who}" for source in TAGS for who in ("hostile", "neighbour")]

UNSEEN: Final = "\0\a\x1b\x85\xad\u200b\u200e\u202e\u2066\ufeff\ue000\ufffe\U0010ffff \t\n"
SEEN: Final = "oil at 81 °C é\u0301\u0301 ö 漢 🤷"


class Hostile:
    """Values that nobody wants, from a seed."""

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)  # noqa: S311  values are no secret

    def value(self) -> object:
        """Any value of JSON; bytes stand for a text of a PLC in Latin-1, filled up with NUL."""
        odd: tuple[object, ...] = (None, True, 1e308, float("nan"), float("inf"), 10**400, -1, [], {"a": [1]}, "81.5")
        latin_1 = bytes(self._chance.choices([*b"HYD LOW", *range(0xA0, 0x100)], k=20)) + bytes(3)
        return self._chance.choice([self._chance.choice(odd), self.text(), latin_1])

    def text(self) -> str:
        """Any text, now and then a long one."""
        size = self._chance.choice((0, 1, 5, 30, 3000))
        return "".join(self._chance.choices(UNSEEN + SEEN + "\ud800\udfff\udcf6", k=size))

    def json(self) -> bytes:
        """JSON, or nearly."""
        rest = self._chance.randbytes(self._chance.choice((0, 1, 9, 60))).replace(b"\n", b"")
        return self._chance.choice([b"{" + rest, rest, b"[" * 100_000, said({"n": self.value()})])

    def payload(self) -> bytes:
        """A payload of Sparkplug, or nearly."""
        cut = BY_TAHU[: self._chance.randrange(len(BY_TAHU))]
        return self._chance.choice([cut, cut + self._chance.randbytes(9), self._chance.randbytes(20), b""])


def said(members: dict[str, Any]) -> bytes:
    """Return JSON in which bytes are a text as it is."""
    texts: list[bytes] = []

    def mark(text: bytes) -> str:
        texts.append(text.replace(b"\0", b"\\u0000"))
        return "BYTES"

    found = json.dumps(members, default=mark).encode()
    return found.replace(b"BYTES", texts[0]) if texts else found


class OpcuaServer:
    """A server of OPC UA in a thread of its own, with variables that begin with a value, and have its type."""

    def __init__(self, first: Mapping[str, int | str]) -> None:
        self.url = f"opc.tcp://{HOST}:{emulator.free_port()}"
        self._first = first
        self._is_ready, self._loop = threading.Event(), asyncio.new_event_loop()
        self._ends = asyncio.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._is_ready.wait(WITHIN_S)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._ends.set)
        self._thread.join()
        self._loop.close()

    def set(self, name: str, value: int | str) -> None:
        """Set a variable."""
        found = ua.DataValue(ua.Variant(value), SourceTimestamp=datetime.now(UTC))
        space = self._server.iserver.aspace
        writing = space.write_attribute_value(self._ids[name], ua.AttributeIds.Value, found)
        asyncio.run_coroutine_threadsafe(writing, self._loop).result(WITHIN_S).check()

    async def _serve(self) -> None:
        self._server = Server()
        await self._server.init()
        self._server.set_endpoint(self.url)
        self._server.set_security_policy([ua.SecurityPolicyType.NoSecurity])
        index = await self._server.register_namespace("urn:hostile")
        self._ids = {name: ua.NodeId(name, index) for name in self._first}
        for name, id_ in self._ids.items():
            await self._server.nodes.objects.add_variable(id_, name, self._first[name])
        async with self._server:
            self._is_ready.set()
            await self._ends.wait()


class Plant:
    """Machines that say a number, which turns their state, and a text; by each kind of source."""

    def __init__(self, pipe: Path, broker: Broker, server: OpcuaServer) -> None:
        self._lines, self._broker, self._server = pipe.open("wb", buffering=0), broker, server
        self._sent: Counter[str] = Counter()
        self.malformed = 0

    def turn(self, who: str, n: int, value: object) -> None:
        """Say a number and a text by all sources."""
        as_bytes = value if isinstance(value, bytes) else str(value).encode(errors="surrogatepass")
        self._lines.write(said({"values": {f"{who}-n": n, f"{who}-text": value}}) + b"\n")
        self._broker.say(f"plant/{who}", said({"n": n, "text": value}))
        kind = "NDATA" if self._sent[who] else "NBIRTH"
        metrics = payload([Metric("n", datatype=BOOLEAN, value=bool(n))])
        metrics += member(2, member(1, b"text") + integer(4, STRING) + member(15, as_bytes))
        self._broker.say(f"spBv1.0/plant/{kind}/{who}", metrics + integer(3, self._sent[who] % 256))
        self._sent[who] += 1
        # asyncua sends bytes that are no UTF-8 as it reads them.
        self._server.set(f"{who}-text", as_bytes.decode(errors="surrogateescape"))
        self._server.set(f"{who}-n", n)

    def garble(self, hostile: Hostile) -> None:
        """Say what nobody understands."""
        content, sparkplug = hostile.json(), hostile.payload()
        self._lines.write(content + b"\n")
        self._broker.say("plant/garbage", content)
        self._broker.say("spBv1.0/plant/NBIRTH/garbage", sparkplug)
        self._broker.say("spBv1.0/plant/DDATA/garbage/\udcff", sparkplug)  # a topic that is no UTF-8
        self._server.set("garbage-n", "81.5")
        self.malformed += 1
        self.malformed += is_refused(json_of, content) + is_refused(values_of, content) + is_refused(decode, sparkplug)

    def end(self) -> None:
        """End what waits for more."""
        self._lines.close()


def json_of(content: bytes) -> Any:  # noqa: ANN401
    return json.loads(content.decode(json.detect_encoding(content), "replace"))


def values_of(content: bytes) -> object:
    return json_of(content)["values"].items()


def is_refused(read: Callable[[bytes], object], content: bytes) -> bool:
    try:
        read(content)
    except (ValueError, RecursionError, TypeError, LookupError, AttributeError, Malformed):
        return True
    return False


@contextmanager
def gated() -> Iterator[tuple[str, threading.Event]]:
    """The API, which answers no report before its gate is open."""
    is_open = threading.Event()

    def application(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] == "POST":
            is_open.wait(WITHIN_S)
        return answered(environ, start_response)

    with api(application) as url:
        try:
            yield url, is_open
        finally:
            is_open.set()


def eventually(holds: Callable[[], bool]) -> bool:
    ends_s = time.monotonic() + WITHIN_S
    while not holds():
        if time.monotonic() > ends_s:
            return False
        time.sleep(0.01)
    return True


def configuration(**places: object) -> str:
    machines = [
        MACHINE % {"source": source, "who": who, "when": when, "n": n % who, "text": text % who}
        for source, (n, text) in TAGS.items()
        for who, when in MACHINES.items()
    ]
    return SOURCES % places + "".join(machines)


def test_no_value_and_no_full_disk_ends_a_gateway_or_costs_a_neighbour_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "OPENING", stores.OPENING + "PRAGMA max_page_count = 12;")
    monkeypatch.setattr(engines, "IDLE_S", 0.1)
    turns, hostile = range(VALUES // (2 * len(TAGS))), Hostile(1)
    pipe = tmp_path / "lines"
    os.mkfifo(pipe)
    (tmp_path / "token").write_text("an admin's")
    first: dict[str, int | str] = {f"{who}-text": "" for who in MACHINES} | {f"{who}-n": 0 for who in MACHINES}
    with Loop() as loop, gated() as (url, gate), Broker() as broker, OpcuaServer(first | {"garbage-n": ""}) as server:
        places = {"url": url, "pipe": pipe, "broker": f"mqtt://{HOST}:{broker.port}", "server": server.url}
        gateway = Gateway(parse(configuration(**places), tmp_path))

        def comes_to(name: str, least: int) -> bool:
            return eventually(lambda: gateway.look().counts.get(name, 0) >= least)

        gateway.start()
        plant = Plant(pipe, broker, server)
        went_on = [
            eventually(lambda: len(broker.subscribed) == 6 and gateway.look().states["opcua-neighbour"] is not None)
        ]
        for begin in range(0, len(turns), AT_ONCE):
            for turn in turns[begin : begin + AT_ONCE]:
                plant.turn("hostile", turn % 2, hostile.value())
                plant.turn("neighbour", turn % 2, "as ever")
                plant.garble(hostile)
            went_on.append(comes_to("full", 1))  # the disk is full of reports that nobody takes, until the gate opens
            gate.set()
            went_on.append(comes_to("reported", len(TURNED) * (turn + 1)))
        went_on.append(eventually(lambda: gateway.look().counts["sent"] == gateway.look().counts["reported"]))
        health = gateway.look()
        plant.end()
        gateway.stop()
        facts = [json.loads(body)["detail"]["state"] for body in loop.new_messages()]

    said_of: defaultdict[str, list[str]] = defaultdict(list)
    for fact in facts:
        said_of[fact["equipmentId"]].append(fact["state"])
    expected = ["ERROR" if turn % 2 else "NORMAL" for turn in turns]
    assert all(went_on), (went_on, health)
    assert {name: said_of[name] for name in TURNED} == dict.fromkeys(TURNED, expected)
    assert health.counts["reported"] == len(facts)
    assert health.counts["malformed"] == plant.malformed
    assert (health.waiting, health.refused, health.counts.get("left_out", 0)) == (0, 0, 0)
    assert health.counts["wrong_kinds"] > 0
    assert "n of opcua-garbage is a text where a number is expected" in health.troubles["opcua"]
