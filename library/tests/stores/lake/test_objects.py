import gzip
import json
from datetime import UTC, datetime, timedelta, timezone
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.recorded.lake import MOST_LINE_BYTES, Envelope, lines_of
from andon.stores.lake.batch import key_of, lines_in, objects_of, partition_of, to_bytes, to_object

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)

TEXTS = st.text(st.characters(codec="utf-8"), max_size=12) | st.just("a\u2028b\x85c")


def envelope(number: int, *, at: str = "2026-11-21T12:00:00Z", note: str = "") -> Envelope:
    detail = {"id": f"fact-{number}", "type": "state-reported", "note": note}
    return {"id": f"bus-{number}", "source": "equipment", "detail-type": "state-reported", "time": at, "detail": detail}


def bodies(envelopes: list[Envelope]) -> list[str]:
    return [json.dumps(one, ensure_ascii=False) for one in envelopes]


@st.composite
def batches(draw: st.DrawFn) -> list[Envelope]:
    """Events of one hour, some more than once."""
    seconds = draw(st.lists(st.integers(0, 3599), min_size=1, max_size=8))
    made = [
        envelope(number, at=f"{NOON + timedelta(seconds=second):%Y-%m-%dT%H:%M:%SZ}", note=draw(TEXTS))
        for number, second in enumerate(seconds)
    ]
    return made + draw(st.lists(st.sampled_from(made), max_size=3))


@given(batches(), st.randoms())
def test_a_batch_has_one_key_and_one_content_in_whatever_order_it_comes(batch: list[Envelope], chance: Random) -> None:
    shuffled = batch.copy()
    chance.shuffle(shuffled)

    assert key_of(shuffled) == key_of(batch)
    assert to_object(bodies(shuffled)) == to_object(bodies(batch))


@given(batches())
def test_every_line_comes_back_as_it_was_and_once(batch: list[Envelope]) -> None:
    assert sorted(lines_of(to_object(bodies(batch)))) == sorted(set(bodies(batch)))


@given(batches())
def test_another_event_is_another_object(batch: list[Envelope]) -> None:
    assert key_of([*batch, envelope(99)]) != key_of(batch)


def test_neither_key_nor_bytes_know_when_they_were_made(monkeypatch: pytest.MonkeyPatch) -> None:
    batch = [envelope(1), envelope(2)]
    before = key_of(batch), to_object(bodies(batch))

    monkeypatch.setattr("time.time", lambda: 4_000_000_000.0)

    assert (key_of(batch), to_object(bodies(batch))) == before
    assert before[1][4:8] == bytes(4)  # gzip's time


def test_a_key_names_day_hour_the_earliest_second_and_24_digits() -> None:
    key = key_of([envelope(1, at="2026-11-21T09:59:59Z"), envelope(2, at="2026-11-21T09:05:07Z")])

    folder, _, name = key.rpartition("/")
    assert folder == "events/day=2026-11-21/hour=09"
    assert name.startswith("090507-")
    assert len(name.removeprefix("090507-").removesuffix(".ndjson.gz")) == 24


@pytest.mark.parametrize("at", ["2026-11-21T23:30:00Z", "2026-11-22T01:30:00+02:00", "2026-11-21T23:30:00.999Z"])
def test_an_event_lies_in_the_hour_in_which_the_bus_took_it(at: str) -> None:
    assert partition_of(envelope(1, at=at)) == "events/day=2026-11-21/hour=23/"


@given(st.integers(0, 10**9), st.integers(-12, 14))
def test_a_partition_is_the_same_wherever_the_clock_stood(seconds: int, offset: int) -> None:
    moment = NOON + timedelta(seconds=seconds)

    elsewhere = envelope(1, at=moment.astimezone(timezone(timedelta(hours=offset))).isoformat())
    assert partition_of(elsewhere) == partition_of(envelope(1, at=moment.isoformat()))


