"""A legacy database beside equipment2: whatever is edited on either side, both end alike."""

from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andon.events.domain_event import Entity
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.views.outcome import Outcome
from demo.legacy import assets, mapping
from tests.support.legacy import ID, connect, delete, fresh, insert, require_in_step, update
from tests.support.samples import NOW
from tests.support.services.machines import HALL, LEVELS, delete2, get2, put2, versions2
from tests.support.services.machines import machine as body_of


def test_an_edit_of_each_side_is_found_on_the_other(loop_in_memory: Loop) -> None:
    beside = fresh(loop_in_memory)
    insert(beside)
    beside.settle()
    first = get2(loop_in_memory, ID)
    assert (first.body["levels"], first.headers["etag"]) == ([{"level": "company", "name": "Acme"}], '"1"')

    assert put2(loop_in_memory, ID, body_of("ours", [*LEVELS, HALL]), if_match=1).status == 200
    assert beside.settle() == {Outcome.APPLIED: 1}
    row = beside.connection.execute("SELECT description, district, inspector FROM asset").fetchone()
    assert row == ("ours", "Centro", "Olga")
    require_in_step(loop_in_memory, beside)

    update(beside, "theirs")
    beside.settle()
    assert put2(loop_in_memory, ID, body_of("stale"), if_match=2).status == 412
    assert get2(loop_in_memory, ID).body["levels"] == [*LEVELS, HALL]
    assert [one["changedBy"] for one in versions2(loop_in_memory, ID)] == ["legacy", "somebody", "legacy"]
    require_in_step(loop_in_memory, beside)


class TwoSides:
    """Edits on both sides, and messages that come late, twice or in another order."""

    def __init__(self, loop: Loop, *, skew_ms: int) -> None:
        self.loop, self.beside = loop, fresh(loop, connect(skew_ms=skew_ms))
        self.delivered: list[dict[str, Any]] = []
        self.edits = {"legacy": 0, "equipment2": 0}

    def insert_or_update(self, which: int) -> None:
        name = f"legacy {which}"
        (update if assets.all_assets(self.beside.connection) else insert)(self.beside, name)
        self.edits["legacy"] += 1

    def delete(self, _: int) -> None:
        self.edits["legacy"] += len(assets.all_assets(self.beside.connection))
        delete(self.beside)

    def put(self, which: int) -> None:
        body = body_of(f"ours {which} {self.edits['equipment2']}", [*LEVELS[: 1 + which], HALL])
        assert put2(self.loop, ID, body, if_match=self._version()).status in {200, 201}
        self.edits["equipment2"] += 1

    def delete_here(self, _: int) -> None:
        version = self._version()
        if version:
            assert delete2(self.loop, ID, if_match=version).status == 204
            self.edits["equipment2"] += 1

    def publish(self, _: int) -> None:
        self.beside.publish()

    def deliver(self, which: int) -> None:
        if self.beside.waiting:
            message = self.beside.waiting.pop(which % len(self.beside.waiting))
            self.delivered.append(message)
            self.beside.deliver([message])

    def deliver_again(self, which: int) -> None:
        if self.delivered:
            self.beside.deliver([self.delivered[which % len(self.delivered)]])

    def settle(self) -> None:
        self.beside.publish()
        self.delivered += self.beside.waiting
        self.beside.settle()

    def _version(self) -> int | None:
        answer = get2(self.loop, ID)
        return answer.body["version"] if answer.status == 200 else None


DO: Final = {
    "legacy edits": TwoSides.insert_or_update,
    "legacy deletes": TwoSides.delete,
    "we edit": TwoSides.put,
    "we delete": TwoSides.delete_here,
    "publish": TwoSides.publish,
    "deliver": TwoSides.deliver,
    "deliver again": TwoSides.deliver_again,
}
STEPS = st.lists(st.tuples(st.sampled_from(sorted(DO)), st.integers(0, 3), st.integers(0, 2)), max_size=14)


@settings(max_examples=80)
@given(STEPS, st.integers(-3, 3))
def test_both_end_alike_whatever_is_edited_and_however_it_is_delivered(
    loop_in_memory: Loop, steps: list[tuple[str, int, int]], skew_ms: int
) -> None:
    now, two = NOW, TwoSides(loop_in_memory, skew_ms=skew_ms)
    for step, which, passes_ms in steps:
        now += passes_ms
        with frozen_clock(now):
            DO[step](two, which)
    with frozen_clock(now):
        two.settle()
        require_in_step(loop_in_memory, two.beside)

    published = [message["source"] for message in two.delivered]
    assert {side: published.count(side) for side in two.edits} == two.edits, "each edit is published once"
    history = [one["version"] for one in versions2(loop_in_memory, ID)]
    assert history == list(range(len(history), 0, -1))


def test_without_the_latch_an_edit_comes_back(loop_in_memory: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "SCHEMA", assets.SCHEMA.replace(" WHEN NOT (SELECT closed FROM latch)", ""))
    beside = fresh(loop_in_memory)
    put2(loop_in_memory, ID, body_of("ours"))
    beside.settle()

    assert [one["changedBy"] for one in versions2(loop_in_memory, ID)] == ["legacy", "somebody"]


TEXT = st.text("ab", min_size=1)
ASSETS = st.fixed_dictionaries(
    {**dict.fromkeys(assets.COLUMNS[:4], TEXT), **dict.fromkeys(assets.COLUMNS[4:], st.none() | TEXT)}
)


@given(ASSETS)
def test_what_an_asset_says_comes_back_as_it_was(asset: Any) -> None:  # noqa: ANN401
    content = mapping.from_asset(Entity("asset", {**asset, "asset_no": ID}), None)

    assert mapping.to_asset(Entity("machine", dict(content))) == asset
