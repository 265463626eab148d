from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.expressions import Condition
from andon.dynamodb.key_query import KeyQuery
from andon.http.page import MAX_PAGE_BYTES, Scope, encode_cursor, read_page
from andon.runtime import strict_json
from andon.runtime.errors import Invalid
from andon.testing.examples import ON_TABLES
from andon.testing.wire import Wire
from toys.clock import NOW
from toys.things import BY_COLOUR, KEYS, TABLE, World

FREE = Condition("attribute_not_exists(pk)")
SCOPE: Scope = {"route": "GET /things", "path": {}, "query": {}}
EXPIRED, ALIVE = NOW // 1000, NOW // 1000 + 1


def put(name: str, sort: str, **attributes: object) -> None:
    TABLE.put({"pk": name, "sk": sort, **attributes}, condition=FREE)


def read(query: KeyQuery, *, limit: int = 100, cursor: str | None = None, scope: Scope = SCOPE) -> Any:  # noqa: ANN401  JSON
    return read_page(
        TABLE, query, to_response=lambda row: {"sk": row["sk"]}, scope=scope, limit=limit, cursor=cursor, now_ms=NOW
    )


def read_all(query: KeyQuery, limit: int) -> tuple[list[str], int]:
    """Follow the cursors to the end; give the sort keys and the number of pages."""
    page = read(query, limit=limit)
    found, pages = [item["sk"] for item in page["items"]], 1
    while "cursor" in page:
        assert len(page["items"]) <= limit
        page = read(query, limit=limit, cursor=page["cursor"])
        found += [item["sk"] for item in page["items"]]
        pages += 1
    return found, pages


def whole(name: str) -> KeyQuery:
    return KeyQuery(keys=KEYS, partition=name)


@pytest.mark.parametrize("limit", range(1, 7))
def test_following_the_cursors_gives_each_row_once_in_order(world: World, name: str, limit: int) -> None:
    assert world.thing(name) is None
    sorts = [f"k{number}" for number in range(5)]
    for sort in sorts:
        put(name, sort, colour=name)

    of_index = KeyQuery(keys=BY_COLOUR, index_name="ByColour", partition=name)

    assert read_all(whole(name), limit)[0] == sorts[::-1]
    assert read_all(of_index, limit)[0] == sorts[::-1]
    assert read_all(KeyQuery(keys=KEYS, partition=name, forward=True), limit)[0] == sorts


def test_rows_that_share_the_key_of_an_index_are_each_given_once(world: World, name: str) -> None:
    for number in range(5):
        put(f"{name}.{number}", "same", colour=name)
    of_index = KeyQuery(keys=BY_COLOUR, index_name="ByColour", partition=name)

    assert [len(read_all(of_index, limit)[0]) for limit in (1, 2, 3)] == [5, 5, 5]
    assert world.thing(name) is None


@pytest.mark.usefixtures("world")
def test_a_page_is_one_request(name: str, wire: Wire) -> None:
    for number in range(4):
        put(name, str(number))
    wire.requests.clear()

    _, pages = read_all(whole(name), 2)

    assert wire.operations == ["Query"] * pages


def read_pages(query: KeyQuery, *, to_response: Callable[[Any], Mapping[str, Any]]) -> Iterator[list[Any]]:
    cursor: str | None = None
    while True:
        page = read_page(TABLE, query, to_response=to_response, scope=SCOPE, limit=1000, cursor=cursor, now_ms=NOW)
        yield page["items"]
        if "cursor" not in page:
            return
        cursor = page["cursor"]


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("character", ["x", "工", '"', "\\", "\x01"], ids=ascii)
def test_a_page_ends_before_the_response_is_too_long_for_lambda_and_goes_on_from_there(
    name: str, character: str
) -> None:
    sorts = [f"{number:02d}" for number in range(20)]
    for sort in sorts:
        put(name, sort, colour=name, ttl=EXPIRED if sort == "07" else ALIVE)
    detail = character * 200_000

    for query in (whole(name), KeyQuery(keys=BY_COLOUR, index_name="ByColour", partition=name)):
        pages = list(read_pages(query, to_response=lambda row: {"sk": row["sk"], "detail": detail}))

        found = [item["sk"] for page in pages for item in page]
        assert found == [sort for sort in reversed(sorts) if sort != "07"]
        for page in pages:
            # As Lambda sends it: the body is a text within JSON.
            sent = strict_json.dumps({"body": strict_json.dumps({"items": page})}).encode()
            assert len(sent) <= MAX_PAGE_BYTES + 1000
            assert page


@pytest.mark.usefixtures("world")
def test_a_page_has_an_item_however_long_it_is(name: str) -> None:
    for sort in "ab":
        put(name, sort)

    pages = list(read_pages(whole(name), to_response=lambda row: {"sk": row["sk"], "detail": "x" * MAX_PAGE_BYTES}))

    assert [[item["sk"] for item in page] for page in pages] == [["b"], ["a"]]


@pytest.mark.usefixtures("world")
def test_a_cursor_leads_on_within_the_partition_of_the_request_only(name: str) -> None:
    for sort in "abc":
        put(name, sort)
        put(f"{name}'", sort)
    cursor = read(whole(name), limit=1)["cursor"]

    # The same question, as far as the checksum goes: only the partition tells them apart.
    page = read(whole(f"{name}'"), limit=1, cursor=cursor)

    assert page["items"] == [{"sk": "b"}]


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize("sort", [7, "", "x" * 1025])
def test_a_forged_cursor_that_dynamodb_refuses_is_a_bad_request(name: str, sort: str | int, wire: Wire) -> None:
    put(name, "a")
    wire.fail("Query", "ValidationException")
    cursor = encode_cursor({"pk": name, "sk": sort}, partition="pk", scope=SCOPE)

    with pytest.raises(Invalid):
        read(whole(name), cursor=cursor)


@pytest.mark.usefixtures("world")
def test_an_error_that_is_not_the_cursors_fault_is_raised_as_it_is(name: str, wire: Wire) -> None:
    wire.fail("Query", "ValidationException")
    with pytest.raises(Exception, match="Validation"):
        read(whole(name))


@ON_TABLES
@given(
    st.lists(st.tuples(st.integers(0, 30), st.booleans()), unique_by=lambda row: row[0], max_size=8), st.integers(1, 9)
)
def test_every_row_that_lives_is_given_once(world: World, rows: list[tuple[int, bool]], limit: int) -> None:
    name = f"{rows} {limit}"
    for sort, expired in rows:
        put(name, f"{sort:02d}", ttl=EXPIRED if expired else ALIVE)

    found, pages = read_all(whole(name), limit)

    assert found == sorted((f"{sort:02d}" for sort, expired in rows if not expired), reverse=True)
    assert pages <= len(rows) // limit + 1
    assert world.thing(name) is None
