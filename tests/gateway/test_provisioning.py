"""A gateway that is ended at any step of its provisioning, and begun again, ends with one certificate that works."""

import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, ParamSpec, TypeVar
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.ingress import fleet
from andon.ingress.names import rule_of, thing_of
from andon_gateway import private_files
from andon_gateway.brokers import Broker, Tls
from andon_gateway.claim import claim_of
from andon_gateway.claim_door import SIGNING, ClaimDoor
from andon_gateway.provisioning import Expired, Kept, Refused, Requested, Signed, provision
from andon_gateway.tables import Table
from services.equipment.things import GATEWAY

HOUR: Final = 3600
STEPS: Final = 13
"""At which a process can end that gets its certificate at once."""

P = ParamSpec("P")
R = TypeVar("R")


class Killed(BaseException):
    """The process ends here."""


class Steps:
    """Counts the steps of a process, and ends it at one of them."""

    def __init__(self, last: int | None = None) -> None:
        self._last, self._numbers = last, count()

    def step(self) -> None:
        if next(self._numbers) == self._last:
            raise Killed

    def around(self, do: Callable[P, R]) -> Callable[P, R]:
        def done(*arguments: P.args, **named: P.kwargs) -> R:
            self.step()
            result = do(*arguments, **named)
            self.step()
            return result

        return done


class Aws:
    """AWS IoT: it forgets tokens after an hour, and gives a thing that has a certificate no other one.

    again: what becomes of a request that was done before, of which AWS says nothing: it is done, or refused.
    """

    def __init__(self, again: Refused | None = None) -> None:
        self.now_s = 0
        self._again = again
        self.of_thing: list[str] = []
        self._tokens: dict[str, tuple[str, int]] = {}
        self._keys: dict[str, str] = {}
        self._on_their_way: list[str] = []
        self._numbers = count(1)
        self.is_registered = True

    def sign(self, request: str) -> Signed:
        number = next(self._numbers)
        certificate = f"-----BEGIN CERTIFICATE-----\n{number}\n-----END CERTIFICATE-----\n"
        self._tokens[f"t{number}"] = (certificate, self.now_s + HOUR)
        self._keys[certificate] = request
        return Signed(certificate, f"t{number}")

    def send(self, token: str) -> None:
        """Take a request whose sender ends: it is answered when another one comes."""
        self._on_their_way.append(token)

    def register(self, token: str) -> None:
        for before in self._on_their_way:
            self._become(before)
        self._on_their_way = []
        if (refusal := self._become(token)) is not None:
            raise refusal

    def lets_in(self, text: str) -> bool:
        return any(one in text and self._keys[one] in text for one in self.of_thing)

    def _become(self, token: str) -> Refused | None:
        certificate, ends_s = self._tokens[token]
        if certificate in self.of_thing:
            return self._again
        if self.now_s >= ends_s:
            return Expired("Certificate ownership token is invalid.")
        if not self.is_registered or self.of_thing:
            return Refused("Access Denied")
        self.of_thing = [certificate]
        return None


class Door:
    """AWS as one process sees it, until it ends."""

    def __init__(self, aws: Aws, steps: Steps) -> None:
        self._aws, self._steps = aws, steps
        self.sign = steps.around(aws.sign)

    def register(self, token: str) -> None:
        self._steps.step()
        try:
            self._steps.step()
        except Killed:
            self._aws.send(token)
            raise
        self._aws.register(token)
        self._steps.step()

    def lets_in(self, file: Path) -> bool:
        self._steps.step()
        return self._aws.lets_in(file.read_text())


@contextmanager
def process(aws: Aws, ends_at: int | None) -> Iterator[tuple[Door, Callable[[], Requested]]]:
    """A process that ends at a step; each write is one step before, and one behind."""
    steps, keys = Steps(ends_at), count(1)

    def requested() -> Requested:
        key = f"-----BEGIN PRIVATE KEY-----\n{id(steps)}.{next(keys)}\n-----END PRIVATE KEY-----\n"
        return Requested(key, key)

    with (
        patch.object(private_files, "write", steps.around(private_files.write)),
        patch.object(private_files, "remove", steps.around(private_files.remove)),
    ):
        yield Door(aws, steps), requested


