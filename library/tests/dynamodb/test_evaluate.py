"""What holds of a row in this process, beside what Python says of the same values."""

from itertools import product

import pytest

from andon.dynamodb.evaluate import condition

NAMES = {"#a": "a", "#k": "k", "#b": "b"}
VALUES = {":a": {"N": "2"}, ":k": {"S": "saw"}}


@pytest.mark.parametrize("a", [None, 1, 2])
@pytest.mark.parametrize(("k", "has_b"), [*product([None, "saw", "oven"], [True, False])])
def test_and_binds_closer_than_or_and_parentheses_closer_than_both(
    a: int | None, k: str | None, *, has_b: bool
) -> None:
    numbers = {} if a is None else {"a": {"N": str(a)}}
    row = numbers | ({} if k is None else {"k": {"S": k}}) | ({"b": {"NULL": True}} if has_b else {})
    request = {"ExpressionAttributeNames": NAMES, "ExpressionAttributeValues": VALUES}
    is_less, is_saw = a is not None and a < 2, k == "saw"

    parts = "#a < :a", "#k = :k", "attribute_exists(#b)"
    assert condition("{} AND ({} OR {})".format(*parts))(row, request) == (is_less and (is_saw or has_b))
    assert condition("{} AND {} OR {}".format(*parts))(row, request) == ((is_less and is_saw) or has_b)
    assert condition("{} OR {} AND {}".format(*parts))(row, request) == (is_less or (is_saw and has_b))
