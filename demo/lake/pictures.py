"""The pictures of the factory's saved queries."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from andon.tools.lake.engine import Record
from andon.tools.lake.plots import BLUE, GREY, PALE, Picture, dates, hours_between, rows_of, tidy, to_moments

RED, AMBER, GREEN = "#c2413a", "#e3a02f", "#8cb98a"
MOST_BARS: Final = 30  # more cannot be read; the first ones are the worst
DAYS: Final = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
FEW: Final = 8  # more names do not fit beside each other
DENSE: Final = 40  # from so many facts of a kind on, marks are drawn thin


def _mtbf_mttr(figure: Figure, records: Sequence[Record]) -> None:
    """Draw a bar for each line, and on it a dot for each of its machines."""
    lines = [one for one in records if one["level"] == "line"][:MOST_BARS]
    machines = [one for one in records if one["level"] == "machine"]
    figure.set_size_inches(11, 1.6 + 0.32 * len(lines))
    left, right = figure.subplots(1, 2, sharey=True)
    labels = [_place(line) for line in lines]
    for axes, column, what in ((left, "mtbf_hours", "MTBF, hours"), (right, "mttr_minutes", "MTTR, minutes")):
        axes.barh(labels, [line[column] or 0 for line in lines], color=PALE, height=0.62)
        dots = [one for one in machines if _place(one) in labels and one[column] is not None]
        axes.scatter(
            [one[column] for one in dots], [_place(one) for one in dots], s=14, color=BLUE, alpha=0.6, zorder=3
        )
        tidy(axes, what)
    left.invert_yaxis()
    left.plot([], [], "o", color=BLUE, alpha=0.6, markersize=4, label="one machine")
    left.legend(loc="lower right", frameon=False, fontsize=9)


def _availability(figure: Figure, records: Sequence[Record]) -> None:
    """Draw what each line lost: the lower its dot, the more."""
    found = records[:MOST_BARS]
    figure.set_size_inches(9, 1.6 + 0.32 * len(found))
    axes = figure.subplots()
    labels, values = [_place(one) for one in found], [one["availability_percent"] or 0 for one in found]
    axes.hlines(labels, values, 100, color=PALE, linewidth=6)
    axes.plot(values, labels, "o", color=BLUE, markersize=8)
    for label, value in zip(labels, values, strict=True):
        axes.annotate(f"{value:.1f}", (value, label), (-10, 0), textcoords="offset points", ha="right", va="center")
    lowest = min(values)
    axes.set_xlim(lowest - 0.2 * (100 - lowest or 1), 100)
    axes.set_ylim(len(found) - 0.4, -0.6)
    tidy(axes, "percent of the time that machines ran")


def _planned_stops(figure: Figure, records: Sequence[Record]) -> None:
    """Draw the stops of each line: planned ones to the left, unplanned ones to the right, how many and for how long."""
    found = records[:MOST_BARS]
    figure.set_size_inches(11, 1.8 + 0.34 * len(found))
    left, right = figure.subplots(1, 2, sharey=True)
    labels = [_place(one) for one in found]
    for axes, what, unit in ((left, "stops", "stops"), (right, "hours", "hours")):
        planned = [-one[f"planned_{what}"] for one in found]
        unplanned = [one[f"unplanned_{what}"] for one in found]
        axes.barh(labels, planned, color=BLUE, height=0.62, label="planned")
        axes.barh(labels, unplanned, color=RED, height=0.62, label="unplanned", hatch="//", edgecolor="white")
        axes.axvline(0, color=GREY, linewidth=1)
        axes.xaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
        tidy(axes, unit)
    left.invert_yaxis()
    left.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize=9)


def _time_to_finish(figure: Figure, records: Sequence[Record]) -> None:
    """Draw for each kind the span from the median to what nine of ten take, and what was expected."""
    found = [one for one in records if one["median_minutes"] is not None][:MOST_BARS]
    figure.set_size_inches(9, 1.8 + 0.36 * len(found))
    axes = figure.subplots()
    labels, medians = [one["kind"] for one in found], [one["median_minutes"] for one in found]
    _draw_spans(axes, labels, medians, [one["nine_of_ten_within_minutes"] for one in found])
    expected = [one for one in found if one["planned_minutes"] is not None]
    places = [one["kind"] for one in expected]
    axes.plot([one["planned_minutes"] for one in expected], places, "D", color=AMBER, markersize=6, label="expected")
    axes.invert_yaxis()
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, frameon=False, fontsize=9)
    tidy(axes, "minutes from start to end")


def _call_times(figure: Figure, records: Sequence[Record]) -> None:
    """Draw for each category the span from the median to nine of ten: until somebody comes, and until it is over."""
    found = [one for one in records if one["median_minutes_to_take"] is not None][:MOST_BARS]
    figure.set_size_inches(11, 1.8 + 0.34 * len(found))
    left, right = figure.subplots(1, 2, sharey=True)
    labels = [f"{one['factory']}  {one['category']}" for one in found]
    for axes, what, done in ((left, "take", "taken"), (right, "close", "closed")):
        medians = [one[f"median_minutes_to_{what}"] or 0 for one in found]
        _draw_spans(axes, labels, medians, [one[f"nine_of_ten_{done}_within"] or 0 for one in found])
        tidy(axes, f"minutes until {done}")
    left.invert_yaxis()
    left.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize=9)


def _causes(figure: Figure, records: Sequence[Record]) -> None:
    """Draw a Pareto for each factory: bars of the minutes, the worst first, and a line of their running share."""
    factories = list(dict.fromkeys(one["factory"] for one in records))
    figure.set_size_inches(11, 1.2 + 3 * len(factories))
    rows = figure.subplots(len(factories), 1, squeeze=False)[:, 0]  # each has its own order of causes
    for axes, factory in zip(rows, factories, strict=True):
        found = [one for one in records if one["factory"] == factory][:MOST_BARS]
        places = range(len(found))
        axes.bar(places, [one["minutes"] for one in found], color=BLUE, width=0.62)
        axes.set_xticks(places, [one["cause"] for one in found], rotation=30 if len(found) > FEW else 0)
        axes.set_title(factory, loc="left", fontsize=9, color=GREY)
        tidy(axes, "")
        axes.set_ylabel("minutes lost", color=GREY)
        share = axes.twinx()
        share.plot(places, [one["cumulative_percent"] or 0 for one in found], "o-", color=AMBER, linewidth=2)
        share.set_ylim(0, 105)
        share.set_ylabel("percent of all", color=GREY)


def _tellings(figure: Figure, records: Sequence[Record]) -> None:
    """Draw what each person's channels took and what they did not, and how soon the person heard by each."""
    found = records[:MOST_BARS]
    figure.set_size_inches(11, 1.8 + 0.34 * len(found))
    left, right = figure.subplots(1, 2, sharey=True)
    labels = [f"{one['person']}  {one['channel']}" for one in found]
    taken, failed = [one["messages"] for one in found], [one["failed"] for one in found]
    left.barh(labels, taken, color=PALE, height=0.62, label="told")
    left.barh(labels, failed, left=taken, color=RED, height=0.62, label="failed", hatch="//", edgecolor="white")
    tidy(left, "messages")
    _draw_heard(right, [one for one in found if one["median_seconds"] is not None])
    left.invert_yaxis()
    left.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize=9)


