from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.ttl import is_alive, is_expired, ttl_at

moments = st.integers(min_value=0, max_value=10**13 - 1)


@given(moments, moments, st.integers(min_value=1, max_value=400))
def test_a_row_lives_exactly_its_days_to_the_second(about: int, now: int, days: int) -> None:
    lives_until = about // 1000 + days * 86_400

    assert ttl_at(about, days) == lives_until
    assert is_expired(ttl_at(about, days), now) == (now // 1000 >= lives_until)


@given(moments, moments)
def test_the_ttl_of_a_later_fact_is_never_earlier(one: int, other: int) -> None:
    earlier, later = sorted([one, other])

    assert ttl_at(earlier, 33) <= ttl_at(later, 33)


def test_ttl_is_in_seconds_while_timestamps_are_in_milliseconds() -> None:
    assert ttl_at(1_587_739_800_999, 33) == 1_590_591_000


def test_the_very_second_of_its_ttl_counts_as_expired() -> None:
    assert not is_expired(1000, 999_999)
    assert is_expired(1000, 1_000_000)
    assert not is_alive({"ttl": 1000}, 1_000_000)
    assert is_alive({"ttl": 1000}, 999_999)


def test_a_row_without_a_ttl_lives_for_ever() -> None:
    assert is_alive({}, 10**15)
