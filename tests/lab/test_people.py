"""The proofs of `make prove NAME=people`, small; and each finds what it looks for, once that is there."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from andon.http import places as callers
from andon.http.places import ANYWHERE
from andon.runtime.log import logger
from andon.testing.proving.prover import ProvedPart, Prover, Record, prove
from andon.versions import erasing
from andon.versions.optimistic_lock import digest_of
from andon.versions.persons import Persons
from andon.views.outcome import Outcome
from andon.wire.queue import name_of
from contract import people
from contract.duty import Roster
from lab.people import names, places
from lab.people.watch import Watched
from lab.quiet_clock import clock_alone
from services.notify import contact
from services.notify.erased import Erasure

SEEDS = (1, 2, 3)


def proved(part: Callable[..., None], **size: int) -> Record:
    return prove(Prover({"people": ProvedPart(partial(part, **size))}, world=clock_alone), seeds=SEEDS[:1])


def test_names_are_in_one_table_and_nowhere_and_nobody_learns_of_another_company() -> None:
    short = {"names": partial(names.prove, people=4), "places": partial(places.prove, requests=100)}

    record = prove(Prover({name: ProvedPart(part) for name, part in short.items()}, world=clock_alone), seeds=SEEDS)

    assert not record.broken, record.text()
    assert "1 erased; names left of them 0, of the others 3" in record.text()
    assert record.tried.total() > 5_000


Break = Callable[[pytest.MonkeyPatch], None]


def names_are_ids(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(people, "BADGE_PATTERN", "(?s:.*)")


def who_signs_in_is_said_by_name(patch: pytest.MonkeyPatch) -> None:
    real = callers.caller_of
    patch.setattr(callers, "caller_of", lambda event: (who := real(event))._replace(subject=who.name))


def nobody_is_erased(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(erasing, "erase", lambda *_, **__: None)


def a_digest_is_logged(patch: pytest.MonkeyPatch) -> None:
    erase = erasing.erase

    def logged(persons: Persons, person_id: str, **asked: Any) -> None:  # noqa: ANN401  as it is
        name = (persons.table.get(persons.key_of(person_id)) or {}).get("name")
        logger().warning("erased", extra={"who": digest_of({"id": person_id, "name": name})})
        erase(persons, person_id, **asked)

    patch.setattr(erasing, "erase", logged)


def whoever_was_erased_is_still_chosen(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Roster, "without", lambda roster, _: roster)


def addresses_stay(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Erasure, "write", lambda *_, **__: Outcome.APPLIED)


def an_address_is_logged(patch: pytest.MonkeyPatch) -> None:
    real = contact.address_of

    def logged(row: Any, channel: contact.Channel) -> Any:  # noqa: ANN401  as it is
        logger().warning("read", extra={"address": (address := real(row, channel))})
        return address

    patch.setattr(contact, "address_of", logged)


def nothing_is_replayed(patch: pytest.MonkeyPatch) -> None:
    real = Watched.new_in
    patch.setattr(Watched, "new_in", lambda loop, queue: [] if queue == name_of("replays") else real(loop, queue))


BREAKS: dict[Break, str] = {
    names_are_ids: "no answer is wrong",
    who_signs_in_is_said_by_name: "calls of dynamodb have no names",
    nobody_is_erased: "names of the erased are nowhere, those of others are left",
    a_digest_is_logged: "the digest of a name is not made with a name",
    whoever_was_erased_is_still_chosen: "a rule chooses nobody who was erased",
    addresses_stay: "all else in CONTACTS_TABLE stays as it was",
    an_address_is_logged: "log lines have no names",
    nothing_is_replayed: "board is the same once it is replayed",
}


@pytest.mark.parametrize("broken", BREAKS, ids=lambda one: one.__name__)
def test_what_is_broken_is_found(monkeypatch: pytest.MonkeyPatch, broken: Break) -> None:
    broken(monkeypatch)

    record = proved(names.prove, people=2)

    assert f"people: {BREAKS[broken]}" in record.broken, record.text()


def test_without_places_each_route_lets_callers_of_another_company_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callers, "places_of", lambda _: ANYWHERE)

    found = proved(places.prove, requests=400).broken

    assert found["people: nobody is let in"] > 10
    assert found["people: an answer says no more than it was told"] > 7
    assert found["people: what is elsewhere is as what nobody knows"] > 7
    assert sum(times for sentence, times in found.items() if "stays as it was" in sentence) > 3
