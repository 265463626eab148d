"""A source -> conditions -> store -> HTTPS or MQTT -> the API or AWS IoT -> fact -> view, with the real handlers."""

import io
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from wsgiref.simple_server import WSGIRequestHandler, make_server

from andon.ingress.names import basic_ingest, rule_of, thing_of, topic_of, without_rule
from andon.packages.package import Package
from andon.testing.certificates import Authority
from andon.testing.gateway import Environ, HttpGateway, StartResponse
from andon.testing.lambda_events import rule_message, sqs_event
from andon.testing.loop import Loop
from andon.tools.stack.processes import eventually
from andon_gateway.config import parse
from andon_gateway.gateway import Gateway
from andon_gateway.testing.broker import HOST, Broker
from andon_gateway.testing.lines_press import configured
from services.equipment.things import GATEWAY
from tests.support.samples import sample

THING: Final = thing_of("Andon", "gdl-1")
TOPIC: Final = basic_ingest(rule_of("Andon", GATEWAY), topic_of("Andon", GATEWAY, THING))
EQUIPMENT: Final = Package("services", "equipment")
CONFIGURATION: Final = """
[andon]
via = "mqtt"
endpoint = "127.0.0.1"
port = %d
thing = "Andon:gdl-1"
ca = "authority.pem"
certificate = "127.0.0.1 1.pem"
key = "127.0.0.1 1.pem"
clock_is_right = true
health_port = 0
[[source]]
name = "line"
kind = "lines"
run = ["echo", '{"values": {"Oil": 81}}']
[[machine]]
id = "press"
source = "line"
values = { oil = "Oil" }
states = [{ is = "WARNING1", when = "oil > 80", detail = "oil at {oil} °C" }, { is = "NORMAL" }]
"""


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def answered(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
    """Answer with the handlers; wsgiref leaves it to an application to stop at the end of a body."""
    content = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    return HttpGateway()({**environ, "wsgi.input": io.BytesIO(content)}, start_response)


@contextmanager
def api(application: Callable[[Environ, StartResponse], Iterable[bytes]] = answered) -> Iterator[str]:
    """The API of the project, as AWS would serve it."""
    served = make_server(HOST, 0, application, handler_class=_Quiet)
    thread = threading.Thread(target=served.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://{HOST}:{served.server_port}"
    finally:
        served.shutdown()
        thread.join()
        served.server_close()


def test_what_a_machine_says_is_on_the_board_of_the_project(tmp_path: Path) -> None:
    with Loop() as loop, api() as url:
        gateway = Gateway(parse(configured(tmp_path, url), tmp_path))
        gateway.start()
        arrived = eventually(lambda: gateway.look().counts.get("sent") == 3)
        health = gateway.look()
        gateway.stop()
        loop.run()
        logs = loop.request("GET /equipment/{id}/logs", path={"id": "plant-press"}).body["items"]

    assert arrived, health
    assert [(log["state"], log.get("detail")) for log in reversed(logs)] == [
        ("NORMAL", None),
        ("WARNING1", "oil at 81 °C"),
        ("NORMAL", None),
    ]
    assert health.is_well
    assert (health.waiting, health.refused, health.states) == (0, 0, {"plant-press": "NORMAL"})


def test_a_gateway_reports_by_its_certificate_to_the_topic_of_its_factory_and_the_report_is_on_the_board(
    tmp_path: Path,
) -> None:
    authority = Authority.create(tmp_path)
    tls = authority.server(HOST)
    tls.verify_mode = ssl.CERT_REQUIRED
    tls.load_verify_locations(authority.bundle)
    with Broker(tls=tls, lets=lambda said: said.endswith(b"\0\x0bAndon:gdl-1")) as broker:
        gateway = Gateway(parse(CONFIGURATION % broker.port, tmp_path))
        gateway.start()
        has_gone = eventually(lambda: gateway.look().counts.get("sent") == 1)
        health = gateway.look()
        gateway.stop()

    assert has_gone, health
    [sent] = broker.published
    assert sent.topic == TOPIC
    with Loop() as loop:
        body = json.loads(sample("http", "register-equipment")["body"]) | {"factoryId": "gdl-1"}
        loop.request("PUT /equipment/{id}", path={"id": "press"}, body=body)
        loop.run()
        at_ms = time.time_ns() // 1_000_000
        message = rule_message(sent.content, topic=without_rule(sent.topic), client=THING, at_ms=at_ms)
        assert loop.invoke(EQUIPMENT, "ingest", sqs_event([message])) == {"batchItemFailures": []}
        loop.run()
        [log] = loop.request("GET /equipment/{id}/logs", path={"id": "press"}).body["items"]
    assert (log["state"], log["detail"]) == ("WARNING1", "oil at 81 °C")
