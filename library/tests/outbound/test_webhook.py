"""Messages to webhooks: the body that each kind of host wants, and what of it becomes of the message."""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

import pytest
from outbound.ended import assert_ended
from outbound.messages import MESSAGE

from andon.outbound.addresses import Hosts
from andon.outbound.delivery import NotTaken, Outcome, RefusedForGood, Sent, Unknown
from andon.outbound.variables import SINK
from andon.outbound.webhook import HOST, Webhook
from andon.testing.scripted_server import ScriptedServer, in_turn, whole

PAGERDUTY: Final = MESSAGE._replace(address="https://events.pagerduty.com/v2/enqueue#R0ut1ngKey")
TEAMS: Final = MESSAGE._replace(address="https://prod-7.westeurope.logic.azure.com/workflows/a/triggers/manual?sig=b")
PLAIN: Final = MESSAGE._replace(address="https://hooks.example.com/t/secret#unused")
WEBHOOK: Final = Webhook(
    Hosts(["events.pagerduty.com", "*.logic.azure.com", "hooks.example.com"]), source="things-prod"
)


@pytest.fixture
def sink(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    with ScriptedServer(in_turn(whole())) as sink:
        monkeypatch.setenv(SINK, sink.url)
        yield sink


def body_in(sink: ScriptedServer) -> Any:  # noqa: ANN401  JSON
    (asked,) = sink.requests
    assert asked.headers["content-type"] == "application/json"
    return json.loads(asked.body)


def test_pagerduty_gets_an_event_whose_key_is_the_subject(sink: ScriptedServer) -> None:
    said = {"status": "success", "message": "Event processed", "dedup_key": "thing/7"}
    sink.script = in_turn(whole(said, 202))

    assert_ended(WEBHOOK.send(PAGERDUTY), Sent("thing/7"))
    assert body_in(sink) == {
        "routing_key": "R0ut1ngKey",
        "event_action": "trigger",
        "dedup_key": "thing/7",
        "payload": {
            "summary": "Press 7: ERROR",
            "source": "things-prod",
            "severity": "critical",
            "custom_details": {"text": MESSAGE.text, "message": "m-1"},
        },
        "links": [{"href": MESSAGE.link, "text": MESSAGE.subject}],
    }
    assert sink.requests[0].start == "POST /events.pagerduty.com/v2/enqueue HTTP/1.1"  # the key is nowhere else


@pytest.mark.parametrize(("about", "key"), [("thing/7", "thing/7"), ("a" * 256, sha256(b"a" * 256).hexdigest())])
def test_pagerduty_is_told_that_a_subject_is_over_by_the_key_of_what_triggered_it(
    about: str, key: str, sink: ScriptedServer
) -> None:
    triggered = PAGERDUTY._replace(about=about)
    for message in (triggered, triggered._replace(id="m-2", subject="", text="", is_over=True)):
        assert_ended(WEBHOOK.send(message), Sent(""))

    trigger, resolve = (json.loads(asked.body) for asked in sink.requests)
    assert resolve == {"routing_key": "R0ut1ngKey", "event_action": "resolve", "dedup_key": key}
    assert trigger["dedup_key"] == key


def test_what_pagerduty_would_refuse_as_too_long_is_cut_and_different_subjects_stay_different(
    sink: ScriptedServer,
) -> None:
    long = PAGERDUTY._replace(subject="s" * 2_000, urgency="low", link=None)
    for about in ("a" * 300, "a" * 301):
        WEBHOOK.send(long._replace(about=about))

    first, second = (json.loads(asked.body) for asked in sink.requests)
    assert len(first["payload"]["summary"]) == 1_024
    assert first["dedup_key"] != second["dedup_key"]
    assert max(len(first["dedup_key"]), len(second["dedup_key"])) <= 255
    assert (first["payload"]["severity"], first["links"]) == ("warning", [])


def test_teams_gets_a_card_in_which_nothing_is_markdown(sink: ScriptedServer) -> None:
    sink.script = in_turn(whole(b"", 202))

    ended = WEBHOOK.send(TEAMS._replace(subject="[x](https://evil.org)"))

    assert_ended(ended, Sent(""))
    (attachment,) = body_in(sink)["attachments"]
    card = attachment["content"]
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert {block["type"] for block in card["body"]} == {"RichTextBlock"}
    texts = [run["text"] for block in card["body"] for run in block["inlines"]]
    assert texts == ["[x](https://evil.org)", *MESSAGE.text.splitlines()]
    assert [action["url"] for action in card["actions"]] == [MESSAGE.link]


def test_any_other_host_gets_plain_json(sink: ScriptedServer) -> None:
    assert_ended(WEBHOOK.send(PLAIN), Sent(""))
    assert body_in(sink) == {
        "id": "m-1",
        "source": "things-prod",
        "dedupKey": "thing/7",
        "urgency": "high",
        "subject": MESSAGE.subject,
        "text": MESSAGE.text,
        "language": "es-MX",
        "link": MESSAGE.link,
    }
    assert "secret" not in json.dumps(body_in(sink))  # who reads a message does not learn where others go


@pytest.mark.parametrize("message", [PAGERDUTY, TEAMS, PLAIN])
def test_a_message_without_a_link_has_none(message: Any, sink: ScriptedServer) -> None:  # noqa: ANN401  pytest's
    WEBHOOK.send(message._replace(link=None))

    assert "page.example.com" not in json.dumps(body_in(sink))


TEAMS_SAYS: Final = b"Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error %d."
ERRORS: Final = {
    b'{"ok": false, "error": "channel_not_found"}': RefusedForGood("HTTP 400"),
    b'{"ok": false, "error": "ratelimited"}': NotTaken("HTTP 429"),
    b'{"success": false}': RefusedForGood("HTTP 400"),
    b'{"status": "error", "message": "Too many requests"}': NotTaken("HTTP 429"),
    b'{"errors": ["no such room"]}': RefusedForGood("HTTP 400"),
    TEAMS_SAYS % 413: RefusedForGood("HTTP 413"),
    TEAMS_SAYS % 429: NotTaken("HTTP 429"),
    TEAMS_SAYS % 503: Unknown("HTTP 503"),
    b"Webhook message delivery failed with error: it is too large.": RefusedForGood("HTTP 400"),
}


@pytest.mark.parametrize(("said", "ends"), ERRORS.items())
def test_an_error_in_the_body_of_a_200_counts_as_the_status_that_it_stands_for(
    said: bytes, ends: Outcome, sink: ScriptedServer
) -> None:
    sink.script = in_turn(whole(said, 200))

    assert_ended(WEBHOOK.send(TEAMS), ends)


@pytest.mark.parametrize(
    "said",
    [
        *(b"", b"1", b"ok", b"[]", b"null", b'{"id": 7}', b'{"dedup_key": null}', b'{"ok": true, "error": null}'),
        *(b'{"errors": [], "status": "success"}', b'{"text": "ok: false"}', b"the error was mended"),
    ],
)
def test_a_host_may_say_anything(said: bytes, sink: ScriptedServer) -> None:
    sink.script = in_turn(whole(said, 200))

    assert_ended(WEBHOOK.send(PLAIN), Sent(""))


def test_a_host_that_is_no_longer_on_the_list_is_not_called(sink: ScriptedServer) -> None:
    for address in ("https://evil.org/", "http://events.pagerduty.com/", "", "no address"):
        assert_ended(WEBHOOK.send(MESSAGE._replace(address=address)), RefusedForGood(HOST))
    assert sink.connections == 0


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((status, RefusedForGood) for status in (302, 400, 409, 410, 426)),
        *((status, NotTaken) for status in (408, 425, 429)),
        (500, Unknown),
    ],
)
def test_what_the_host_answers_decides(status: int, kind: type, sink: ScriptedServer) -> None:
    sink.script = in_turn(whole({}, status))

    assert type(WEBHOOK.send(PAGERDUTY)) is kind