def _draw_heard(axes: Axes, heard: Sequence[Record]) -> None:
    medians, tails = ([one[column] for one in heard] for column in ("median_seconds", "nine_of_ten_within_seconds"))
    _draw_spans(axes, [f"{one['person']}  {one['channel']}" for one in heard], medians, tails)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, frameon=False, fontsize=9)
    tidy(axes, "seconds until told")


def _duty_load(figure: Figure, records: Sequence[Record]) -> None:
    """Draw what is asked of each person by day and by night, and how soon somebody answers then."""
    people = list(dict.fromkeys(one["person"] for one in records))[:MOST_BARS]
    found = [one for one in records if one["person"] in people]
    figure.set_size_inches(11, 1.8 + 0.4 * len(people))
    left, right = figure.subplots(1, 2, sharey=True)
    for part, colour, place in (("day", AMBER, -0.2), ("night", BLUE, 0.2)):
        own = {people.index(one["person"]) + place: one for one in found if one["part"] == part}
        left.barh([*own], [one["requests"] for one in own.values()], color=colour, height=0.36, label=part)
        _draw_answers(right, own, colour)
    left.set_yticks(range(len(people)), people)
    left.invert_yaxis()
    left.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=2, frameon=False, fontsize=9)
    tidy(left, "requests for help")
    right.set_xlim(left=0)
    tidy(right, "minutes until answered: the median, and nine of ten")


