import pytest

from andon.rules.hold_back import hold_back_ms


@pytest.mark.parametrize(("seconds", "expected"), [("45", 45_000), ("0", 0), ("0.5", 500), ("1e1", 10_000)])
def test_the_environment_says_how_long_a_decision_waits(
    monkeypatch: pytest.MonkeyPatch, seconds: str, expected: int
) -> None:
    monkeypatch.setenv("HOLD_BACK_SECONDS", seconds)

    assert hold_back_ms() == expected


def test_a_decision_waits_for_half_a_minute_where_the_environment_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOLD_BACK_SECONDS", raising=False)

    assert hold_back_ms() == 30_000
