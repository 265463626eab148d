"""The source `opcua` against asyncua's server, in a process of its own."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from andon_gateway import cli
from andon_gateway.conditions import Value
from andon_gateway.config import read as read_file
from andon_gateway.testing import reader
from andon_gateway.testing.opcua_press import TAGS, URI, Press, certify
from andon_gateway.testing.reader import Reader

CONFIGURATION: Final = """
[andon]
url = "https://api.example"
token_file = "token"
[[source]]
name = "line"
kind = "opcua"
url = "opc.tcp://127.0.0.1:%(port)d"
security = "None"
publish = "50ms"
[[machine]]
id = "press"
source = "line"
values = { oil = "nsu=urn:andon:plc;s=Press1.OilTemperature", estop = "nsu=urn:andon:plc;s=Press1.EStop" }
states = [
  { is = "ERROR", when = "estop" },
  { is = "WARNING1", when = "oil > 80", until = "oil < 75", detail = "oil at {oil:.0f} °C" },
  { is = "NORMAL" },
]
"""
SECURED: Final = """
security = "Basic256Sha256, SignAndEncrypt"
trust = ["server.der"]
certificate = "gateway.der"
key = "gateway.pem"
user = "line"
password_file = "password"
"""


@contextmanager
def reading(text: str, folder: Path) -> Iterator[Reader]:
    file = folder / "gateway.toml"
    file.write_text(text)
    with reader.reading(read_file(file)) as read:
        yield read


def comes_to(read: Reader, **values: Value) -> bool:
    """Return True as soon as values are the newest."""
    wanted = {f"nsu=urn:andon:plc;s={TAGS[name].node}": value for name, value in values.items()}
    return read.until(lambda: wanted.items() <= read.values.items())


def told(read: Reader) -> list[Value]:
    """Return all values in the order in which they were said."""
    return [value for message in read.seen for value in message.values.values()]


def says(read: Reader, trouble: str) -> bool:
    """Return True as soon as a source says a trouble."""
    return read.until(lambda: re.search(trouble, read.source.trouble or "") is not None)


@pytest.fixture(scope="module")
def press(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Press]:
    running = Press(tmp_path_factory.mktemp("plc"))
    yield running
    running.kill()


def test_changes_come_with_the_times_of_the_source_and_bad_quality_is_unknown(press: Press, tmp_path: Path) -> None:
    with reading(CONFIGURATION % {"port": press.port}, tmp_path) as read:
        began = comes_to(read, oil=60.0, estop=False)
        first = list(read.seen)
        before_ms = int(time.time() * 1000)
        press.turn("oil 81")
        changed = comes_to(read, oil=81.0)
        change = read.seen[-1]
        press.turn("oil bad")
        unknown = comes_to(read, oil=None, estop=False)
        press.turn("oil 60")
        assert comes_to(read, oil=60.0)

    assert began
    assert {message.source_ms for message in first} == {None}  # they say what is, and not since when
    assert changed
    assert change.source_ms is not None
    assert before_ms <= change.source_ms <= change.received_ms
    assert unknown


def test_a_server_that_stood_still_for_three_seconds_loses_no_change_and_no_connection(
    press: Press, tmp_path: Path
) -> None:
    with reading(CONFIGURATION % {"port": press.port}, tmp_path) as read:
        assert comes_to(read, estop=False)
        with press.frozen():
            time.sleep(3)  # it is what is tried
        press.turn("estop 1")
        press.turn("estop 0")
        assert read.until(lambda: told(read)[-2:] == [True, False])

    assert None not in told(read)


def test_check_prints_states_and_says_which_node_a_server_does_not_have(
    press: Press, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "gateway.toml"
    text = CONFIGURATION % {"port": press.port}
    file.write_text(text)
    press.turn("oil 81")
    assert cli.main(["check", str(file)]) == 0
    press.turn("oil 60")
    assert "press: oil=81.0 estop=False -> WARNING1" in capsys.readouterr().out

    monkeypatch.setattr(cli, "WAIT_S", 2)
    file.write_text(text.replace("Press1.EStop", "Press1.Estop").replace("plc;s=Press1.Oil", "line;s=Press1.Oil"))
    assert cli.main(["check", str(file)]) == 1
    said = capsys.readouterr().err
    assert "line: nsu=urn:andon:line;s=Press1.OilTemperature: the server has no namespace urn:andon:line" in said
    assert "nsu=urn:andon:plc;s=Press1.Estop: BadNodeIdUnknown" in said


def secured(press: Press, folder: Path) -> str:
    """Write the files of a gateway, and return its configuration."""
    certify(folder, "gateway", "urn:andon:gateway:test")
    (folder / "password").write_text("a secret\n")
    (folder / "server.der").write_bytes(press.certificate.read_bytes())
    return (CONFIGURATION % {"port": press.port}).replace('security = "None"', SECURED)


@pytest.mark.parametrize(
    ("file", "content", "trouble"),
    [
        ("password", b"a guess", "BadUserAccessDenied"),
        ("gateway.pem", b"no key", "key: .*gateway.pem is no key without a password"),
        ("server.der", b"", "trust: .*server.der is no certificate"),
    ],
)
def test_what_a_secure_connection_lacks_is_said(
    press: Press, tmp_path: Path, file: str, content: bytes, trouble: str
) -> None:
    text = secured(press, tmp_path)
    (tmp_path / file).write_bytes(content)

    with reading(text, tmp_path) as read:
        assert says(read, trouble), read.source.trouble


def test_a_server_that_comes_back_with_a_new_certificate_is_refused_until_it_is_trusted_and_then_read_anew(
    press: Press, tmp_path: Path
) -> None:
    with reading(secured(press, tmp_path), tmp_path) as read:
        assert comes_to(read, oil=60.0, estop=False), read.source.trouble
        press.kill()
        assert comes_to(read, oil=None, estop=None)  # unknown at once
        press.start(*certify(tmp_path, "new", URI))
        press.turn("oil 90")  # while nobody is connected
        assert says(read, "none that trust names"), read.source.trouble
        assert set(read.values.values()) == {None}

        (tmp_path / "server.der").write_bytes(press.certificate.read_bytes())
        assert comes_to(read, oil=90.0, estop=False), read.source.trouble
        assert read.until(lambda: read.source.trouble is None), read.source.trouble
