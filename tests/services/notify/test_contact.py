"""How a person is reached: who may say and see it, which address counts, and where none of it stands."""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from andon.outbound.addresses import encoded
from andon.testing.environment import frozen_clock
from andon.testing.loop import Answer, Loop
from andon.testing.wire import Wire
from services.notify import contact_code
from services.notify.contact import reach_of
from services.notify.contacts_table import CONTACTS, KEYS
from services.notify.tables import partition_of
from tests.support.samples import NOW

ANA: Final = "op-17"
MAIL: Final = "ana.lopez@plant.example.mx"
PHONE: Final = "+5213312345678"
HOOK: Final = "https://hooks.example.com/ana/secret"
PUSH: Final[dict[str, Any]] = {
    "endpoint": "https://fcm.googleapis.com/fcm/send/ana",
    "keys": {"p256dh": encoded(b"\x04" + bytes(64)), "auth": encoded(bytes(16))},
}
QUIET: Final = {"from": "22:00", "to": "06:00", "timezone": "America/Mexico_City"}
ALL: Final = {
    "email": MAIL,
    "phone": PHONE,
    "webhooks": [HOOK],
    "push": [PUSH],
    "quietHours": QUIET,
    "language": "es",
    "order": ["sms", "mail"],
}
CODE: Final = "012345"


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loop]:
    """Everything, empty; codes can be guessed."""
    monkeypatch.setenv("WEBHOOK_HOSTS", "hooks.example.com")
    monkeypatch.setenv("PUSH_HOSTS", "fcm.googleapis.com")
    monkeypatch.setattr(contact_code, "new_code", lambda: CODE)
    with Loop() as loop, frozen_clock(NOW):
        yield loop


def ask(loop: Loop, route: str, *, person: str = ANA, **parts: Any) -> Answer:  # noqa: ANN401  see Loop
    channel = {"channel": parts.pop("channel")} if "channel" in parts else {}
    caller = {"groups": ["operator"], "subject": ANA} | parts
    return loop.request(f"{route}", path={"id": person, **channel}, **caller)


def put(loop: Loop, *, version: int | None = None, **parts: Any) -> Answer:  # noqa: ANN401
    headers = {} if version is None else {"if-match": f'"{version}"'}
    return ask(loop, "PUT /people/{id}/contact", headers=headers, **{"body": ALL} | parts)


def get(loop: Loop, **parts: Any) -> Answer:  # noqa: ANN401
    return ask(loop, "GET /people/{id}/contact", **parts)


def post_code(loop: Loop, channel: str = "mail", **parts: Any) -> Answer:  # noqa: ANN401
    return ask(loop, "POST /people/{id}/contact/{channel}/code", channel=channel, **parts)


def verify(loop: Loop, code: str = CODE, channel: str = "mail", **parts: Any) -> Answer:  # noqa: ANN401
    return ask(loop, "PUT /people/{id}/contact/{channel}/verified", channel=channel, body={"code": code}, **parts)


def verified() -> set[str]:
    reach = reach_of(partition_of(ANA))
    return set() if reach is None else set(reach["verified"])


def test_one_reads_what_one_wrote_and_changes_it_by_its_version(loop: Loop) -> None:
    first, again, stale = put(loop), put(loop, version=1, body={"email": MAIL}), put(loop, version=1, body={})

    assert (first.status, again.status, stale.status) == (201, 200, 412)
    assert {name: first.body[name] for name in ALL} == ALL
    assert get(loop).body == {"email": MAIL, "verifiedAt": {}, "version": 2, "changedAt": again.body["changedAt"]}


def test_nothing_is_known_of_somebody_who_wrote_nothing(loop: Loop) -> None:
    assert get(loop).status == 404
    assert (post_code(loop).status, verify(loop).status) == (404, 404)


@pytest.mark.parametrize(
    ("groups", "status"), [(["operator"], 403), (["auditor"], 403), (["supervisor"], 200), (["admin"], 200)]
)
def test_others_see_too_little_to_write_to_it(groups: list[str], status: int, loop: Loop) -> None:
    put(loop)
    seen = get(loop, groups=groups, subject="sv-03")

    assert seen.status == status
    assert not any(one in json.dumps(seen.body) for one in (MAIL, PHONE, HOOK, PUSH["endpoint"], PUSH["keys"]["auth"]))
    if status == 200:
        assert (seen.body["email"], seen.body["phone"]) == ("a•••@p•••", "•••78")


@pytest.mark.parametrize("groups", [["operator"], ["supervisor"], ["admin", "at:gdl-1"], ["supervisor", "at:gdl-1"]])
def test_nobody_else_changes_it_or_has_codes_sent(groups: list[str], loop: Loop) -> None:
    put(loop)
    others: dict[str, Any] = {"groups": groups, "subject": "sv-03"}

    assert {put(loop, version=1, **others).status, post_code(loop, **others).status} == {403}
    assert verify(loop, **others).status == 403


