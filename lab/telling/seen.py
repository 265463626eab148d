"""A link that a message has, what it acknowledges, and what became of that."""

from typing import Final
from urllib.parse import urlsplit

from andon.dynamodb.attribute_values import to_plain
from andon.runtime.json_types import JsonObject
from andon.tools.stack.api import ApiClient, HttpResponse
from lab.telling.target import Target

PART: Final = "links"
MACHINE: Final = "linked"
FIRST, SECOND = "op-905", "sv-905"
TABLE: Final = "DispatchTable"
ROUTE: Final = "/links/seen"
ACKNOWLEDGED: Final = "state-acknowledged"


def expect(target: Target, kind: str, effect: str, *, held: bool, seen: str) -> None:
    """Count an attempt of this part."""
    target.record.expect(PART, kind, effect, held=held, seen=seen)


def token_of(link: str) -> str:
    """Return the token in a link."""
    return urlsplit(link).fragment.removeprefix("a=")


def use(target: Target, token: str) -> HttpResponse:
    """Use a token as the page does: nobody is signed in."""
    return ApiClient(target.stack.outputs["ApiUrl"]).request("POST", ROUTE, {"token": token})


def is_untouched(target: Target) -> bool:
    """Return True if nobody has acknowledged what the messages are about."""
    return not acknowledged(target)


def acknowledged(target: Target, machine: str = MACHINE) -> list[JsonObject]:
    """Return the rows of a machine's logs that somebody has seen."""
    database = target.stack.client("dynamodb")
    pages = database.get_paginator("scan").paginate(TableName=target.stack.outputs[TABLE])
    rows = [to_plain(row) for page in pages for row in page["Items"]]
    return [row for row in rows if row.get("discriminator") == "acknowledgement" and row["equipmentId"] == machine]


def facts_about(target: Target, machine: str = MACHINE) -> list[JsonObject]:
    """Return the facts of a machine's logs that somebody has seen."""
    facts = [fact["acknowledgement"] for fact in target.facts(ACKNOWLEDGED)]
    return [one for one in facts if one["equipmentId"] == machine]
