from hypothesis import given
from hypothesis import strategies as st

from andon.dynamodb.expressions import query_request
from andon.dynamodb.schema import BeginsWith, Between, GreaterThan, KeyQuery, Keys, LessThan
from andon.tools.stack.patches import SLOT, faster

KEYS = Keys("pk", "sk", one_partition_per="entity")
TEXTS = st.text("ab#é\U0001f600", max_size=3)
HOLDS = {
    BeginsWith: lambda sort, key: key.startswith(sort.prefix),
    Between: lambda sort, key: sort.first.encode() <= key.encode() <= sort.last.encode(),
    LessThan: lambda sort, key: key.encode() < sort.bound.encode(),
    GreaterThan: lambda sort, key: key.encode() > sort.bound.encode(),
}


class LeftToTheEmulator(Exception):
    pass


def emulator(*_: object, **__: object) -> bool:
    raise LeftToTheEmulator


evaluate = faster(emulator)


@given(
    st.one_of(
        TEXTS.map(BeginsWith), st.tuples(TEXTS, TEXTS).map(lambda ends: Between(*sorted(ends))),
        TEXTS.map(LessThan), TEXTS.map(GreaterThan),
    ),
    TEXTS,
)  # fmt: skip
def test_a_condition_holds_where_bytes_say_so(sort: BeginsWith | Between | LessThan | GreaterThan, key: str) -> None:
    request = query_request(KeyQuery(keys=KEYS, partition="p", sort=sort))

    holds = evaluate(
        request["KeyConditionExpression"],
        {"pk": {"S": "p"}, "sk": {"S": key}},
        request["ExpressionAttributeValues"],
        request["ExpressionAttributeNames"],
        slot=SLOT,
    )

    assert holds == HOLDS[type(sort)](sort, key)


def test_what_is_not_known_is_left_to_the_emulator() -> None:
    row, names = {"pk": {"S": "p"}, "sk": {"N": "1"}}, {"#p": "pk", "#s": "sk"}
    unknown = [
        ("#p = :p AND #s < :s", {":s": {"N": "2"}}, SLOT),
        ("#p = :p AND #s BETWEEN :s AND :t", {":s": {"S": "b"}, ":t": {"S": "a"}}, SLOT),
        ("#p = :p AND #s BETWEEN :s", {":s": {"S": "b"}}, SLOT),
        ("#p = :p AND size(#s) < :s", {":s": {"S": "b"}}, SLOT),
        ("#p = :p AND #s < :s", {":s": {"S": "b"}}, "ConditionExpression"),
    ]

    for expression, values, slot in unknown:
        try:
            evaluate(expression, row, values, names, slot=slot)
        except LeftToTheEmulator:
            continue
        raise AssertionError(expression)
