import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from andon.runtime.log import Logger

LOGGER = Logger("press")


def test_a_line_is_json_with_level_message_time_service_and_members(capsys: pytest.CaptureFixture[str]) -> None:
    LOGGER.info("materialized", extra={"received": 1})

    line = capsys.readouterr().out
    written = json.loads(line)
    assert datetime.now(UTC) >= datetime.fromisoformat(written["timestamp"])
    assert line == (
        f'{{"level":"INFO","message":"materialized","timestamp":"{written["timestamp"]}",'
        '"service":"press","received":1}\n'
    )


def test_a_line_of_metrics_says_its_stage(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAGE", "beta")

    LOGGER.warning("model unreadable", extra={"_aws": {}})

    line = json.loads(capsys.readouterr().out)
    assert (line["level"], line["_aws"], line["stage"]) == ("WARNING", {}, "beta")


def test_an_error_has_its_trace(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="no") as caught:
        int("no")

    LOGGER.error("GET /a", extra={"status": 500}, exc_info=caught.value)

    line = json.loads(capsys.readouterr().out)
    assert (line["level"], line["status"], line["exception_name"]) == ("ERROR", 500, "ValueError")
    assert line["exception"].startswith("Traceback (most recent call last):\n")
    assert line["exception"].endswith("\nValueError: invalid literal for int() with base 10: 'no'")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Decimal("1.5"), "1.5"),
        (datetime(2026, 11, 21, tzinfo=UTC), "2026-11-21 00:00:00+00:00"),
        ("\ud800", "\\ud800"),
        ("°", "°"),
    ],
)
def test_what_is_no_json_is_written_as_text(value: object, written: str, capsys: pytest.CaptureFixture[str]) -> None:
    LOGGER.info("kept", extra={"value": value})

    line = capsys.readouterr().out
    assert f'"value":"{written}"' in line
