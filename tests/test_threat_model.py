"""Every harm in docs/threat-model.md names a test that is there, or says that nothing stops it."""

import re
from pathlib import Path

import pytest

from andon.tools.stack import deploy, emulator
from andon.tools.stack.emulator import Emulator

TESTS = Path(__file__).parent
PROJECT = TESTS.parent
MODEL = PROJECT / "docs" / "threat-model.md"
ROWS = [line for line in MODEL.read_text().splitlines() if line.startswith("| ") and not line.startswith("| harm")]
BY_WHOLE_PATH = ("library/", "gateway/tests/", "lab/tests/")
NAMED = re.compile(r"`([\w/]+\.py)(?:::(\w+))?`")


@pytest.mark.parametrize("row", ROWS)
def test_every_line_ends_with_what_shows_it_or_says_that_it_is_not_stopped(row: str) -> None:
    shown = row.rsplit("|", maxsplit=2)[-2]

    tests, parts = NAMED.findall(shown), re.findall(r"attack: \w+", shown)  # which are there, the tests of lab/ know

    assert tests or parts or "**not stopped**" in shown
    for file, name in tests:
        path = (PROJECT if file.startswith(BY_WHOLE_PATH) else TESTS) / file
        assert f"def {name}(" in path.read_text() if name else path.is_file()


def test_the_emulator_listens_on_this_machine_only(tmp_path: Path) -> None:
    assert emulator._environment(4566, tmp_path)["BIND_HOST"] == "127.0.0.1"  # noqa: SLF001  it is the boundary


def test_a_deployment_here_gets_no_credentials_of_the_persons_own(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {
        "AWS_PROFILE": "mine",
        "AWS_SESSION_TOKEN": "mine",
        "CDK_DEFAULT_ACCOUNT": "mine",
        "AWS_ACCESS_KEY_ID": "mine",
    }
    for name, value in own.items():
        monkeypatch.setenv(name, value)

    given = deploy._environment(Emulator(1, 4566, 4567))  # noqa: SLF001

    assert "mine" not in given.values()
    assert given["AWS_ENDPOINT_URL"] == "http://127.0.0.1:4567"
