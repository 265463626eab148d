"""Adds a user's groups to a refreshed token: the emulator leaves them out.

Cognito writes `cognito:groups` into each access token, and a caller without groups may do nothing.
"""

from collections.abc import Callable
from typing import Any

Pool = dict[str, Any]


def with_groups(make_token: Callable[..., str], pool_of: Callable[[str], Pool | None]) -> Callable[..., str]:
    """Wrap the emulator's function that writes a token, so that a user's token has the user's groups."""

    def wrapped(sub: str, pool_id: str, *rest: Any, **more: Any) -> str:  # noqa: ANN401  the emulator's
        user = ((pool_of(pool_id) or {}).get("_users") or {}).get(more.get("username"))
        if user and "groups" not in more:
            more["groups"] = user.get("_groups", [])
        return make_token(sub, pool_id, *rest, **more)

    return wrapped
