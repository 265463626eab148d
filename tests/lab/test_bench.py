from lab import compaction
from lab.figure import Figure, Goal, cpu_us, heading, median_ratio, report


def test_compaction_saves_what_it_is_to_save() -> None:
    assert all(figure.goal and figure.goal.met_by(figure.measured) for figure in compaction.figures())


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