def _draw_answers(axes: Axes, of_people: Mapping[float, Record], colour: str) -> None:
    paced = {place: one for place, one in of_people.items() if one["median_minutes_to_answer"] is not None}
    places, medians = [*paced], [one["median_minutes_to_answer"] for one in paced.values()]
    tails = [one["nine_of_ten_answered_within"] for one in paced.values()]
    axes.hlines(places, medians, tails, color=PALE, linewidth=6)
    axes.plot(medians, places, "o", color=colour)
    axes.plot(tails, places, "|", color=GREY, markersize=10, markeredgewidth=2)


def _operators(figure: Figure, records: Sequence[Record]) -> None:
    """Draw each operator's load, and beside it the span from the median response to that of nine in ten."""
    found = records[:MOST_BARS]
    figure.set_size_inches(11, 1.6 + 0.34 * len(found))
    left, right = figure.subplots(1, 2, sharey=True)
    _draw_loads(left, found)
    _draw_responses(right, found)
    left.invert_yaxis()


def _draw_loads(axes: Axes, found: Sequence[Record]) -> None:
    axes.barh([one["operator"] for one in found], [one["logs"] for one in found], color=PALE, height=0.62)
    for one in found:
        axes.annotate(
            f"{one['logs']:,}", (one["logs"], one["operator"]), (4, 0), textcoords="offset points", va="center"
        )
    axes.margins(x=0.12)
    tidy(axes, "reports assigned")


def _draw_responses(axes: Axes, found: Sequence[Record]) -> None:
    paced = [one for one in found if one["median_response_minutes"] is not None]
    labels, medians = [one["operator"] for one in paced], [one["median_response_minutes"] for one in paced]
    _draw_spans(axes, labels, medians, [one["nine_of_ten_within_minutes"] for one in paced])
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2, frameon=False, fontsize=9)
    tidy(axes, "minutes until acknowledged")


def _draw_spans(axes: Axes, labels: Sequence[str], medians: Sequence[float], tails: Sequence[float]) -> None:
    axes.hlines(labels, medians, tails, color=PALE, linewidth=6)
    axes.plot(medians, labels, "o", color=BLUE, label="median")
    axes.plot(tails, labels, "|", color=GREY, markersize=12, markeredgewidth=2, label="nine of ten within")
    axes.set_xlim(left=0)


def _escalations_by_hour(figure: Figure, records: Sequence[Record]) -> None:
    """Draw the week as a calendar of hours."""
    counts = [[0] * 24 for _ in DAYS]
    for one in records:
        counts[one["weekday"] - 1][one["hour"]] = one["escalations"]
    figure.set_size_inches(11, 4)
    axes = figure.subplots()
    _draw_counts(axes, counts)
    axes.set_yticks(range(7), DAYS)
    axes.set_xticks(range(24), [f"{hour:02}" for hour in range(24)])
    axes.set_xlabel("hour of the day, UTC", color=GREY)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _draw_counts(axes: Axes, counts: list[list[int]]) -> None:
    most = max(map(max, counts))
    axes.imshow(counts, cmap="OrRd", aspect="equal", vmin=0, vmax=most * 1.15)
    for day, hours in enumerate(counts):
        for hour, count in enumerate(hours):
            if count:
                ink = "white" if count > 0.7 * most else "black"
                axes.text(hour, day, str(count), ha="center", va="center", fontsize=8, color=ink)


def _facts_by_type_by_hour(figure: Figure, records: Sequence[Record]) -> None:
    """Draw each type by itself: one that is rare would be flat beside the reports."""
    totals: dict[str, int] = {}
    for one in records:
        totals[one["type"]] = totals.get(one["type"], 0) + one["facts"]
    types = sorted(totals, key=lambda kind: -totals[kind])
    figure.set_size_inches(11, 1.2 + 1.15 * len(types))
    moments = hours_between(records[0]["hour"], records[-1]["hour"])
    for axes, kind in zip(rows_of(figure, len(types)), types, strict=True):
        counts = {one["hour"]: one["facts"] for one in records if one["type"] == kind}
        _draw_steps(axes, moments, [counts.get(f"{moment:%Y-%m-%dT%H:%MZ}", 0) for moment in moments])
        axes.set_title(f"{kind}: {totals[kind]:,}", loc="left", fontsize=9, color=GREY)
    dates(figure.axes[-1])


