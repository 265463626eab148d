"""Sources behind a broker: what is known of machines while connections come and go."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from andon.testing.certificates import Authority
from andon.tools.stack.processes import PATIENCE_S
from andon_gateway import mqtt
from andon_gateway.conditions import Value
from andon_gateway.config import parse
from andon_gateway.sparkplug_payload import Metric, decode
from andon_gateway.testing import reader
from andon_gateway.testing.broker import HOST, Broker
from andon_gateway.testing.reader import Reader
from andon_gateway.testing.sparkplug import INT32, payload

CONFIGURATION: Final = """
[andon]
url = "https://api.example"
token_file = "token"
[[source]]
name = "cell"
url = "%s"
%s
[[machine]]
id = "press"
source = "cell"
values = { value = "%s" }
states = [{ is = "NORMAL" }]
"""
JSON, OIL = 'kind = "mqtt"', "plant/press#/oil"
SPARKPLUG, PRESS_OIL = 'kind = "sparkplug"', "plant/line/press#oil"


@contextmanager
def reading(folder: Path, url: str, settings: str, tag: str) -> Iterator[Reader]:
    with reader.reading(parse(CONFIGURATION % (url, settings, tag), folder)) as read:
        yield read


def comes_to(read: Reader, value: Value) -> bool:
    """Return True as soon as the value is that."""
    return read.until(lambda: read.values == dict.fromkeys(read.values or {OIL: 0}, value))


def at(broker: Broker, scheme: str = "mqtt") -> str:
    return f"{scheme}://{HOST}:{broker.port}"


def test_values_are_known_while_there_is_a_broker_and_read_anew_when_it_is_back(tmp_path: Path) -> None:
    with Broker() as broker, reading(tmp_path, at(broker), JSON, OIL) as read:
        broker.say("plant/press", b'{"oil": 60}', is_retained=True)
        assert comes_to(read, 60)
        broker.say("plant/press", b'{"oil": 61}')
        assert comes_to(read, 61)
        broker.say("plant/press", b"{")
        assert comes_to(read, None)
        assert read.counts["malformed"] == 1
        assert read.source.is_up

        broker.hang_up()

        assert read.until(lambda: broker.connections == 2)
        assert comes_to(read, 60)
        assert read.until(lambda: read.source.trouble is None), read.source.trouble


def test_a_broker_that_stands_still_makes_all_unknown_within_two_keep_alives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt, "KEEP_ALIVE_S", 1)
    with Broker() as broker, reading(tmp_path, at(broker), JSON, OIL) as read:
        broker.say("plant/press", b'{"oil": 60}', is_retained=True)
        assert comes_to(read, 60)
        with broker.frozen():
            assert comes_to(read, None)
        assert comes_to(read, 60)


# paho leaves a socket whose handshake failed to the garbage collector.
@pytest.mark.filterwarnings("ignore:Exception ignored in. <ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning")
def test_a_password_goes_over_tls_to_a_broker_that_is_trusted(tmp_path: Path) -> None:
    authority = Authority.create(tmp_path)
    (tmp_path / "password").write_text("secret\n")
    secured = f'{JSON}\nca = "authority.pem"\nuser = "gateway"\npassword_file = "password"'
    with Broker(tls=authority.server(HOST), lets=lambda said: said.endswith(b"\0\7gateway\0\6secret")) as broker:
        with reading(tmp_path, at(broker, "mqtts"), secured, OIL) as read:
            assert read.until(lambda: "plant/press" in broker.subscribed)
        (tmp_path / "password").write_text("another")
        with reading(tmp_path, at(broker, "mqtts"), secured, OIL) as read:
            assert read.until(lambda: "Not authorized" in (read.source.trouble or ""))
        with reading(tmp_path, at(broker, "mqtts"), JSON, OIL) as read:
            assert read.until(lambda: "CERTIFICATE_VERIFY_FAILED" in (read.source.trouble or ""))


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    with Broker(refuses="plant/press") as broker, reading(tmp_path, at(broker), JSON, OIL) as read:
        assert read.until(lambda: "refused to subscribe to plant/press" in (read.source.trouble or ""))
        assert not read.source.is_up
        url = at(broker)
    with reading(tmp_path, url, JSON, OIL) as read:
        assert read.until(lambda: "refused" in (read.source.trouble or "") and read.counts["source_failures"] > 0)


def test_an_edge_node_is_asked_for_its_births_by_who_came_later_or_missed_something(tmp_path: Path) -> None:
    births = threading.Semaphore(0)

    def bear(_: object) -> str:
        births.release()
        return "acknowledge"

    with Broker(bear) as broker, reading(tmp_path, at(broker), SPARKPLUG, PRESS_OIL) as read:

        def is_born_with(value: int) -> None:
            assert births.acquire(timeout=PATIENCE_S)
            assert broker.published[-1].topic == "spBv1.0/plant/NCMD/line"
            assert [one.name for one in decode(broker.published[-1].content).metrics] == ["Node Control/Rebirth"]
            broker.say("spBv1.0/plant/NBIRTH/line", payload([Metric("bdSeq", datatype=4, value=1)], seq=0))
            oil = Metric("oil", alias=1, datatype=INT32, value=value)
            broker.say("spBv1.0/plant/DBIRTH/line/press", payload([oil], seq=1))
            assert comes_to(read, value)
            assert read.source.is_up

        assert read.until(lambda: read.source.trouble == "no birth of plant/line")
        is_born_with(-5)
        broker.say("spBv1.0/plant/DDATA/line/press", payload([Metric(alias=1, datatype=INT32, value=-6)], seq=2))
        assert comes_to(read, -6)

        broker.say("spBv1.0/plant/DDATA/line/press", payload([Metric(alias=1, datatype=INT32, value=-7)], seq=9))
        assert comes_to(read, None)
        is_born_with(-8)
        broker.say("spBv1.0/plant/DDATA/line/press", b"\xff")
        assert comes_to(read, None)
        assert read.counts["malformed"] == 1
        is_born_with(-9)
        broker.say("spBv1.0/plant/NDEATH/line", payload([Metric("bdSeq", datatype=4, value=1)]))
        assert comes_to(read, None)
        assert not read.source.is_up
