"""Writes the people of the samples down in the service `people`, by their badges and by their subjects."""

import base64
import json
from http import HTTPStatus
from typing import Final

from andon.tools.stack.api import path_of
from andon.tools.stack.stack import Stack
from contract import groups
from demo.factory import FACTORY, OPERATORS, SUPERVISOR
from demo.people import PEOPLE, name_of
from demo.writing import KEPT, put

KEPT_OR_ERASED: Final = KEPT | {HTTPStatus.CONFLICT}


def write_down(stack: Stack) -> None:
    """Write down who has which badge; what was written down before stays.

    Raises:
        Failed: something was refused.
    """
    for badge, person in PEOPLE.items():
        _put(stack, badge, person.name, person.factory_id)


def write_down_users(stack: Stack) -> None:
    """Write down who signs in to the demo factory: its people by their badges, and one user for each role.

    Raises:
        Failed: something was refused.
    """
    users = [(groups.SUPERVISOR, SUPERVISOR), *((groups.OPERATOR, operator) for operator in OPERATORS)]
    for role, badge in users:
        _put(stack, _subject_in(stack.token(role, badge)), name_of(badge), FACTORY)
    for role in (groups.SUPERVISOR, groups.OPERATOR):
        _put(stack, _subject_in(stack.token(role)), role, FACTORY)


def write_down_episode(stack: Stack, *, run: int) -> None:
    """Write down the people of a run of the episode, see `events/scenarios/episode.jsonl`.

    Raises:
        Failed: something was refused.
    """
    crew = {f"op-{run}30": "Ana", f"op-{run}31": "Eva", f"op-{run}32": "Luis", f"op-{run}33": "Omar"}
    for badge, name in {**crew, f"sv-{run}04": "Rosa"}.items():
        _put(stack, badge, name, f"mills-{run}")


def _put(stack: Stack, person: str, name: str, factory_id: str) -> None:
    body = {"name": name, "factoryId": factory_id}
    put(stack.api(groups.SUPERVISOR), path_of("people", person), body, well=KEPT_OR_ERASED)


def _subject_in(token: str) -> str:
    claims = token.split(".")[1]
    return str(json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["sub"])