AGAIN: Final = [None, Expired("used"), Refused("there already")]


def survives(kills: list[int], waits_s: list[int], again: Refused | None) -> None:
    """Kill one process after the other, with time between them, and see how the last ones end."""
    aws = Aws(again)
    with TemporaryDirectory() as folder:
        kept = Kept(Path(folder, "certificate.pem"), Path(folder, "key.pem"))

        for ends_at, wait_s in zip([*kills, None, None], [*waits_s[: len(kills)], 0, 0], strict=True):
            # A request that was on its way may come before its repetition, which is refused then: the next one is not.
            with process(aws, ends_at) as (door, requested), suppress(Killed, Refused):
                provision(kept, door, requested)
            aws.now_s += wait_s

        [certificate] = aws.of_thing
        assert kept.certificate.read_text() == certificate
        assert aws.lets_in(kept.key.read_text() + certificate)
        assert {file.name for file in Path(folder).iterdir()} == {"certificate.pem", "key.pem"}
        assert {stat.S_IMODE(file.stat().st_mode) for file in Path(folder).iterdir()} == {0o600}


@pytest.mark.parametrize("wait_s", [0, HOUR])
@pytest.mark.parametrize("again", AGAIN, ids=str)
def test_wherever_it_is_killed_it_ends_with_the_one_certificate_of_the_thing(
    again: Refused | None, wait_s: int
) -> None:
    for ends_at in range(STEPS):
        survives([ends_at], [wait_s], again)


@given(
    kills=st.lists(st.integers(0, 2 * STEPS), max_size=4),
    waits_s=st.lists(st.sampled_from([0, HOUR // 2, HOUR]), min_size=4, max_size=4),
    again=st.sampled_from(AGAIN),
)
def test_however_often_it_is_killed_it_ends_with_the_one_certificate_of_the_thing(
    kills: list[int], waits_s: list[int], again: Refused | None
) -> None:
    survives(kills, waits_s, again)


def test_there_are_as_many_steps_as_the_law_kills_at(tmp_path: Path) -> None:
    kept, ended = Kept(tmp_path / "certificate.pem", tmp_path / "key.pem"), 0
    for ends_at in range(40):
        for file in tmp_path.iterdir():
            file.unlink()
        with process(Aws(), ends_at) as (door, requested):
            try:
                provision(kept, door, requested)
            except Killed:
                ended += 1

    assert ended == STEPS


def test_what_is_refused_waits_and_is_taken_once_it_is_registered(tmp_path: Path) -> None:
    aws, kept = Aws(), Kept(tmp_path / "certificate.pem", tmp_path / "key.pem")
    aws.is_registered = False

    for _ in range(2):
        with process(aws, None) as (door, requested), pytest.raises(Refused):
            provision(kept, door, requested)
    assert aws.of_thing == []
    aws.is_registered = True
    with process(aws, None) as (door, requested):
        assert provision(kept, door, requested)
        assert not provision(kept, door, requested)

    assert len(aws.of_thing) == 1


def test_it_takes_nothing_from_a_thing_that_has_a_certificate(tmp_path: Path) -> None:
    aws, kept = Aws(), Kept(tmp_path / "certificate.pem", tmp_path / "key.pem")
    aws.of_thing = ["another's"]

    with process(aws, None) as (door, requested), pytest.raises(Refused):
        provision(kept, door, requested)

    assert aws.of_thing == ["another's"]
    assert not kept.key.exists()


def test_its_names_are_those_of_the_deployment(tmp_path: Path) -> None:
    for root in ("Andon", "Andon-prod"):
        tls = Tls(certificate=tmp_path / "own.crt", key=tmp_path / "own.key")
        files = Table({"certificate": "claim.crt", "key": "claim.key"}, "andon.claim")

        claim = claim_of(files, tmp_path, tls=tls, thing=thing_of(root, "gdl-1"), member="press")

        assert claim.template == fleet.template_of(root, GATEWAY) == rule_of(root, GATEWAY)
        assert claim.client == fleet.client_of(root, "")
        asked = ClaimDoor(Broker("localhost", 8883, tls), claim)._parameters  # noqa: SLF001
        assert asked == {fleet.NAME: "gdl-1", fleet.MEMBER: "press"}
    assert SIGNING == fleet.SIGNING
