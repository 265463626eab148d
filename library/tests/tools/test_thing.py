"""What `andon connect` says of a thing can be pasted into a shell."""

import shlex
from pathlib import Path

import pytest

from andon.tools.thing.__main__ import text_of
from andon.tools.thing.register import Registered

HOME = Path("/home/ana/toys")
TOPIC = "$aws/rules/Toys_robot/Toys/robot/Toys:r2/mood"


@pytest.mark.parametrize("signers", ["signers.pem", None])
def test_its_command_is_one_that_a_shell_reads_as_it_is_meant(signers: str | None) -> None:
    folder = HOME / ".local/things/Toys:r2"
    made = Registered("Toys:r2", "127.0.0.1", 1234, TOPIC, folder, folder / signers if signers else None)

    said = text_of(made, seen_from=HOME)

    words = shlex.split(said.splitlines()[-1])
    options = dict(zip(words[1:-1:2], words[2::2], strict=False))
    assert words[0] == "mosquitto_pub"
    assert options["-t"] == TOPIC
    assert options["-i"] == "Toys:r2"
    assert options["--key"] == ".local/things/Toys:r2/key.pem"
    assert options.get("--cafile") == (".local/things/Toys:r2/signers.pem" if signers else None)
    assert ("--tls-use-os-certs" in words) == (signers is None)