def test_an_admin_writes_for_others(loop: Loop) -> None:
    assert put(loop, groups=["admin"], subject="somebody").status == 201


@pytest.mark.parametrize(
    "body",
    [
        *({"email": "ana"}, {"email": f"{MAIL},eve@evil.org"}, {"email": f"{MAIL}\n"}, {"phone": "3312345678"}),
        *({"webhooks": ["https://10.0.0.1/"]}, {"webhooks": ["http://hooks.example.com/"]}, {"webhooks": [HOOK] * 2}),
        *({"push": [{**PUSH, "endpoint": "https://evil.org/"}]}, {"push": [{**PUSH, "keys": {}}]}, {"order": ["fax"]}),
        *({"order": []}, {"order": ["sms", "sms"]}, {"language": "es_MX"}, {"push": [PUSH] * 6}, {"pager": "1"}),
        *({"quietHours": {"from": "25:00", "to": "06:00", "timezone": "UTC"}},),
        *({"quietHours": {"from": "22:00", "to": "06:00", "timezone": "Mars/Olympus"}},),
    ],
)
def test_what_is_no_address_is_refused_and_not_repeated(body: dict[str, Any], loop: Loop) -> None:
    answer = put(loop, body=body)

    assert answer.status == 400
    assert "evil" not in json.dumps(answer.body)
    assert get(loop).status == 404


def test_an_address_counts_when_its_code_came_back(loop: Loop) -> None:
    put(loop)
    assert verified() == set()

    assert (post_code(loop).status, verify(loop).status) == (202, 204)

    assert verified() == {"mail"}
    assert get(loop).body["verifiedAt"] == {"mail": "2020-04-28T00:00:00.000Z"}
    assert verify(loop).status == 410  # a code counts once


def test_another_address_has_to_be_verified_anew_and_the_same_one_has_not(loop: Loop) -> None:
    put(loop)
    post_code(loop)
    verify(loop)

    put(loop, version=1, body={**ALL, "language": "en"})
    assert verified() == {"mail"}
    put(loop, version=2, body={**ALL, "email": "eve@evil.org"})
    assert verified() == set()


def test_a_code_for_an_address_says_nothing_of_the_next_one(loop: Loop) -> None:
    put(loop)
    post_code(loop)
    put(loop, version=1, body={**ALL, "email": "eve@evil.org"})

    assert verify(loop).status == 410
    assert verified() == set()


def test_a_code_can_be_tried_five_times(loop: Loop) -> None:
    put(loop)
    post_code(loop)

    assert [verify(loop, "999999").status for _ in range(6)] == [400] * 5 + [410]
    assert verify(loop).status == 410
    assert verified() == set()


@pytest.mark.parametrize(("late_ms", "status"), [(599_999, 204), (600_000, 410)])
def test_a_code_lives_for_ten_minutes(late_ms: int, status: int, loop: Loop) -> None:
    put(loop)
    post_code(loop)

    with frozen_clock(NOW + late_ms):
        assert verify(loop).status == status


def test_codes_are_not_sent_again_at_once_so_that_nobody_is_flooded_or_gets_more_tries(loop: Loop) -> None:
    put(loop)
    assert (post_code(loop).status, post_code(loop).status) == (202, 429)

    with frozen_clock(NOW + 60_000):
        assert post_code(loop).status == 202


def test_two_guesses_at_once_are_not_answered_as_one_try(loop: Loop, wire: Wire) -> None:
    put(loop)
    post_code(loop)
    wire.before("UpdateItem", lambda: verify(loop, "999998"), times=1)

    assert verify(loop, "999999").status == 503
    assert (CONTACTS.get(KEYS.of(partition_of(ANA), "code#mail")) or {})["tries"] == 1


def test_a_guess_that_is_right_does_not_pass_by_the_others(loop: Loop, wire: Wire) -> None:
    put(loop)
    post_code(loop)
    wire.before("TransactWriteItems", lambda: verify(loop, "999999"), times=1)

    assert verify(loop).status == 503
    assert verified() == set()


@pytest.mark.parametrize("code", ["12345", "1234567", "abcdef", "١٢٣٤٥٦", ""])
def test_what_is_no_code_is_no_try(code: str, loop: Loop) -> None:
    put(loop)
    post_code(loop)

    assert verify(loop, code).status == 400
    row = CONTACTS.get(KEYS.of(partition_of(ANA), "code#mail")) or {}
    assert row["tries"] == 0


def test_no_address_and_no_code_stands_anywhere_else(loop: Loop) -> None:
    put(loop)
    post_code(loop)
    verify(loop)
    envelopes = loop.run()

    elsewhere = json.dumps([loop.rows(table) for table in loop.schemas if table != "CONTACTS_TABLE"], default=str)
    said = f"{elsewhere} {json.dumps(envelopes)}"
    assert not any(one in said for one in (MAIL, PHONE, HOOK, PUSH["endpoint"], CODE))
    assert not loop.schemas["CONTACTS_TABLE"].stream
    assert loop.schemas["CONTACTS_TABLE"].recovery_days == 1
