"""Bodies that are checked as a whole, and responses of which some callers get less."""

import typing
from typing import Annotated, Any, Final, NotRequired, TypedDict

import pytest
from pydantic import ValidationError

from andon.http.derived import PageOf, Shown, model_of, validated
from andon.http.said import LARGEST_ROW_BYTES, Line, fits_row
from andon.runtime import marks
from andon.runtime.marks import Bounds, Says, checked

MARK: Final = Says("a")
MOST: Final = LARGEST_ROW_BYTES // 1000


def _has_no_twins(said: "Shelf") -> None:
    if len({*said["titles"]}) < len(said["titles"]):
        raise ValueError("must name each title once")


@checked(fits_row, _has_no_twins)
class Shelf(TypedDict):
    """Titles, in this order."""

    titles: Annotated[list[Line], Bounds(1, MOST)]
    note: NotRequired[Line]


@pytest.mark.parametrize(
    ("said", "refused"),
    [
        pytest.param({"titles": []}, "List should have at least 1 item after validation, not 0", id="bounds first"),
        pytest.param({"titles": ["a", "a"]}, "must name each title once", id="then the whole"),
        pytest.param(
            {"titles": ["é" * 1000] * MOST},
            f"must be at most {LARGEST_ROW_BYTES} bytes, not {12 + 2003 * MOST}",
            id="its size before what else is wrong",
        ),
    ],
)
def test_a_body_is_checked_as_a_whole_behind_its_members_by_one_function_after_the_other(
    said: dict[str, Any], refused: str
) -> None:
    with pytest.raises(ValidationError) as error:
        validated(Shelf, said)

    assert [one["msg"].removeprefix("Value error, ") for one in error.value.errors()] == [refused]


def test_what_some_callers_do_not_get_is_not_required_of_a_response_nor_of_its_page() -> None:
    shown = Shown(Shelf, "ShelfResponse", lacks=frozenset({"titles"}))

    one, page = model_of(shown), model_of(PageOf(shown, "ShelvesResponse", "A page."))

    schema = page.model_json_schema(mode="serialization")
    assert one.model_json_schema(mode="serialization")["properties"].keys() == {"titles", "note"}
    assert schema["$defs"].keys() == {"ShelfResponse"}
    assert "required" not in schema["$defs"]["ShelfResponse"]


ALIASES: Final = {
    "of a type": (marks.Annotated[str, MARK], typing.Annotated[str, MARK]),
    "of a list": (marks.Annotated[list[str], MARK, 2], typing.Annotated[list[str], MARK, 2]),
    "of one that is marked": (marks.Annotated[marks.Annotated[str, MARK], 2], typing.Annotated[str, MARK, 2]),
    "left out": (marks.NotRequired[str], typing.NotRequired[str]),
    "marked, and left out": (marks.NotRequired[Line], typing.NotRequired[Line]),
}


@pytest.mark.parametrize(("ours", "of_typing"), ALIASES.values(), ids=ALIASES)
def test_an_annotation_that_is_made_quickly_is_that_of_typing(ours: object, of_typing: object) -> None:
    assert (ours, repr(ours), vars(ours)) == (of_typing, repr(of_typing), vars(of_typing))
    assert (typing.get_origin(ours), typing.get_args(ours)) == (
        typing.get_origin(of_typing),
        typing.get_args(of_typing),
    )
