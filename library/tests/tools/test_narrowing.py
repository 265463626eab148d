from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.expressions import query_request
from andon.dynamodb.schema import BeginsWith, Between, GreaterThan, KeyQuery, Keys, LessThan
from andon.tools.stack.patches import Partitions, Rows, Wanted, narrowed, sort_condition

Sort = BeginsWith | Between | LessThan | GreaterThan

KEYS = Keys("pk", "sk", one_partition_per="entity")
TEXTS = st.text("ab#é\U0001f600", min_size=1, max_size=3)
SORTS = st.one_of(
    TEXTS.map(BeginsWith),
    st.tuples(TEXTS, TEXTS).map(lambda ends: Between(*sorted(ends))),
    TEXTS.map(LessThan),
    TEXTS.map(GreaterThan),
)


def request_of(sort: Sort, start: str | None, limit: int | None, *, forward: bool) -> dict[str, Any]:
    request = query_request(KeyQuery(keys=KEYS, partition="p", sort=sort, forward=forward))
    if start is not None:
        request["ExclusiveStartKey"] = {"pk": {"S": "p"}, "sk": {"S": start}}
    return request if limit is None else {**request, "Limit": limit}


def page(rows: Rows, request: dict[str, Any]) -> list[str]:
    """Return the sort keys of a page, as the emulator finds them: it orders all rows, tests them, and cuts."""
    condition = sort_condition(
        request["KeyConditionExpression"], request["ExpressionAttributeValues"], request["ExpressionAttributeNames"]
    )
    assert condition
    forward = request.get("ScanIndexForward", True)
    found = [key for key in sorted(rows, reverse=not forward) if condition.holds(key)]
    if start := request.get("ExclusiveStartKey", {}).get("sk", {}).get("S"):
        found = [key for key in found if (key > start if forward else key < start)]
    return found[: request.get("Limit")]


@given(
    st.frozensets(TEXTS), SORTS, st.none() | TEXTS, st.none() | st.integers(1, 3), st.booleans()
)  # fmt: skip
def test_a_page_is_the_same_of_the_rows_that_it_wants(
    keys: frozenset[str],
    sort: Sort,
    start: str | None,
    limit: int | None,
    forward: bool,  # noqa: FBT001
) -> None:
    rows: Rows = {key: {"sk": {"S": key}} for key in keys}
    request = request_of(sort, start, limit, forward=forward)
    wanted = Wanted.by(request)
    assert wanted

    few = wanted.of(rows)

    assert page(few, request) == page(rows, request)
    assert limit is None or len(few) <= limit + 1


def test_only_a_query_of_text_keys_of_a_table_sees_less() -> None:
    tables = Partitions(dict, {"p": {"a": {}, "b": {}}})
    by_prefix = request_of(BeginsWith("a"), None, None, forward=True)
    queries = [
        (by_prefix, {"a"}),
        ({**by_prefix, "IndexName": "ByTime"}, {"a", "b"}),
        ({**by_prefix, "KeyConditionExpression": "#p = :p"}, {"a", "b"}),
    ]

    for request, seen in queries:
        assert narrowed(lambda _: tables.get("p", {}).keys())(request) == seen
    assert tables.get("p") == {"a": {}, "b": {}}
    assert tables.get("q", {}) == {}