def line_of(body: str) -> str:
    [line] = lines_in(body, now_ms=10**13).lines
    return line.text


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_an_envelope_over_many_lines_becomes_one_line_that_means_the_same(note: str) -> None:
    one = envelope(1, note=note)

    for written in (json.dumps(one, indent=2), json.dumps(one, indent=2).replace("\n", "\r\n")):
        line = line_of(written)
        assert json.loads(line) == {**one, "id": "equipment/fact-1"}
        assert [*lines_of(to_object([line]))] == [line]


@pytest.mark.parametrize("value", ['"Über\u2028 \\t"', "1.50", "1e+2", "12345678901234567890123", '"\\u00e9"', "{ }"])
def test_what_happened_is_kept_to_the_byte_as_the_bus_wrote_it(value: str) -> None:
    detail = f'{{"id":"fact-1","value":{value}}}'
    head = f'{{"version":"0","id":"%s","detail-type":"seen","source":"equipment","time":"{NOON:%Y-%m-%dT%H:%M:%SZ}"'
    line = f'{head % "equipment/fact-1"},"detail":{detail}}}'

    assert line_of(f'{head % "bus-1"},"detail":{detail}}}') == line
    assert line_of(f'{{"detail":{detail},{(head % "bus-1")[1:]}}}') == line
    assert gzip.decompress(to_object([line])) == f"{line}\n".encode()


@pytest.mark.parametrize("own", [None, "", 1, "0" * 64], ids=["none", "empty", "no text", "a digest"])
def test_an_event_without_an_id_of_its_own_has_the_one_of_the_bus_and_one_that_is_a_digest_stays_out_of_keys(
    own: object,
) -> None:
    [body] = bodies([{**envelope(1), "detail": {"id": own}}])

    assert json.loads(line_of(body))["id"] == "bus-1"


UNREADABLE = {
    "no JSON": "no JSON",
    "nothing": "",
    "a number": "1",
    "a list": "[]",
    "NaN": json.dumps(envelope(1) | {"detail": {"value": float("nan")}}),
    "a lone surrogate": json.dumps(envelope(1, note="\ud800")),
    "a raw surrogate": json.dumps(envelope(1, note="\ud800"), ensure_ascii=False),
    "no detail": json.dumps({**envelope(1), "detail": None}),
    "a text for its detail": json.dumps({**envelope(1), "detail": "{}"}),
    "no id": json.dumps({**envelope(1), "id": ""}),
    "a number for its id": json.dumps({**envelope(1), "id": 1}),
    "no source": json.dumps({**envelope(1), "source": None}),
    "no time": json.dumps({**envelope(1), "time": None}),
    "a time without an offset": json.dumps(envelope(1, at="2026-11-21T12:00:00")),
    "a time that is none": json.dumps(envelope(1, at="noon")),
    "a time before time": json.dumps(envelope(1, at="0001-01-01T00:00:00+14:00")),
}


@pytest.mark.parametrize("body", UNREADABLE.values(), ids=UNREADABLE)
def test_what_no_reader_could_use_as_a_line_has_a_key_of_its_own(body: str) -> None:
    [kept] = objects_of([("message-1", body)], now_ms=0)

    assert lines_in(body, now_ms=0) == ([], False)
    assert (kept.key, kept.body) == ("unreadable/message-1", to_bytes(body))


@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_no_text_stops_a_batch(body: str) -> None:
    assert lines_in(body, now_ms=0) == ([], False)
    assert not any(one.is_readable for one in objects_of([("message-1", body)], now_ms=0))


def test_an_object_is_unpacked_no_further_than_its_lines_are_asked_for() -> None:
    lines = lines_of(gzip.compress(b"first\n" + b"x" * 100_000 + b"\n") + b"no gzip")

    assert [len(next(lines)) for _ in range(2)] == [5, 100_000]
    with pytest.raises(gzip.BadGzipFile):
        next(lines)


def test_a_line_that_is_longer_than_any_event_is_refused() -> None:
    lines = lines_of(to_object(["first", "x" * (MOST_LINE_BYTES + 1)]))

    assert next(lines) == "first"
    with pytest.raises(ValueError, match="longer than any event"):
        next(lines)
