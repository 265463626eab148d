import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, RenderableType

from andon.tools.console import screen
from andon.tools.console.emulated import API, QueueWatch, Sample, Samples, StackSnapshot
from andon.tools.console.screen import FaultRow, faults_of
from andon.tools.console.widgets import Metric, Statistic, Widget, WidgetTable
from tests.support.samples import NOW

APPLIED = Metric("Andon", "applied", (("view", "board"),))
REQUESTS = Metric(API, "Count", (("ApiId", "a1"),))
WAITING = Metric("AWS/SQS", "ApproximateNumberOfMessagesVisible", (("QueueName", "q1"),))
OLDEST = Metric("AWS/SQS", "ApproximateAgeOfOldestMessage", (("QueueName", "q1"),))


def drawn(shown: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=140)
    with console.capture() as captured:
        console.print(shown)
    return captured.get()


def reading(*tables: WidgetTable, waiting: int = 0) -> StackSnapshot:
    samples = Samples()
    samples.add(Sample(APPLIED, NOW - second * 1000, 2) for second in range(1, 31))
    samples.add([Sample(Metric(API, "Count"), NOW - 1, 1)])
    queues = {"q1": {"ApproximateNumberOfMessages": waiting, "ApproximateNumberOfMessagesNotVisible": 0}}
    watch = QueueWatch({"q1": NOW - 4_000})
    return StackSnapshot(at_ms=NOW, window_ms=300_000, tables=tables, samples=samples, queues=queues, watch=watch)


def line_with(text: str, word: str) -> list[str]:
    [line] = [line for line in text.splitlines() if line.lstrip().startswith(word)]
    return line.split()


def test_a_table_of_sums_has_a_rate_and_a_trend() -> None:
    table = WidgetTable("what became of events", (Widget("board: x", {"applied": Statistic(APPLIED, "Sum")}),))

    text = drawn(screen.flow(reading(table), stack="here"))

    assert line_with(text, "board")[:3] == ["board", "60", "2.0"]
    assert line_with(text, "board")[3] == "▄█"


def test_requests_are_found_although_lines_do_not_name_the_api() -> None:
    table = WidgetTable("requests", (Widget("HTTP: requests", {"count": Statistic(REQUESTS, "Sum")}),))

    assert line_with(drawn(screen.flow(reading(table), stack="here")), "HTTP")[1] == "1"


def test_a_queue_is_shown_as_it_is_now_and_what_nobody_knows_is_a_question_mark() -> None:
    age = Metric("AWS/Lambda", "IteratorAge", (("FunctionName", "f"),))
    shown = {
        "waiting": Statistic(WAITING, "Maximum"),
        "oldest": Statistic(OLDEST, "Maximum"),
        "age": Statistic(age, "Maximum"),
    }

    text = drawn(screen.flow(reading(WidgetTable("queue", (Widget("board: queue", shown),)), waiting=12), stack="here"))

    assert line_with(text, "board") == ["board", "12", "4", "?"]


def test_of_the_queues_where_messages_end_only_those_with_messages_are_listed() -> None:
    rows = tuple(Widget(f"{name}: wait", {"now": Statistic(WAITING, "Maximum")}) for name in ("one", "two"))
    table = WidgetTable("Messages that wait for a person", rows)

    assert "all 2 are empty" in drawn(screen.flow(reading(table), stack="here"))
    assert line_with(drawn(screen.flow(reading(table, waiting=3), stack="here")), "two") == ["two", "3"]


@given(st.lists(st.integers(0, 10**6), min_size=1))
def test_a_sparkline_has_a_bar_for_each_sum_which_is_blank_for_0_only_and_never_lower_for_more(sums: list[int]) -> None:
    bars = screen.sparkline(sums)

    assert len(bars) == len(sums)
    assert [bar == " " for bar in bars] == [one == 0 for one in sums]
    in_order = [screen.BARS.index(bar) for _, bar in sorted(zip(sums, bars, strict=True))]
    assert in_order == sorted(in_order)


def test_faults_are_listed_with_the_chosen_one_marked_and_their_text_is_no_markup() -> None:
    item = {
        "id": "f" * 64,
        "timestamp": "2026-11-22T02:00:00.000Z",
        "consumer": "board.listener",
        "error": {"name": "Poison", "message": "[red]not JSON"},
    }
    listed = faults_of({"items": [item, {**item, "resubmittedAt": "2026-11-22T02:01:00.000Z"}]})

    text = drawn(screen.faults(listed, chosen=1))

    assert text.count("Poison: [red]not JSON") == 2
    assert line_with(text, "▶")[:2] == ["▶", "ffffffff"]
    assert "02:01:00" in text
    assert isinstance(listed[0], FaultRow)
    assert "No faults." in drawn(screen.faults([]))
