import sys

import pytest

from andon.project import project
from andon.tools.stack import demo, emulator
from andon.tools.stack.stack import Stack
from contract import groups
from demo import demo as sample

TOKENS = {(role, None, ()): "token" for role in groups.ALL}


@pytest.mark.parametrize("tokens", [TOKENS, {}], ids=["the API does not answer", "no sign-in"])
def test_an_episode_that_goes_another_way_is_a_warning(
    tokens: dict[tuple[str, str | None, tuple[str, ...]], str],
) -> None:
    nowhere = f"http://{emulator.HOST}:{emulator.free_port()}"
    stack = Stack({"ApiUrl": nowhere, "Endpoint": nowhere, "UserPoolId": "-", "UserPoolClientId": "-"}, dict(tokens))

    played, ending = sample.lived_through(stack, run=1)

    assert played == []
    assert ending.startswith("WARNING: the episode (events/scenarios/episode.jsonl) ended after 0 calls: ")


def test_what_to_paste_names_the_api_and_the_board_and_is_short() -> None:
    text = sample.how_to_go_on(Stack({"ApiUrl": "http://127.0.0.1:4567", "BoardUrl": "http://127.0.0.1:4567/"}))

    assert "http://127.0.0.1:4567/equipment/gdl-press-1/states/" in text
    assert "  http://127.0.0.1:4567/#/board/Acme/Guadalajara\n" in text
    assert len(text.splitlines()) <= 7


def test_the_demo_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert demo.find() is sys.modules[sample.__name__]

    monkeypatch.setattr(demo, "project", lambda: project()._replace(demo=None))

    assert demo.find() is None
