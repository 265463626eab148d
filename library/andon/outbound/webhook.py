"""Messages -> webhooks: PagerDuty's Events, Teams' cards, and plain JSON for all others.

An address is an https address at a host of the stage's list. PagerDuty's has the integration's key behind the `#`:
`https://events.pagerduty.com/v2/enqueue#<key>`.

https://developer.pagerduty.com/docs/send-alert-event
https://learn.microsoft.com/en-us/connectors/teams/#request-body-schema
https://adaptivecards.io/explorer/AdaptiveCard.html
"""

import re
from collections.abc import Callable
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Final

import orjson

from andon.outbound.addresses import PAGERDUTY, Destination, HostRefused, Hosts, is_at
from andon.outbound.delivery import Message, Outcome, RefusedForGood
from andon.outbound.provider import outcome_of, post
from andon.runtime.json_types import JsonObject

NAME: Final = "webhook"

# https://developer.pagerduty.com/docs/send-alert-event#parameters
_MOST_CHARACTERS_OF_A_SUMMARY: Final = 1_024
_MOST_CHARACTERS_OF_A_KEY: Final = 255

# The reason of a refusal before any request: its host is not, or is no longer, on the list.
HOST: Final = "host"

# https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
_HTTP_ERROR: Final = re.compile(rb"HTTP error ([45][0-9][0-9])")
_FAILED: Final = re.compile(rb"\s*Webhook message delivery failed")
_THROTTLED: Final = re.compile(rb"rate.?limit|throttl|too.many", re.IGNORECASE)

_HEADERS: Final = {"content-type": "application/json"}


class Webhook:
    """The channel of webhooks."""

    name = NAME

    def __init__(self, hosts: Hosts, *, source: str) -> None:
        """Send to these hosts; source: the name of this deployment, as its messages have it."""
        self._hosts = hosts
        self._source = source

    def send(self, message: Message) -> Outcome:
        """Post a message once."""
        try:
            target = self._hosts.target_of(message.address)
        except HostRefused:
            return RefusedForGood(HOST)
        body = _format_at(target.host)(message, target, self._source)
        reply = post(target, _HEADERS, orjson.dumps(body))
        said = _said_in(reply.body)
        if reply.status == HTTPStatus.OK and (status := _error_in(reply.body, said)):
            reply = reply._replace(status=status)
        return outcome_of(reply, provider_id=_id_in(said))


def plain(message: Message, _target: Destination, source: str) -> JsonObject:
    """Return a message as it is, without its address; `dedupKey`: the same for all messages about a subject."""
    said = {"id": message.id, "source": source, "dedupKey": message.about, "urgency": message.urgency}
    link = {"link": message.link} if message.link else {}
    return {**said, "subject": message.subject, "text": message.text, "language": message.language, **link}


def pagerduty(message: Message, target: Destination, source: str) -> JsonObject:
    """Return an event that triggers an alert, or adds to the one that has this subject; or that resolves that one."""
    event = {"routing_key": target.key, "dedup_key": _key(message.about)}
    if message.is_over:
        return {**event, "event_action": "resolve"}
    severity = "critical" if message.urgency == "high" else "warning"
    details = {"text": message.text, "message": message.id}
    payload = {"summary": _cut(message.subject, _MOST_CHARACTERS_OF_A_SUMMARY), "source": source, "severity": severity}
    return {
        **event,
        "event_action": "trigger",
        "payload": {**payload, "custom_details": details},
        "links": [{"href": message.link, "text": message.subject}] if message.link else [],
    }


def teams(message: Message, _target: Destination, _source: str) -> JsonObject:
    """Return a message with an Adaptive Card, as Teams' workflows take it."""
    title = {"size": "large", "weight": "bolder", **({"color": "attention"} if message.urgency == "high" else {})}
    lines = [_line(line) for line in message.text.splitlines() if line]
    card: dict[str, Any] = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "lang": message.language,
        "body": [_line(message.subject, **title), *lines],
    }
    if message.link:
        card["actions"] = [{"type": "Action.OpenUrl", "title": message.subject, "url": message.link}]
    content = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [content]}


_TEAMS: Final = ("logic.azure.com", "api.powerplatform.com", "webhook.office.com")


def _format_at(host: str) -> Callable[[Message, Destination, str], JsonObject]:
    if is_at(host, PAGERDUTY):
        return pagerduty
    return teams if is_at(host, _TEAMS) else plain


def _said_in(body: bytes) -> JsonObject:
    """Return the JSON object that a host answers; empty if it is none."""
    try:
        said = orjson.loads(body)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _error_in(body: bytes, said: JsonObject) -> int | None:
    """Return the status that an answer of 200 should have had; None if it says of no error.

    Teams' connectors say `… returned HTTP error 429 …` in words; others have a member for it, such as `"ok": false`.
    """
    if named := _HTTP_ERROR.search(body):
        return int(named[1])
    is_error = (
        _FAILED.match(body)
        or any(said.get(name) is False for name in ("ok", "success"))
        or said.get("error")
        or said.get("errors")
        or said.get("status") in {"error", "failed", "failure"}
    )
    if not is_error:
        return None
    return HTTPStatus.TOO_MANY_REQUESTS if _THROTTLED.search(body) else HTTPStatus.BAD_REQUEST


def _id_in(said: JsonObject) -> str:
    """Return the host's name of the message; PagerDuty and most others repeat our key, or say nothing."""
    found = said.get("dedup_key", said.get("id", ""))
    return _cut(found, _MOST_CHARACTERS_OF_A_KEY) if isinstance(found, str) else ""


def _key(about: str) -> str:
    return about if len(about) <= _MOST_CHARACTERS_OF_A_KEY else sha256(about.encode()).hexdigest()


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _line(text: str, **style: str) -> JsonObject:
    """Return a line of a card; as a TextBlock it would be Markdown, in which a link can show another address."""
    return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text, **style}]}
