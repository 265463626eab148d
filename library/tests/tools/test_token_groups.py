from typing import Any

from andon.tools.stack.patches import with_groups

POOLS: dict[str, dict[str, Any]] = {"pool": {"_users": {"eva": {"_groups": ["operator"]}}}}


def made(*given: object, **more: object) -> object:
    asked: dict[str, Any] = {}

    def make_token(*_: object, **named: object) -> str:
        asked.update(named)
        return "token"

    assert with_groups(make_token, POOLS.get)(*given, **more) == "token"
    return asked.get("groups")


def test_a_token_that_comes_from_a_refresh_has_the_groups_of_its_user() -> None:
    assert made("sub", "pool", "client", "access", username="eva") == ["operator"]


def test_what_the_emulator_says_itself_stays() -> None:
    assert made("sub", "pool", "client", "access", username="eva", groups=["admin"]) == ["admin"]


def test_a_token_of_nobody_has_no_groups() -> None:
    assert made("sub", "pool", "client", "refresh") is None
    assert made("sub", "no-pool", "client", "access", username="eva") is None
    assert made("sub", "pool", "client", "access", username="omar") is None
