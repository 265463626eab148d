import json

from andon.tools.console.widgets import Metric, Statistic, Widget, logged, tables_of, widgets_of

LAG = Metric("Andon", "lag", (("view", "board"),))


def body(*widgets: tuple[str, list[object]]) -> str:
    return json.dumps({"widgets": [{"properties": {"title": title, "metrics": metrics}} for title, metrics in widgets]})


def test_a_widget_says_what_is_shown_of_which_metric_under_each_label() -> None:
    listed = ["Andon", "lag", "view", "board", {"label": "p99", "stat": "p99", "period": 60}]

    [widget] = widgets_of(body(("board: from the bus to the row (ms)", [listed])))

    assert (widget.subject, widget.what) == ("board", "from the bus to the row (ms)")
    assert widget.shown == {"p99": Statistic(LAG, "p99")}
    assert LAG.about == "board"


def test_a_widget_that_asks_the_log_says_which_members_of_whose_lines_it_adds_up() -> None:
    query = "SOURCE 'BoardLogs' | filter x\n| stats sum(`a.applied`) as `crossed`, max(`oldest`) as `oldest` by bin(1m)"
    asking = json.dumps({"widgets": [{"properties": {"title": "board: edits", "query": query}}]})

    [widget] = widgets_of(asking)

    crossed, oldest = (logged(name, "BoardLogs") for name in ("a.applied", "oldest"))
    assert widget.shown == {"crossed": Statistic(crossed, "Sum"), "oldest": Statistic(oldest, "Maximum")}


def test_dimensions_have_one_order() -> None:
    listed = ["Andon", "lag", "view", "board", "stage", "dev", {"label": "x", "stat": "Sum"}]

    [widget] = widgets_of(body(("all", [listed])))

    assert widget.shown["x"].metric.dimensions == (("stage", "dev"), ("view", "board"))


def test_widgets_that_show_the_same_are_one_table_with_a_row_for_each_subject() -> None:
    shown = Statistic(LAG, "p50")
    widgets = [Widget("b: lag", {"p50": shown}), Widget("b: queue", {}), Widget("a: lag", {"p50": shown, "p99": shown})]

    lag, queue = tables_of(widgets)

    assert (lag.title, [row.subject for row in lag.rows], lag.columns) == ("lag", ["b", "a"], ("p50", "p99"))
    assert (queue.title, len(queue.rows)) == ("queue", 1)


def test_a_widget_about_everything_has_a_row_for_each_label() -> None:
    shown = Statistic(LAG, "Maximum")

    [table] = tables_of([Widget("Messages that wait", {"one": shown, "two": shown})])

    assert [(row.subject, dict(row.shown)) for row in table.rows] == [("one", {"now": shown}), ("two", {"now": shown})]
