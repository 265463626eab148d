from lab.figure import (
    OF_ONE,
    Circumstances,
    Figure,
    Goal,
    cpu_us,
    filled,
    heading,
    median_ratio,
    missed,
    parts,
    ratios,
    report,
)
from lab.imports import dearest


def test_a_goal_that_is_missed_is_pointed_at() -> None:
    text = report([Figure("a", 1.26, "x", Goal("≤", 1.25)), Figure("b", 35, "%", Goal("≥", 35)), Figure("c", 1)])

    assert [line.rpartition(": ")[2] for line in text.splitlines()[:2]] == ["MISSED", "met"]
    assert "goal" not in text.splitlines()[2]


def test_the_same_of_others_stands_in_their_columns() -> None:
    ours_only = Figure("a", 1, "µs")
    compared = Figure("a", 1, "µs", beside={"aws-lambda-stream": 9, "Powertools": 7})

    assert report([ours_only]).split() == ["a", "1.00", "µs"]
    assert report([compared]).split() == ["a", "1.00", "µs", "7.00", "9.00"]
    assert heading().index("Powertools") + len("Powertools") == report([compared]).index("7.00") + len("7.00")


def test_ratios_are_taken_round_by_round() -> None:
    measured = cpu_us(3, 1, {"one": lambda: None, "other": lambda: None})

    assert [len(rounds) for rounds in measured.values()] == [3, 3]
    assert median_ratio([2.0, 9.0, 4.0], [1.0, 3.0, 2.0]) == 2.0


WHERE = Circumstances(2, "Python 3.11.2", (0.41, 1.56))


def test_a_ratio_with_a_goal_is_named_after_the_figure_that_it_belongs_to() -> None:
    figures = [
        Figure("listener", 100, "µs"),
        Figure("… peer / Andon", 12.5, "x", Goal("≥", 12)),
        Figure("… other / Andon", 8, "x"),
        Figure("cold import", 0.81, "x", Goal("≤", 0.8)),
        Figure("saved", 36, "%", Goal("≥", 35)),
    ]

    assert ratios(figures).splitlines()[2:] == [
        "| listener: peer / Andon | 12.50 | ≥ 12 | met |",
        "| cold import | 0.81 | ≤ 0.8 | **missed** |",
    ]


def test_what_the_api_calls_and_what_is_behind_the_bus_are_judged_by_their_dearest_imports() -> None:
    called, behind = dearest({"services/a/command": 0.7, "views/a/query": 0.9, "services/a/sweep": 0.2})

    assert (called.measured, behind.measured) == (0.9, 0.2)
    assert called.goal
    assert not called.goal.met_by(called.measured)


def test_a_page_that_says_that_a_goal_is_missed_is_found() -> None:
    said = [Figure("a", 1.26, "x", Goal("≤", 1.25)), Figure("b", 35, "x", Goal("≥", 35))]
    page = filled("<!-- bench table --><!-- / --> **missed** <!-- bench ratios --><!-- / -->", parts(said, WHERE))

    assert len(missed(page)) == 2
    assert not missed(filled(page, parts(said[1:], WHERE)))


def test_the_table_has_all_figures_but_those_of_one_import() -> None:
    by_name = parts([Figure("listener", 100, "µs"), Figure(f"{OF_ONE}a.b.command", 0.5, "x")], WHERE)

    assert "listener" in by_name["table"]
    assert OF_ONE not in by_name["table"]


def test_a_place_is_filled_anew_and_all_else_of_a_page_stays() -> None:
    page = "a <!-- bench where -->old<!-- / --> b <!-- dev.alarms -->155<!-- / -->"

    once = filled(page, parts([], WHERE))

    assert once == (
        "a <!-- bench where -->Measured on 2 cores, load average 0.4 before and 1.6 after, Python 3.11.2.<!-- / -->"
        " b <!-- dev.alarms -->155<!-- / -->"
    )
    assert filled(once, parts([], WHERE)) == once
