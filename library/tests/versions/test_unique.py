"""Unique fields of a resource: no two living things have the same value, whatever is done, broken off and repeated."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.schema import TableSchema
from andon.runtime.errors import Rejected
from andon.testing.crash_points import AFTER, BEFORE, Breaking, Interruption
from andon.testing.memory.aws import AwsInMemory
from andon.versions.claims import OWNER
from andon.versions.optimistic_lock import Saved
from andon.versions.resource import HISTORY_SCHEMA, Resource
from andon.versions.versioned_write import Versions
from toys import gallery
from toys.gallery import PICTURES, PictureEntity, PictureRow, command

UNIQUE: Final[Resource[PictureRow, PictureEntity]] = gallery.pictures(
    unique={"title": lambda title: {"pk": f"Title#{title}", "sk": "-"}}
)
SCHEMAS: Final = {
    gallery.TABLE.variable: TableSchema(gallery.KEYS, stream=True),
    PICTURES.history.variable: HISTORY_SCHEMA,
}
CONFLICT: Final = 409


class Pictures(AwsInMemory):
    """The tables of pictures."""

    def __init__(self) -> None:
        super().__init__(SCHEMAS)

    def rows(self) -> list[dict[str, Any]]:
        found, start = list[dict[str, Any]](), self.tables[gallery.TABLE.variable]
        found.extend({name: next(iter(value.values())) for name, value in row.items()} for row in start.rows())
        return found

    @property
    def claims(self) -> dict[str, str]:
        """Who has each title, by the claims."""
        rows = (row for row in self.rows() if row["pk"].startswith("Title#"))
        return {row["pk"].removeprefix("Title#"): row[OWNER] for row in rows}

    @property
    def titles(self) -> dict[str, str]:
        """Who has each title, by the pictures."""
        living = (row for row in self.rows() if row["discriminator"] == "picture" and "deleted" not in row)
        return {row["title"]: row["id"] for row in living}


def put(picture: str, title: str, version: int | None) -> Saved[PictureRow]:
    said = {"title": title}
    return UNIQUE.save(picture, said, command(["PUT", picture, said], if_match=version))


def delete(picture: str, version: int | None) -> Saved[PictureRow]:
    return UNIQUE.delete(picture, command(["DELETE", picture], if_match=version))


def roll_back(picture: str, to: int, version: int | None) -> Saved[PictureRow]:
    return UNIQUE.roll_back(picture, to, command(["POST", picture, to], if_match=version))


def status_of(do: Callable[[], Saved[PictureRow]]) -> tuple[int, int]:
    """Return the status, and the version that was made."""
    try:
        saved = do()
    except Rejected as error:
        return int(error.status), 0
    return 201 if saved.created else 200, saved.row["version"]


@pytest.mark.parametrize("first", [None, "One"])
def test_a_version_that_comes_to_be_between_read_and_save_keeps_no_title(
    monkeypatch: pytest.MonkeyPatch, first: str | None
) -> None:
    with Pictures() as pictures:
        version = None if first is None else put("sea", first, None).row["version"]
        read = Versions.current

        def overtaken(versions: Versions[Any]) -> Any:  # noqa: ANN401  a row
            row = read(versions)
            monkeypatch.undo()
            put("sea", "Two", version)
            return row

        monkeypatch.setattr(Versions, "current", overtaken)
        status_of(partial(put, "sea", "Three", (version or 0) + 1))

        assert pictures.claims == pictures.titles


def test_who_has_a_title_keeps_it_until_it_is_given_another_one_or_deleted() -> None:
    with Pictures() as pictures:
        assert status_of(partial(put, "sea", "Sea", None)) == (201, 1)
        assert status_of(partial(put, "see", "Sea", None)) == (CONFLICT, 0)
        assert status_of(partial(put, "sea", "Ocean", 1)) == (200, 2)
        assert status_of(partial(put, "see", "Sea", None)) == (201, 1)
        assert status_of(partial(roll_back, "sea", 1, 2)) == (CONFLICT, 0)
        assert status_of(partial(delete, "see", 1)) == (200, 2)
        assert status_of(partial(roll_back, "sea", 1, 2)) == (200, 3)
        assert status_of(partial(put, "see", "Sea", 2)) == (CONFLICT, 0)  # what the tombstone says, another one has
        assert status_of(partial(put, "see", "Ocean", 2)) == (201, 3)
        assert pictures.claims == pictures.titles == {"Sea": "sea", "Ocean": "see"}


def test_the_409_names_the_field() -> None:
    with Pictures():
        put("sea", "Sea", None)
        with pytest.raises(Rejected, match=r"Another picture has this title\."):
            put("see", "Sea", None)


orders = st.tuples(
    st.sampled_from(["put", "put", "put", "delete", "roll back"]),
    st.sampled_from(["sea", "see"]),
    st.sampled_from(["A", "B"]),
    st.sampled_from([0, 0, 0, -1, 1]),
    st.sampled_from(["", "", BEFORE, AFTER]),
    st.integers(1, 3),
)


def ordered(kind: str, picture: str, title: str, off: int) -> Callable[[], Saved[PictureRow]]:
    row = UNIQUE.versions_of(picture).current()
    version = None if row is None else row["version"] + off
    if kind == "put":
        return partial(put, picture, title, version)
    return partial(delete, picture, version) if kind == "delete" else partial(roll_back, picture, 1, version)


@given(st.lists(orders, max_size=14))
def test_titles_are_those_of_living_pictures_whatever_was_done_and_broken(sequence: list[Any]) -> None:
    with Pictures() as pictures:
        for kind, picture, title, off, when, call in sequence:
            do = ordered(kind, picture, title, off)
            before = pictures.claims
            first = Breaking(Interruption(when, killed=True), call) if when else Breaking.nothing()
            begun = first.interrupt(partial(status_of, do))
            assert pictures.claims == pictures.titles

            status, version = status_of(do)

            assert begun in {None, (status, version)}, "a retry is answered as the first time"
            assert pictures.claims == pictures.titles
            if status == CONFLICT and kind == "put":
                assert before.get(title, picture) != picture
