"""A gateway whose values come and do not leave; and `check`, which looks at each value once."""

import threading
import urllib.request
from pathlib import Path
from urllib.error import HTTPError

import pytest

from andon_gateway import cli
from andon_gateway.config import parse
from andon_gateway.gateway import Gateway
from andon_gateway.health import server
from andon_gateway.testing.lines_press import configured

HOST = "127.0.0.1"


def test_health_says_well_only_while_values_come_and_leave(tmp_path: Path) -> None:
    gateway = Gateway(parse(configured(tmp_path, "http://127.0.0.1:9"), tmp_path))
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
