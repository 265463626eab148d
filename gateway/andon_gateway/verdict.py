"""Verdict of an answer of `POST /states` on the reports of its batch. Pure."""

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from andon_gateway.reading import json_of, repaired

LONGEST_WAIT_S: Final = 3600.0
MAX_REASON: Final = 200
INDEX: Final = re.compile(r"body\.(\d{1,3})(?:\.|$)")

# Their errors name reports that will never be taken; nothing of the batch was published.
REFUSING: Final = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.REQUEST_ENTITY_TOO_LARGE})
# Without a name it is found by halving. Not 403: that is a right which the gateway lacks, and no matter of a report.
HALVING: Final = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE})


class Answer(NamedTuple):
    """An HTTP response; names of headers in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Verdict(NamedTuple):
    """done, refused: indexes of the batch, the latter with reasons; the others are to be sent again.

    waits: before that a pause; at_least_s: no shorter than this. is_too_much: fewer at a time. token_ended: with
    another token. trouble: for the page of health.
    """

    done: frozenset[int] = frozenset()
    refused: Mapping[int, str] = {}
    waits: bool = False
    at_least_s: float = 0
    is_too_much: bool = False
    token_ended: bool = False
    trouble: str | None = None


def judge(count: int, answer: Answer | None) -> Verdict:
    """Return the verdict on a batch of `count` reports; answer: None if there was none, or it broke off."""
    if answer is None:
        return Verdict(waits=True, trouble="no answer")
    trouble = f"status {answer.status}"
    body = _json_of(answer)
    if answer.status == HTTPStatus.ACCEPTED:
        # A page of somebody who sits between, and has no idea of reports, takes nothing.
        is_ours = isinstance(body.get("ids"), list) and len(body["ids"]) == count
        return Verdict(frozenset(range(count))) if is_ours else Verdict(waits=True, trouble="202 without the ids")
    named, is_whole = _named(body, count)
    if answer.status in REFUSING and named:
        return Verdict(refused={index: f"{answer.status}: {reason}" for index, reason in named.items()})
    if answer.status in HALVING:
        return Verdict(refused={0: trouble}) if count == 1 else Verdict(is_too_much=True, trouble=trouble)
    done: frozenset[int] = frozenset()
    if answer.status == HTTPStatus.SERVICE_UNAVAILABLE and named and is_whole:
        done = frozenset(range(count)) - named.keys()
    return Verdict(
        done,
        waits=True,
        at_least_s=_retry_after_s(answer),
        token_ended=answer.status == HTTPStatus.UNAUTHORIZED,
        trouble=trouble,
    )


def _json_of(answer: Answer) -> Mapping[str, Any]:
    try:
        body = json_of(answer.body)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _named(body: Mapping[str, Any], count: int) -> tuple[dict[int, str], bool]:
    """Return the reports that errors name, with the reasons, and True if each error names one."""
    errors = body.get("errors")
    if not isinstance(errors, list):
        return {}, False
    named: dict[int, str] = {}
    is_whole = True
    for error in errors:
        field = error.get("field") if isinstance(error, dict) else None
        found = INDEX.match(field) if isinstance(field, str) else None
        if found and int(found[1]) < count:
            named[int(found[1])] = repaired(f"{field} {error.get('detail', '')}".strip()[:MAX_REASON])
        else:
            is_whole = False
    return named, is_whole


def _retry_after_s(answer: Answer) -> float:
    said = answer.headers.get("retry-after", "")
    return min(float(said), LONGEST_WAIT_S) if said.isascii() and said.isdigit() else 0
