from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.runtime import times
from andon.runtime.clock import DAY_MS

FIRST, LAST = times.to_ms("0001-01-01T00:00:00Z"), times.to_ms("9999-12-31T23:59:59.999Z")
moments = st.integers(FIRST, LAST)
offsets = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda minutes: timezone(timedelta(minutes=minutes)))
# Two days within the calendar's ends, so that every offset has a day to stand on.
datetimes = st.datetimes(min_value=datetime(1, 1, 3), max_value=datetime(9999, 12, 29))  # noqa: DTZ001  strategies want them naive


@given(moments)
def test_a_time_that_is_kept_is_read_back(moment: int) -> None:
    kept = times.to_utc(moment)

    assert times.to_ms(kept) == moment
    assert times.normalised(kept) == kept == times.require_fixed(kept)
    assert len(kept) == len("2026-11-21T09:35:00.000Z")


@given(moments, moments)
def test_the_byte_order_of_kept_times_is_their_order(one: int, other: int) -> None:
    assert (times.to_utc(one).encode() < times.to_utc(other).encode()) == (one < other)


@given(datetimes, offsets)
def test_a_moment_is_kept_the_same_whatever_offset_it_is_written_in(moment: datetime, offset: timezone) -> None:
    moment = moment.replace(tzinfo=UTC)

    assert times.normalised(moment.astimezone(offset).isoformat()) == times.normalised(moment.isoformat())


@given(datetimes)
def test_digits_below_a_millisecond_are_cut_and_never_rounded_up(moment: datetime) -> None:
    text = moment.isoformat(timespec="microseconds")

    assert times.normalised(text) == text[:-3] + "Z"


FORM = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2})?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?)?"


@given(st.text() | st.from_regex(FORM, fullmatch=True))
def test_any_text_is_a_time_or_refused_with_a_value_error(text: str) -> None:
    for read in (times.normalised, times.first_of, times.last_of, times.date, times.require_fixed):
        try:
            kept = read(text)
        except ValueError:
            continue
        assert read is times.date or times.require_fixed(str(kept)) == kept


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+00:01", "9999-12-31T23:59:00-00:01"])
def test_a_time_whose_utc_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="exist"):
        times.normalised(text)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("2026-11-21T09:35:00Z", "2026-11-21T09:35:00.000Z"),
        ("2026-11-21T09:35", "2026-11-21T09:35:00.000Z"),
        ("2026-11-21T09:35:00.1Z", "2026-11-21T09:35:00.100Z"),
        ("2026-11-21T09:35:00,123456789Z", "2026-11-21T09:35:00.123Z"),
        ("2026-11-21T09:35:00.9999999Z", "2026-11-21T09:35:00.999Z"),
        ("1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"),
        ("2026-11-21T00:35:00+02:00", "2026-11-20T22:35:00.000Z"),
        ("2026-12-31T23:35:00-00:30", "2027-01-01T00:05:00.000Z"),
        ("2026-12-31t23:35:00z", "2026-12-31T23:35:00.000Z"),
        ("2026-12-31 23:35:00", "2026-12-31T23:35:00.000Z"),
        ("2026-12-31T23:35:00+00", "2026-12-31T23:35:00.000Z"),
        ("2026-12-31T23:35:00.123456789+0000", "2026-12-31T23:35:00.123Z"),
        ("2026-12-31T23:35-05", "2027-01-01T04:35:00.000Z"),
    ],
)
def test_times_are_kept_as_fixed_width_utc(text: str, kept: str) -> None:
    assert times.normalised(text) == kept


@pytest.mark.parametrize("text", ["2026-12-31T23:59:60Z", "2026-11-21 09:35:60.5+01"])
def test_a_leap_second_is_refused_with_the_reason(text: str) -> None:
    with pytest.raises(ValueError, match="seconds up to 59"):
        times.to_ms(text)


def test_a_date_is_its_whole_day() -> None:
    assert times.first_of("2024-02-29") == "2024-02-29T00:00:00.000Z"
    assert times.last_of("2024-02-29") == "2024-02-29T23:59:59.999Z"
    with pytest.raises(ValueError, match="exist"):
        times.last_of("2026-02-29")


def test_a_time_at_either_end_of_a_range_is_itself() -> None:
    assert times.first_of("2026-11-21T09:35Z") == times.last_of("2026-11-21T09:35Z") == "2026-11-21T09:35:00.000Z"


@given(moments)
def test_a_request_says_a_time_at_which_a_rule_may_be_due(moment: int) -> None:
    text = times.to_utc(moment)
    if text < "2286":
        assert times.said(text) == text
        assert moment + 300 * DAY_MS <= times.LAST_MS
    else:
        with pytest.raises(ValueError, match="before the year 2286"):
            times.said(text)
