"""The proofs of `make prove-people`, small; and each finds what it looks for, once that is there."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from andon.http import caller
from andon.http.places import ANYWHERE
from andon.runtime.log import logger
from andon.versions.optimistic_lock import digest_of
from andon.views.outcome import Outcome
from andon.wire.queue import name_of
from contract import people
from contract.duty import Roster
from lab.attack.report import Record, findings, table
from lab.people import names, places
from lab.people.watch import Watched
from services.notify import contact
from services.notify.erased import Erasure
from services.people import command
from services.people.erase import erase
from services.people.tables import TABLE, key_of

PEOPLE = 6


def proved(count: int) -> Record:
    record = Record()
    names.prove(record, people=count, seed=1)
    return record


def test_names_are_in_one_table_and_nowhere_once_they_are_erased() -> None:
    record = proved(PEOPLE)

    assert not record.findings, findings(record, {})
    shown = table(record)
    assert "1 erased; names left of them 0, of the others 5" in shown
    assert record.tried["routes"] > 50 * PEOPLE
    assert record.tried["stores"] > 300 * PEOPLE
    assert record.tried["digests"] > 200 * PEOPLE


Break = Callable[[pytest.MonkeyPatch], None]


def names_are_ids(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(people, "BADGE_PATTERN", "(?s:.*)")


def who_signs_in_is_said_by_name(patch: pytest.MonkeyPatch) -> None:
    real = caller.caller_of
    patch.setattr(caller, "caller_of", lambda event: (who := real(event))._replace(subject=who.name))


def nobody_is_erased(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(command, "erase", lambda *_, **__: None)


def a_digest_is_logged(patch: pytest.MonkeyPatch) -> None:
    def logged(person_id: str, **asked: Any) -> None:  # noqa: ANN401  as it is
        name = (TABLE.get(key_of(person_id)) or {}).get("name")
        logger().warning("erased", extra={"who": digest_of({"id": person_id, "name": name})})
        erase(person_id, **asked)

    patch.setattr(command, "erase", logged)


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
    names_are_ids: "with a name in",
    who_signs_in_is_said_by_name: "stores: calls of dynamodb: had names",
    nobody_is_erased: "erasure: names: are left, or gone of others",
    a_digest_is_logged: "digests: the digest of a name: can be made with a name",
    whoever_was_erased_is_still_chosen: "erasure: a rule: chooses somebody erased",
    addresses_stay: "erasure: what is in CONTACTS_TABLE: changed",
    an_address_is_logged: "stores: log lines: had names",
    nothing_is_replayed: "views: board, replayed: differs",
}


@pytest.mark.parametrize("broken", BREAKS, ids=lambda one: one.__name__)
def test_what_is_broken_is_found(monkeypatch: pytest.MonkeyPatch, broken: Break) -> None:
    broken(monkeypatch)

    found = [one.key for one in proved(2).findings]

    assert any(BREAKS[broken] in key for key in found), found


def tried(requests: int) -> Record:
    record = Record()
    places.prove(record, requests=requests, seed=1)
    return record


def test_callers_of_one_company_learn_and_change_nothing_of_another_one() -> None:
    record = tried(500)

    assert not record.findings, findings(record, {})
    assert record.tried["places"] > 500


def test_without_places_each_route_lets_callers_of_another_company_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller, "places_of", lambda _: ANYWHERE)

    found = Counter(one.key.rpartition(": ")[2] for one in tried(400).findings)

    assert found["is let in"] > 10
    assert found["says more than it was told"] > 7
    assert found["differs from what nobody knows"] > 7
    assert found["changed"] > 3
