"""A source -> conditions -> store -> HTTPS -> `POST /states` -> fact -> view, with the real handlers."""

import io
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from andon.testing.gateway import Environ, HttpGateway, StartResponse
from andon.testing.loop import Loop
from andon.tools.stack.processes import eventually
from andon_gateway import cli
from andon_gateway.config import parse
from andon_gateway.gateway import Gateway as PlantGateway
from andon_gateway.health import server

HOST = "127.0.0.1"

PLC = """
import json, signal, time
for oil in (60, 81, 78, 74):
    print(json.dumps({"timestamp": int(time.time() * 1000), "values": {"Oil": oil, "Stop": False}}), flush=True)
    time.sleep(0.02)
signal.pause()
"""
CONFIGURATION = """
[andon]
url = "%(url)s"
token_file = "token"
health_port = 0
[[source]]
name = "line"
kind = "lines"
run = ["%(python)s", "plc.py"]
[[machine]]
id = "plant-press"
source = "line"
values = { oil = "Oil", stop = "Stop" }
states = [
  { is = "ERROR", when = "stop" },
  { is = "WARNING1", when = "oil > 80", until = "oil < 75", detail = "oil at {oil:.0f} °C" },
  { is = "NORMAL" },
]
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


def configured(folder: Path, url: str) -> str:
    (folder / "token").write_text("an admin's")
    (folder / "plc.py").write_text(PLC)
    text = CONFIGURATION % {"url": url, "python": sys.executable}
    return text.replace('"plc.py"', f'"{folder / "plc.py"}"')


def test_what_a_machine_says_is_on_the_board_of_the_project(tmp_path: Path) -> None:
    with Loop() as loop, api() as url:
        gateway = PlantGateway(parse(configured(tmp_path, url), tmp_path))
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


def test_health_says_well_only_while_values_come_and_leave(tmp_path: Path) -> None:
    gateway = PlantGateway(parse(configured(tmp_path, "http://127.0.0.1:9"), tmp_path))
    gateway.start()
    web = server(gateway.look, 0)
    thread = threading.Thread(target=web.serve_forever, args=(0.02,))
    thread.start()
    base = f"http://{HOST}:{web.server_address[1]}"

    try:
        urllib.request.urlopen(f"{base}/healthz")  # noqa: S310  our own
    except HTTPError as error:
        status = error.code
        error.close()
    with urllib.request.urlopen(f"{base}/metrics") as answer:  # noqa: S310
        metrics = answer.read().decode()
    with urllib.request.urlopen(base) as answer:
        page = answer.read().decode()
    web.shutdown()
    thread.join()
    web.server_close()
    gateway.stop()

    assert status == 503
    assert 'andon_gateway_source_up{source="line"} 0' in metrics
    assert "Not well" in page


def test_check_prints_what_each_machine_would_report_and_says_which_value_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "gateway.toml"
    text = configured(tmp_path, "https://api.example")
    file.write_text(text)
    assert cli.main(["check", str(file)]) == 0
    assert "plant-press: oil=60 stop=False -> NORMAL" in capsys.readouterr().out

    file.write_text(text.replace('"Stop"', '"EStop"'))
    monkeypatch.setattr(cli, "WAIT_S", 0.2)
    assert cli.main(["check", str(file)]) == 1
    said = capsys.readouterr()
    assert "stop=? -> nothing" in said.out
    assert "no value of EStop from line" in said.err

    file.write_text(text.replace("until", "untill"))
    assert cli.main(["check", str(file)]) == 2
    assert "machine[0].states[1]: nobody knows untill" in capsys.readouterr().err
