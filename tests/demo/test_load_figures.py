import math
from collections import Counter

import pytest

from andon.tools.percentile import percentile
from demo.loading import Discrepancies, InLake, Item, LoadFigures, arrivals, report

A, B, C = (Item("press", f"ERROR 2026-11-21T09:35:00.00{digit}Z") for digit in range(3))

ALL_THERE = Discrepancies(missing=(), repeated=(), extra=())


def figures(**more: object) -> LoadFigures:
    measured: dict[str, object] = {
        "what": "state reports",
        "clients": 2,
        "sending_s": 0.5,
        "answers": Counter({"201": 3}),
        "put_s": [0.010, 0.020, 0.030],
        "seen_s": [0.100, 0.300],
        "not_seen": 0,
        "look_every_s": 0.05,
        "complete_s": 0.4,
        "arrivals": ALL_THERE,
        "lake": InLake(3),
    }
    return LoadFigures(**measured | more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("share", "value"), [(0.5, 50), (0.95, 95), (0.99, 99), (1.0, 100), (0.001, 1)], ids=str)
def test_a_percentile_is_a_value_that_was_measured(share: float, value: float) -> None:
    assert percentile([float(number) for number in range(100, 0, -1)], share) == value


def test_of_few_values_the_highest_percentiles_are_the_worst() -> None:
    assert percentile([3.0, 1.0, 2.0], 0.99) == 3.0


def test_without_values_there_is_no_percentile() -> None:
    assert math.isnan(percentile([], 0.5))


def test_what_arrived_once_is_exact_in_any_order() -> None:
    assert arrivals([A, B], [B, A]) == ALL_THERE
    assert arrivals([A, B], [B, A]).exact


def test_what_is_lost_doubled_or_made_up_is_named() -> None:
    found = arrivals([A, B], [B, B, C])

    assert found == Discrepancies(missing=(A,), repeated=(B,), extra=(C,))
    assert not found.exact


def test_the_report_says_what_was_measured() -> None:
    assert report(figures()).splitlines() == [
        "3 state reports from 2 clients, each sending when its last one was answered",
        "0.5 s, 6 a second",
        "                           p50       p95       p99",
        "PUT answered             20 ms     30 ms     30 ms   (all 3)",
        "PUT -> readable         100 ms    300 ms    300 ms   (2 watched, by a query every 50 ms)",
        "the view had all of it at most 0.4 s after the last answer",
        "each of the 3 is in the view once, and nothing else is",
        "of 3 facts that triggers published, missing in the lake: 0",
    ]
    assert figures().good


def test_the_report_names_what_is_not_as_it_should_be() -> None:
    bad = figures(answers=Counter({"201": 2, "500": 1}), not_seen=1, seen_s=[], arrivals=arrivals([A, B], [B, B, C]))

    said = report(bad)

    assert not bad.good
    assert "1 NEVER SEEN" in said
    assert said.splitlines()[-5:-1] == [
        "NOT ACCEPTED: 1 x 500",
        "MISSING: 1, as press ERROR 2026-11-21T09:35:00.000Z",
        "MORE THAN ONCE: 1, as press ERROR 2026-11-21T09:35:00.001Z",
        "NEVER ACCEPTED: 1, as press ERROR 2026-11-21T09:35:00.002Z",
    ]


@pytest.mark.parametrize(
    "bad",
    [
        {"answers": Counter({"201": 2, "500": 1})},
        {"arrivals": arrivals([A], [])},
        {"not_seen": 1},
        {"lake": InLake(3, missing=(("equipment", "e1"),))},
        {"lake": InLake(3, without_images=(("equipment", "e1"),))},
    ],
    ids=["refused", "lost", "never seen", "not in the lake", "without images"],
)
def test_one_that_was_refused_lost_or_never_seen_is_bad(bad: dict[str, object]) -> None:
    assert not figures(**bad).good


def test_the_report_counts_what_the_lake_lacks() -> None:
    lake = InLake(3, missing=(("equipment", "e1"),), without_images=(("equipment", "e2"), ("equipment", "e3")))

    last = report(figures(lake=lake)).splitlines()[-1]

    assert last == "of 3 facts that triggers published, missing in the lake: 1; WITHOUT BOTH IMAGES: 2"
