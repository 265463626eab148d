"""Webhooks that lead into the private network, and addresses where nobody may read them."""

import gzip
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from typing import Final

from andon.dynamodb.attribute_values import to_plain
from andon.tools.listings import keys_in
from andon.tools.stack.api import path_of
from andon.tools.stack.processes import eventually
from bench.telling.providers import MAIL, WEBHOOK, Behaviour
from bench.telling.target import CONTACTS, Target, request
from contract import groups

PART: Final = "addresses"
WITHIN_S: Final = 90
BY_NAME, BY_REDIRECT = "op-970001", "op-970002"
NAME: Final = "inside.localhost"  # libcurl resolves it to this machine, as a name of somebody else's could
NOT_PUBLIC: Final = "AddressNotPublic"
GZIP: Final = b"\x1f\x8b"


class Inside:
    """A server of the private network; counts who connects."""

    def __init__(self) -> None:
        self.connections, self._socket = 0, socket.create_server(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])

    def accept(self) -> None:
        """Count connections until it is closed."""
        with suppress(OSError):
            while True:
                self._socket.accept()[0].close()
                self.connections += 1

    def close(self) -> None:
        """Listen no more."""
        self._socket.close()


def webhooks(target: Target) -> None:
    """Let a webhook's name lead to this machine, on AWS's settings; and let another one redirect there."""
    with _inside() as inside:
        address = f"https://{NAME}:{inside.port}/hook"
        target.configure(OUTBOUND_SINK="", WEBHOOK_HOSTS=f"{NAME}:{inside.port}")
        try:
            _refused(target, inside, BY_NAME, address, NOT_PUBLIC)
        finally:
            target.configure()
        target.providers.behave(WEBHOOK, Behaviour(HTTPStatus.TEMPORARY_REDIRECT, location=address))
        try:
            _refused(target, inside, BY_REDIRECT, "https://redirects.example.com/hook", "HTTP 307")
        finally:
            target.providers.behave(WEBHOOK, Behaviour())


def nowhere(target: Target) -> None:
    """Look for every address in what is stored, logged and answered to others."""
    for place, text in (*_lake(target), *_logs(target), *_rows(target), *_answers(target)):
        found = [address for address in sorted(target.addresses) if address in text]
        target.record.expect(PART, place, "has an address", held=not found, seen=" ".join(found[:3]))


@contextmanager
def _inside() -> Iterator[Inside]:
    inside = Inside()
    threading.Thread(target=inside.accept, daemon=True).start()
    try:
        yield inside
    finally:
        inside.close()


def _refused(target: Target, inside: Inside, person: str, address: str, reason: str) -> None:
    target.reach(person, webhook=address, mail=f"{person}@example.com")
    began = time.time()
    target.ask([request(person, f"press-of-{person}")])
    eventually(lambda: any(one.address.startswith(person) for one in target.providers.got(MAIL)), within_s=WITHIN_S)
    eventually(lambda: bool(_reasons(target, person)), within_s=WITHIN_S)
    told = [one.at - began for one in target.providers.got(MAIL, since=began) if one.address.startswith(person)]
    seen = f"{reason}: {_reasons(target, person)}, {inside.connections} connections, by mail after {told}"
    held = _reasons(target, person) == [reason] and not inside.connections and bool(told)
    target.record.expect(PART, f"a webhook into the private network, {reason}", "not refused", held=held, seen=seen)
    target.record.notes.append(f"webhook into the private network: {seen}")


def _reasons(target: Target, person: str) -> list[str]:
    failures = (fact["failure"] for fact in target.facts("delivery-failed"))
    return [one["reason"] for one in failures if one["person"] == person]


def _lake(target: Target) -> Iterator[tuple[str, str]]:
    s3 = target.stack.client("s3")
    for bucket in (one["Name"] for one in s3.list_buckets()["Buckets"] if "lake" in one["Name"].lower()):
        for key in keys_in(s3, bucket):
            body = s3.get_object(Bucket=bucket, Key=key)["Body"].read()
            yield "the lake", (gzip.decompress(body) if body.startswith(GZIP) else body).decode(errors="replace")


def _logs(target: Target) -> Iterator[tuple[str, str]]:
    logs = target.stack.client("logs")
    for page in logs.get_paginator("describe_log_groups").paginate():
        for group in page["logGroups"]:
            for lines in logs.get_paginator("filter_log_events").paginate(logGroupName=group["logGroupName"]):
                yield "a log", "\n".join(line["message"] for line in lines["events"])


def _rows(target: Target) -> Iterator[tuple[str, str]]:
    database = target.stack.client("dynamodb")
    for name, table in target.stack.outputs.items():
        if name.endswith("Table") and name != CONTACTS:
            for page in database.get_paginator("scan").paginate(TableName=table):
                yield f"a table: {name}", json.dumps([to_plain(row) for row in page["Items"]], default=str)


def _answers(target: Target) -> Iterator[tuple[str, str]]:
    machines = {about["equipmentId"] for one in target.facts("person-told") for about in one["told"]["about"]}
    api = target.stack.api(groups.OPERATOR)
    for machine in sorted(machines):
        yield "an answer", api.get(path_of("equipment", machine, "tellings")).body.decode()
    for fact in target.facts("person-told"):
        path = path_of("people", fact["told"]["person"], "contact")
        for group in (groups.OPERATOR, groups.SUPERVISOR):
            yield f"a contact, to {group}", target.stack.api(group).get(path).body.decode()
