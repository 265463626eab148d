from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.schema import Keys
from andon.testing.convergence import diff_rows

KEYS = Keys("pk", "sk", one_partition_per="entity")


def row(sk: str, **attributes: object) -> dict[str, object]:
    return {"pk": "p", "sk": sk, **attributes}


def test_rows_and_attributes_that_came_went_and_changed_are_told_apart() -> None:
    before = [row("changed", a=1, b=1, c=1), row("gone", a=1), row("same", a=1)]
    after = [row("changed", b=2, c=1, d=None), row("new", a="é"), row("same", a=1)]

    assert list(diff_rows(before, after, KEYS)) == [
        *("~ pk = p, sk = changed", "    - a: 1", "    ~ b: 1 -> 2", "    + d: None", "- pk = p, sk = gone"),
        *("    - a: 1", "+ pk = p, sk = new", "    + a: 'é'"),
    ]


rows = st.lists(
    st.builds(lambda sk, a: row(sk, a=a), st.sampled_from("abcd"), st.integers(0, 2)),
    unique_by=lambda one: one["sk"],
    max_size=4,
)


@given(rows, rows)
def test_rows_differ_where_something_changed(before: list[dict[str, object]], after: list[dict[str, object]]) -> None:
    def by_key(one: dict[str, object]) -> str:
        return str(one["sk"])

    same = sorted(before, key=by_key) == sorted(after, key=by_key)
    assert (list(diff_rows(before, after, KEYS)) == []) == same
