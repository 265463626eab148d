"""Details of reports, as the gateway writes and as the API takes them."""

import unicodedata
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from andon.http.derived import validated
from andon_gateway.conditions import Value
from andon_gateway.detail import Detail, cleaned
from andon_gateway.reading import value_of
from services.equipment.bodies import ReportBody

NAMES: Final = ("a", "b", "c")
NUMBERS: Final = st.integers(-3, 3) | st.sampled_from([0.5, -1.5])
VALUES: Final = st.none() | NUMBERS | st.booleans() | st.sampled_from(["ON", "", float("nan"), float("inf")])
any_text: Final = st.text(
    st.characters(exclude_categories=()) | st.sampled_from("\0\a\x85\xad\ufeff\u202e\ue000\u200d 🤷")
)


def taken_by_the_api(detail: str | None) -> str | None:
    """The detail of a report as `POST /states` takes it; raises `ValueError` if it refuses."""
    report = {"equipmentId": "press", "state": "ERROR", "timestamp": "2026-01-01T00:00Z", "detail": detail}
    return validated(ReportBody, report).get("detail")


@given(
    st.sampled_from(["{a}", "{a:.0f} °C", "at {a:>5} {b}", "{{{c}}}", "{a:c}"]),
    st.fixed_dictionaries(dict.fromkeys(NAMES, VALUES | any_text.map(value_of) | st.integers(0, 0x110000))),
)
def test_a_detail_of_any_values_is_a_text_that_the_api_takes(text: str, values: dict[str, Value]) -> None:
    detail = Detail.parse(text, NAMES).of(values)

    assert taken_by_the_api(detail) == detail


@given(any_text.filter(bool))
def test_a_text_that_the_api_takes_stays_as_the_api_keeps_it_but_for_joiners(text: str) -> None:
    try:
        kept = taken_by_the_api(text) or ""
    except ValueError:
        return
    without = "".join(one for one in kept if unicodedata.category(one) != "Cf")
    assert cleaned(text) == unicodedata.normalize("NFC", without)
