"""Events in the shapes in which Lambda passes them to handlers."""

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from urllib.parse import urlencode
from uuid import UUID, uuid5

from andon.events.bus_entry import to_message
from andon.events.domain_event import DomainEvent
from andon.runtime import times
from andon.runtime.json_types import JsonObject

_BUS_IDS = UUID("f17e9a34-1c14-4b5c-8f0d-6f9e5f7d9a10")
"""Ids of envelopes follow from those of their events within this namespace, so that a replay has the same ones."""


def http_event(
    route: str,
    *,
    path: Mapping[str, str] | None = None,
    query: Mapping[str, str] | None = None,
    body: object = None,
    headers: Mapping[str, str] | None = None,
    groups: Iterable[str] = ("admin",),
    subject: str = "somebody",
    name: str | None = None,
) -> JsonObject:
    """Return an HTTP API event (payload 2.0) of `route` (`PUT /things/{id}`); a `body` that is no text becomes JSON.

    The claims are those of an access token; `name` is the one that its user signs in with, by default the subject.
    """
    claims = {
        "sub": subject,
        "username": subject if name is None else name,
        "cognito:groups": f"[{' '.join(groups)}]",
        "token_use": "access",
    }
    method, _, template = route.partition(" ")
    raw_path = template
    for part, value in (path or {}).items():
        raw_path = raw_path.replace(f"{{{part}}}", value)
    event: JsonObject = {
        "version": "2.0",
        "routeKey": route,
        "rawPath": raw_path,
        "rawQueryString": urlencode(query or {}, errors="replace"),
        "headers": {"content-type": "application/json"} | dict(headers or {}),
        "requestContext": {
            "requestId": "request-1",
            "stage": "$default",
            "http": {"method": method, "path": raw_path},
            "authorizer": {"jwt": {"claims": claims}},
        },
        "isBase64Encoded": False,
    }
    if path:
        event["pathParameters"] = dict(path)
    if query:
        event["queryStringParameters"] = dict(query)
    if body is not None:
        event["body"] = body if isinstance(body, str) else json.dumps(body)
    return event


def bus_message(event: DomainEvent, *, source: str) -> str:
    """Return the body of a queue's message as the bus fills it, which took the event at the event's own time."""
    return to_message(event, source=source, bus_event=bus_members(f"{source}/{event.id}", event.timestamp_ms))


def bus_members(name: str, at_ms: int) -> JsonObject:
    """Return the members that the bus adds; its time has whole seconds. `name` tells the entry from others."""
    time = f"{times.to_utc(at_ms)[:19]}Z"
    return {"id": str(uuid5(_BUS_IDS, name)), "time": time, "account": "000000000000", "region": "us-east-1"}


def rule_message(published: bytes, *, topic: str, client: str, at_ms: int, principal: str = "certificate") -> str:
    """Return the body of a queue's message as a topic rule writes it, see `andon.ingress.ingress`."""
    body = b64encode(published).decode()
    return json.dumps({"body": body, "topic": topic, "client": client, "principal": principal, "at": at_ms})


def presence_message(happening: str, *, client: str, at_ms: int, version: int = 0, reason: str | None = None) -> str:
    """Return the body of a queue's message about a client of the broker, see `andon.ingress.presence`."""
    members = {"presence": happening, "client": client, "at": at_ms, "version": version}
    return json.dumps(members if reason is None else {**members, "reason": reason})


def provisioning_event(
    template: str, parameters: Mapping[str, object], *, certificate: str = "certificate", claim: str = "claim"
) -> JsonObject:
    """Return the question of AWS IoT to a pre-provisioning hook, see `andon.ingress.provisioning`."""
    return {
        "claimCertificateId": claim,
        "certificateId": certificate,
        "certificatePem": "-----BEGIN CERTIFICATE-----",
        "templateArn": f"arn:aws:iot:us-east-1:000000000000:provisioningtemplate/{template}",
        "clientId": "somebody",
        "parameters": dict(parameters),
    }


def sqs_event(bodies: Iterable[str]) -> JsonObject:
    """Return a batch of a queue's messages."""
    return {"Records": [{"messageId": f"message-{number}", "body": body} for number, body in enumerate(bodies)]}
