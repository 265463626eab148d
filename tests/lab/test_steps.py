import pytest

from lab import steps
from lab.clients import ENVIRONMENT


def test_the_steps_and_the_rest_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(steps, "ROUNDS", 1)
    monkeypatch.setattr(steps, "TIMES", 1)

    figures = steps.figures()

    starts = [number for number, figure in enumerate(figures) if not figure.what.startswith("… ")]
    for start, end in zip(starts, [*starts[1:], len(figures)], strict=True):
        whole, *parts = figures[start:end]
        assert whole.measured == pytest.approx(sum(part.measured for part in parts))
        assert {part.unit for part in figures} == {"µs"}
    assert len(starts) == 2
