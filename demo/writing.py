"""Writes of the samples, which are made again on a system that has them."""

from collections.abc import Set as AbstractSet
from http import HTTPStatus
from typing import Final

from andon.tools.stack.api import ApiClient
from andon.tools.stack.errors import ToolFailed

WRITTEN: Final = frozenset({HTTPStatus.OK, HTTPStatus.CREATED})
KEPT: Final = WRITTEN | {HTTPStatus.PRECONDITION_REQUIRED}
"""The same, or written before and maybe changed since: that stays."""


def put(api: ApiClient, path: str, body: object, *, well: AbstractSet[HTTPStatus] = WRITTEN) -> None:
    """PUT a body; well: the statuses that are expected.

    Raises:
        Failed: it was answered otherwise.
    """
    answer = api.put(path, body)
    if answer.status not in well:
        raise ToolFailed(f"PUT {path} was answered {answer.status}: {answer.body.decode(errors='replace')}")