def _draw_steps(axes: Axes, moments: Sequence[Any], values: Sequence[int]) -> None:
    axes.fill_between(moments, values, step="post", color=PALE)
    axes.step(moments, values, where="post", color=BLUE, linewidth=1)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(2, integer=True))
    tidy(axes, "")


def _story(figure: Figure, records: Sequence[Record]) -> None:
    """Draw the states as a band over time, and below it a lane for each other type of fact."""
    states = [one for one in records if one["type"] == "state-reported"]
    others = [one for one in records if one["type"] != "state-reported"]
    lanes = sorted({one["type"] for one in others}, key=[one["type"] for one in others].index)
    figure.set_size_inches(12, 2 + 0.4 * len(lanes))
    axes = figure.subplots()
    _draw_band(axes, states, until=records[-1]["happened_at"])
    for lane, kind in enumerate(lanes, 1):
        moments = to_moments([one["happened_at"] for one in others if one["type"] == kind])
        axes.plot(moments, [lane] * len(moments), "|" if len(moments) > DENSE else "o", color=BLUE, markersize=7)
    axes.set_yticks(range(len(lanes) + 1), ["state", *lanes])
    axes.set_ylim(len(lanes) + 0.7, -0.7)
    tidy(axes, "")
    dates(axes)


def _draw_band(axes: Axes, states: Sequence[Record], *, until: str) -> None:
    for one, end in zip(states, [*(one["happened_at"] for one in states[1:]), until], strict=True):
        begin, over = to_moments([one["happened_at"], end])
        axes.fill_betweenx([-0.45, 0.45], begin, over, color=_colour(one["what"]), linewidth=0)
    for name, colour in (("normal", GREEN), ("warning", AMBER), ("error", RED)):
        axes.plot([], [], "s", color=colour, label=name)
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, frameon=False, fontsize=9)


def _colour(report: str) -> str:
    """Return the colour of a report, as `WARNING1: oil at 81 °C`."""
    if report.startswith("NORMAL"):
        return GREEN
    return AMBER if report.startswith("WARNING") else RED


def _place(record: Record) -> str:
    factory, line = record["factory"], record["line"]
    return factory if factory == line else f"{factory}  {line}"  # what is not registered has neither


def _train(figure: Figure, records: Sequence[Record]) -> None:
    """Draw what is usual for each machine: a dot for each state, with its median absolute deviation."""
    machines = sorted({one["machine"] for one in records})[:MOST_BARS]
    states = sorted({one["state"] for one in records})
    figure.set_size_inches(11, 1.6 + 0.32 * len(machines))
    left, right = figure.subplots(1, 2, sharey=True)
    for axes, kind, what in ((left, "rate", "reports in an hour"), (right, "gap", "seconds until the next report")):
        for number, state in enumerate(states):
            found = [
                one for one in records if (one["kind"], one["state"]) == (kind, state) and one["machine"] in machines
            ]
            places = [machines.index(one["machine"]) + 0.6 * (number + 0.5) / len(states) - 0.3 for one in found]
            medians, mads = [one["median"] for one in found], [one["mad"] for one in found]
            axes.errorbar(medians, places, xerr=mads, fmt="o", markersize=4, elinewidth=1.5, label=state)
        axes.set_xlim(left=0)
        tidy(axes, what)
    left.set_yticks(range(len(machines)), machines)
    left.invert_yaxis()
    right.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False, fontsize=9)


PICTURES: Final[dict[str, Picture]] = {
    "availability": _availability,
    "call_times": _call_times,
    "causes": _causes,
    "duty_load": _duty_load,
    "escalations_by_hour": _escalations_by_hour,
    "facts_by_type_by_hour": _facts_by_type_by_hour,
    "mtbf_mttr": _mtbf_mttr,
    "operators": _operators,
    "planned_stops": _planned_stops,
    "story": _story,
    "tellings": _tellings,
    "time_to_finish": _time_to_finish,
    "train": _train,
}
