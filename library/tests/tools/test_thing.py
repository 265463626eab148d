"""What `andon connect` and `andon claim` say can be pasted into a shell."""

import shlex
from datetime import UTC, datetime
from pathlib import Path

import pytest

from andon.tools.called import BY
from andon.tools.thing import claims
from andon.tools.thing.__main__ import text_of
from andon.tools.thing.certificate import BrokerAddress
from andon.tools.thing.claims import MadeClaim, ThingClaim
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


@pytest.mark.parametrize(
    ("by", "ends"), [("make", "make claim END=0123456789ab"), ("andon", "andon claim --end 0123456789ab")]
)
def test_a_claim_says_what_goes_onto_an_image_and_how_it_ends(
    monkeypatch: pytest.MonkeyPatch, by: str, ends: str
) -> None:
    monkeypatch.setenv(BY, by)
    folder, broker = HOME / "image", BrokerAddress("127.0.0.1", 1234, "signers")
    made = MadeClaim("robot", "0123456789ab" + "f" * 52, "Toys_robot", "Toys_claim:", ("sign", "ask"), broker, folder)

    said = claims.text_of(made, seen_from=HOME)

    lines = dict(line.split(maxsplit=1) for line in said.splitlines() if line and not line.startswith("It "))
    assert (lines["template"], lines["endpoint"], lines["topics"]) == ("Toys_robot", "127.0.0.1:1234", "sign ask")
    assert (lines["key"], lines["trust"]) == ("image/key.pem", "image/signers.pem")
    assert said.endswith(ends)


def test_claims_are_listed_by_what_withdraws_them() -> None:
    found = [ThingClaim("robot", "0123456789ab" + "f" * 52, datetime(2026, 11, 24, 9, 30, tzinfo=UTC))]

    assert claims.listed(found) == "0123456789ab  2026-11-24 09:30  robot"
    assert claims.listed([]) == "no claim counts"
