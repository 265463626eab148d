import pytest

from andon.rules.micro_event_store import hold_back_ms


@pytest.mark.parametrize(("seconds", "expected"), [(None, 30_000), ("0", 0), ("0.5", 500), ("1e1", 10_000)])
def test_the_environment_sets_the_hold_back(
    monkeypatch: pytest.MonkeyPatch, seconds: str | None, expected: int
) -> None:
    monkeypatch.delenv("HOLD_BACK_SECONDS", raising=False)
    if seconds is not None:
        monkeypatch.setenv("HOLD_BACK_SECONDS", seconds)

    assert hold_back_ms() == expected
