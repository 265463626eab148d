"""Reports over MQTT, to a broker in the place of AWS IoT."""

from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from andon.tools.stack.processes import PATIENCE_S, eventually
from andon_gateway.brokers import Broker as Place
from andon_gateway.clock import MAX_AGE_MS, MAX_AHEAD_MS, Clock
from andon_gateway.mqtt_north import MARGIN_MS, MqttNorth
from andon_gateway.north import ByMqtt
from andon_gateway.provisioning import Refused
from andon_gateway.sender import Sender
from andon_gateway.states import Report
from andon_gateway.store import Store, Stored
from andon_gateway.testing.broker import HOST, Broker

NOW_MS: Final = 1_790_000_000_000
TOPIC: Final = "$aws/rules/Andon_factory/Andon/factory/Andon:gdl-1/states"


def north(broker: Broker, *, answer_s: float = PATIENCE_S) -> MqttNorth:
    settings = ByMqtt(Place(HOST, broker.port), TOPIC)
    return MqttNorth(settings, clock=Clock(is_trusted=True, wall=lambda: NOW_MS / 1000), answer_s=answer_s)


def test_while_it_gets_no_certificate_reports_wait_and_it_says_why(tmp_path: Path) -> None:
    fates: list[Exception | None] = [Refused("not registered"), Refused("not registered"), None]
    store = Store(tmp_path / "reports.db")
    store.add([("press", Report("ERROR", NOW_MS))])

    def prepare() -> None:
        if (fate := fates.pop(0)) is not None:
            raise fate

    with Broker() as broker:
        settings, clock = ByMqtt(Place(HOST, broker.port), TOPIC), Clock(is_trusted=True, wall=lambda: NOW_MS / 1000)
        way = MqttNorth(settings, clock=clock, prepare=prepare)
        sender = Sender(store, way, counts=Counter())
        seen = [(sender.step() > 0, sender.trouble, store.waiting) for _ in range(3)]
        way.close()

    assert seen == [(True, "not registered", 1), (True, "not registered", 1), (False, None, 0)]
    store.close()


def test_without_an_acknowledgement_a_report_stays_and_is_sent_again_over_a_new_connection(tmp_path: Path) -> None:
    fates = ["lose", "acknowledge another", "hang up", "acknowledge"]
    store = Store(tmp_path / "reports.db")
    store.add([("press", Report("ERROR", NOW_MS))])
    with Broker(lambda _: fates.pop(0)) as broker:
        way = north(broker, answer_s=2)
        sender = Sender(store, way, counts=Counter())
        waiting = []
        for _ in range(4):
            sender.step()
            waiting.append(store.waiting)
        way.close()

    assert waiting == [1, 1, 1, 0]
    assert len({one.content for one in broker.published}) == 1
    assert broker.connections == 4
    store.close()


def test_while_nothing_waits_it_stays_connected_and_says_when_it_cannot() -> None:
    with Broker() as broker:
        way = north(broker)
        assert [way.keep() for _ in range(3)] == [None] * 3
        assert broker.connections == 1
        broker.hang_up()
        assert eventually(lambda: way.keep() is not None)
        assert way.keep() is None
        assert broker.connections == 2
    assert eventually(lambda: "refused" in (way.keep() or ""))


@pytest.mark.parametrize(("late_ms", "is_refused"), [(MARGIN_MS, True), (MARGIN_MS + 1, False)])
def test_a_report_that_the_api_would_refuse_for_its_time_is_not_sent_with_others(
    late_ms: int, *, is_refused: bool
) -> None:
    times = [NOW_MS, NOW_MS - MAX_AGE_MS + late_ms, NOW_MS + MAX_AHEAD_MS]
    with Broker() as broker:
        way = north(broker)
        count, verdict = way.send([Stored(number, "press", at_ms, "ERROR", None) for number, at_ms in enumerate(times)])
        way.close()

    assert count == 3
    assert verdict.refused.keys() == ({1} if is_refused else set())
    assert verdict.done == (set() if is_refused else {0, 1, 2})
