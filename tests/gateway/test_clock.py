from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon_gateway.clock import DAY_MS, Clock, offset_ms, stamp, to_utc

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


def test_times_are_fixed_width() -> None:
    assert [to_utc(0), to_utc(NOW)] == ["1970-01-01T00:00:00.000Z", "2026-09-21T14:13:20.123Z"]
