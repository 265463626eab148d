import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon_gateway.conditions import Value
from andon_gateway.protobuf import Malformed, integer, member
from andon_gateway.sparkplug_payload import BITS, SIGNED, Metric, Payload, decode, rebirth, typed
from andon_gateway.testing.sparkplug import BOOLEAN, BY_TAHU, DOUBLE, FLOAT, STRING, payload


def test_what_another_encoder_wrote_is_read() -> None:
    found = decode(BY_TAHU)

    assert (found.at_ms, found.seq) == (1_790_000_000_123, 7)
    assert {one.name: typed(one.value, one.datatype) for one in found.metrics} == {
        "i8": -5,
        "i16": -300,
        "i32": -70_000,
        "i64": -5_000_000_000,
        "u8": 250,
        "u16": 65_000,
        "u32": 4_000_000_000,
        "u64": 9_007_199_254_740_991,
        "f": 1.5,
        "d": 81.25,
        "b": True,
        "s": "línea 3",
        "dt": 0,
        "n": None,
        "bad": 5,
        "ds": None,
        "h": 5,
    }
    assert [one.name for one in found.metrics if not one.is_good] == ["bad"]
    assert [one.name for one in found.metrics if one.is_historical] == ["h"]
    assert found.metrics[0][:4] == ("i8", 1, 1_790_000_000_120, 1)


def integers(datatype: int) -> st.SearchStrategy[tuple[int, Value]]:
    bits = BITS[datatype]
    low = -(1 << bits - 1) if datatype in SIGNED else 0
    return st.tuples(st.just(datatype), st.integers(low, low + (1 << bits) - 1))


values = (
    st.sampled_from([*BITS]).flatmap(integers)
    | st.tuples(st.just(FLOAT), st.floats(width=32, allow_nan=False))
    | st.tuples(st.just(DOUBLE), st.floats(allow_nan=False))
    | st.tuples(st.just(BOOLEAN), st.booleans())
    | st.tuples(st.just(STRING), st.text(max_size=5))
    | st.tuples(st.sampled_from([1, DOUBLE, STRING]), st.none())
)
numbers = st.integers(0, 2**64 - 1)
metrics = st.builds(
    lambda typed_value, **rest: Metric(datatype=typed_value[0], value=typed_value[1], **rest),
    values,
    name=st.none() | st.text(max_size=5),
    alias=st.none() | numbers,
    at_ms=st.none() | numbers,
    is_historical=st.booleans(),
    is_good=st.booleans(),
)


@given(st.lists(metrics, max_size=4), st.none() | numbers, st.none() | numbers)
def test_what_was_encoded_comes_back_with_its_sign(sent: list[Metric], seq: int | None, at_ms: int | None) -> None:
    found = decode(payload(sent, seq=seq, at_ms=at_ms))

    metrics = tuple(one._replace(value=typed(one.value, one.datatype)) for one in found.metrics)
    assert found._replace(metrics=metrics) == Payload(
        at_ms, seq or 0, tuple(one._replace(name=one.name or None) for one in sent)
    )


@given(st.integers(-128, 127))
def test_the_sign_comes_back_however_far_it_was_extended(sent: int) -> None:
    assert {typed(sent % (1 << bits), 1) for bits in (8, 32, 64)} == {sent}


@pytest.mark.parametrize(
    ("found", "datatype"),
    [(300, 1), (300, 5), (-1, 5), (1.5, 3), (True, 3), ("7", 3), (7, 10), (7, 12), (7, None), (7, 99), (b"", 17)],
)
def test_a_value_that_is_none_of_its_type_is_unknown(found: Value, datatype: int | None) -> None:
    assert typed(found, datatype) is None


garbage = st.recursive(
    st.binary(max_size=30) | st.builds(integer, st.integers(0, 20), st.integers(0, 2**80)),
    lambda inner: st.builds(member, st.integers(0, 20), inner) | st.lists(inner, max_size=3).map(b"".join),
    max_leaves=8,
)


@given(garbage | st.builds(lambda size, extra: BY_TAHU[:size] + extra, st.integers(0, len(BY_TAHU)), garbage))
def test_bytes_are_a_payload_or_are_said_to_be_none(content: bytes) -> None:
    try:
        found = decode(content)
    except Malformed:
        return
    for one in found.metrics:
        typed(one.value, one.datatype)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x12\x05\x0a", "cut off"),
        (integer(2, 2**63).replace(b"\x10", b"\x12", 1), "cut off"),
        (b"\x08" + b"\x80" * 10, "no end"),
        (b"\x08\x80", "no end"),
        (b"\x02\x00", "field 0"),
        (b"\x0b", "wire type 3"),
        (member(4, b"SPBV1.0_COMPRESSED") + member(5, b"\x1f\x8b"), "compression"),
    ],
)
def test_what_is_no_payload_is_refused_with_the_reason(content: bytes, reason: str) -> None:
    with pytest.raises(Malformed, match=reason):
        decode(content)


def test_what_nobody_knows_is_skipped_and_a_text_that_is_no_utf_8_is_repaired() -> None:
    odd = member(2, integer(99, 7) + member(1, b"\xd6l") + integer(4, STRING) + member(15, b"St\xf6rung"))

    [found] = decode(odd + integer(77, 1) + b"\xc1\x05" + bytes(8)).metrics

    assert found == Metric("\ufffdl", datatype=STRING, value="St\ufffdrung")


def test_the_order_to_be_born_again_is_a_payload() -> None:
    name = "Node Control/Rebirth"

    assert decode(rebirth(1_790_000_000_123)) == Payload(
        1_790_000_000_123, 0, (Metric(name, at_ms=1_790_000_000_123, datatype=BOOLEAN, value=True),)
    )
