from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.runtime import times
from andon_gateway.clock import DAY_MS, Clock, offset_ms, said_ms, stamp, to_utc

NOW = 1_790_000_000_123


@given(st.integers(-10_000_000, 10_000_000), st.integers(0, 5000), st.floats(0, 1))
def test_a_clock_that_is_off_is_set_right_to_within_its_answer_and_one_that_is_right_stays(
    ahead_ms: int, took_ms: int, part: float
) -> None:
    date_ms = int(NOW + took_ms * part + ahead_ms) // 1000 * 1000  # the API's, when it answered

    found = offset_ms(date_ms, sent_ms=NOW, received_ms=NOW + took_ms)

    assert abs(found - ahead_ms) <= took_ms + 2000
    if ahead_ms == 0:
        assert found == 0


def test_no_time_is_known_before_an_answer_unless_the_host_has_a_time_server() -> None:
    clock = Clock(is_trusted=False, wall=lambda: 0.0)

    assert not clock.is_known
    for nothing in (None, "", "yesterday"):
        clock.hear(nothing, sent_ms=0, received_ms=0)
    assert not clock.is_known
    clock.hear(formatdate(NOW / 1000, usegmt=True), sent_ms=0, received_ms=0)
    assert (clock.is_known, clock.now_ms()) == (True, 1_790_000_000_500)
    assert Clock(is_trusted=True).is_known


@pytest.mark.parametrize("source_ms", [NOW - 5000, NOW + 300_000])
def test_a_time_of_the_source_that_can_be_is_taken(source_ms: int) -> None:
    assert stamp(source_ms, NOW) == (source_ms, False)


@pytest.mark.parametrize("source_ms", [NOW + 300_001, 253_402_300_799_999, NOW - 33 * DAY_MS, 0])
def test_a_time_that_the_api_would_refuse_is_that_of_receipt(source_ms: int) -> None:
    assert stamp(source_ms, NOW) == (NOW, True)
    assert stamp(None, NOW) == (NOW, False)


LATE = 1_767_224_100_123

TIMES = {  # as machines write them
    "2025-12-31T23:35:00.123Z": LATE,
    "2025-12-31t23:35:00.123z": LATE,
    "2025-12-31 23:35:00.123": LATE,
    "2025-12-31T23:35:00.123+00": LATE,
    "2025-12-31T23:35:00.123+0000": LATE,
    "2026-01-01T05:05:00.123456789+05:30": LATE,
    "2026-01-01T05:05:00,1239999+0530": LATE,
    "2025-12-31T23:35": LATE - 123,
    "2025-12-31T23:35:60Z": None,
    "2025-12-31T24:00:00Z": None,
    "2025-12-31T23:35:00.1234567890Z": None,
    "2025-12-31": None,
    "20251231T233500Z": None,
    "0001-01-01T00:00:00+00:01": None,
    "soon": None,
}
DAY, TIME = r"20[0-9]{2}-[01][0-9]-[0-3][0-9]", r"[0-2][0-9]:[0-6][0-9](:[0-6][0-9]([.,][0-9]{1,10})?)?"
FORM = rf"{DAY}[Tt _]{TIME}([Zz]|[+-][0-9]{{2}}(:?[0-9]{{2}})?)?"


def read_by_the_api(text: str) -> int | None:
    try:
        return times.to_ms(text)
    except ValueError:
        return None


@pytest.mark.parametrize(("text", "ms"), TIMES.items())
def test_a_time_is_read_as_the_api_reads_it(text: str, ms: int | None) -> None:
    assert (said_ms(text), read_by_the_api(text)) == (ms, ms)


@given(st.from_regex(FORM, fullmatch=True) | st.datetimes(timezones=st.timezones() | st.none()).map(str) | st.text())
def test_any_text_is_the_time_that_the_api_takes_it_for(text: str) -> None:
    assert said_ms(text) == read_by_the_api(text)


def test_times_are_fixed_width() -> None:
    assert [to_utc(0), to_utc(NOW)] == ["1970-01-01T00:00:00.000Z", "2026-09-21T14:13:20.123Z"]
