"""The expected results of the lake's saved queries, counted in plain Python over the same envelopes."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby, pairwise
from math import ceil
from statistics import median
from typing import Any

from demo.lake.envelopes import LakeEnvelope

HOUR_MS = 3_600_000

Event = dict[str, Any]
Turn = tuple[bool, int, int, bool]
"""A turn of a machine: True if it stands, begin and end, True if a report ended it."""


Group = tuple[str, str, str | None, str | None]
"""Level, factory, line and machine."""

Means = tuple[int, float | None, float | None]
"""Failures, MTBF in hours, MTTR in minutes."""


def once(envelopes: Iterable[LakeEnvelope]) -> list[Event]:
    """Each fact once, by its service and its id."""
    found = {(one["source"], one["detail"]["id"]): one["detail"] for one in envelopes}
    return [{**fact, "source": source} for (source, _), fact in found.items()]


def of_type(events: Iterable[Event], *types: str) -> list[Event]:
    return sorted((one for one in events if one["type"] in types), key=lambda one: (one["timestamp"], one["id"]))


def places(events: list[Event]) -> dict[str, tuple[str, str]]:
    """Factory and line of each machine, by its newest registration."""
    registered = of_type(events, "equipment-created", "equipment-updated")
    return {one["partitionKey"]: (one["equipment"]["factoryId"], one["equipment"]["lineId"]) for one in registered}


def turns(events: list[Event]) -> dict[str, list[Turn]]:
    """When each machine ran and stood."""
    reports: dict[str, list[Event]] = defaultdict(list)
    for one in of_type(events, "state-reported"):
        reports[one["partitionKey"]].append(one)
    return {machine: _turns_of(found) for machine, found in reports.items()}


def _turns_of(reports: list[Event]) -> list[Turn]:
    starts = [
        (is_down, next(group)["timestamp"])
        for is_down, group in groupby(reports, key=lambda one: one["state"]["state"] == "ERROR")
    ]
    ends = [began for _, began in starts[1:]]
    closed = [(is_down, began, end, True) for (is_down, began), end in zip(starts, ends, strict=False)]
    return [*closed, (*starts[-1], reports[-1]["timestamp"], False)]


def mtbf_mttr(events: list[Event]) -> dict[Group, Means]:
    """The mean times between failures and to repair."""
    where = places(events)
    groups: dict[Group, list[Turn]] = defaultdict(list)
    for machine, found in turns(events).items():
        factory, line = where.get(machine, ("(not registered)", "(not registered)"))
        groups["machine", factory, line, machine] += found
        groups["line", factory, line, None] += found
        groups["factory", factory, None, None] += found
    return {group: _means(found) for group, found in groups.items()}


def _means(found: list[Turn]) -> Means:
    failures = sum(is_down for is_down, *_ in found)
    ran_ms = sum(end - began for is_down, began, end, _ in found if not is_down)
    repairs = [end - began for is_down, began, end, is_over in found if is_down and is_over]
    return (
        failures,
        ran_ms / 3_600_000 / failures if failures else None,
        sum(repairs) / len(repairs) / 60_000 if repairs else None,
    )


def availability(events: list[Event]) -> dict[tuple[str, str], tuple[int, float]]:
    """The number of machines of each line, and the percentage of the time in which they ran."""
    where = places(events)
    lines: dict[tuple[str, str], list[list[Turn]]] = defaultdict(list)
    for machine, found in turns(events).items():
        lines[where.get(machine, ("(not registered)", "(not registered)"))].append(found)
    answer = {}
    for line, machines in lines.items():
        known = [turn for found in machines for turn in found]
        down = sum(end - began for is_down, began, end, _ in known if is_down)
        answer[line] = (len(machines), 100 * (1 - down / sum(end - began for _, began, end, _ in known)))
    return answer


def orders(events: list[Event]) -> list[Event]:
    """The newest version of each order."""
    found = of_type(events, "maintenance-planned", "maintenance-moved", "maintenance-started", "maintenance-finished")
    by_version = sorted((one["order"] for one in found), key=lambda one: one["version"])
    return list({(one["equipmentId"], one["date"], one["kind"]): one for one in by_version}.values())


def planned_stops(events: list[Event]) -> dict[tuple[str, str], tuple[int, float, int, float]]:
    """Planned stops and their hours, unplanned stops and theirs, by line."""
    where = places(events)
    under_way: dict[str, list[tuple[int, float]]] = defaultdict(list)
    stops: dict[tuple[str, str], list[tuple[bool, float]]] = defaultdict(list)
    for one in orders(events):
        if "startedAt" in one:
            began, ended = _ms(one["startedAt"]), _ms(one["finishedAt"]) if "finishedAt" in one else float("inf")
            under_way[one["equipmentId"]].append((began, ended))
            if "finishedAt" in one:
                line = where.get(one["equipmentId"], ("(not registered)", "(not registered)"))
                stops[line].append((True, ended - began))
    for machine, found in turns(events).items():
        for is_down, began, end, _ in found:
            if is_down and not any(first <= began < last for first, last in under_way[machine]):
                line = where.get(machine, ("(not registered)", "(not registered)"))
                stops[line].append((False, end - began))
    return {line: (*_stops(found, is_planned=True), *_stops(found, is_planned=False)) for line, found in stops.items()}


def _stops(found: list[tuple[bool, float]], *, is_planned: bool) -> tuple[int, float]:
    lasted = [ms for planned, ms in found if planned is is_planned]
    return len(lasted), sum(lasted) / HOUR_MS


def _ms(time: str) -> int:
    return round(datetime.fromisoformat(time).timestamp() * 1000)


Counts = tuple[int, int, int, int]
"""Orders that were started and finished, partly done, skipped, and finished late."""


def time_to_finish(events: list[Event]) -> dict[str, tuple[Counts, float | None, float | None, float | None]]:
    """Counts, what was expected, the median and the ninth decile of minutes, by kind."""
    kinds: dict[str, list[Event]] = defaultdict(list)
    for one in orders(events):
        if "finishedAt" in one:
            kinds[one["kind"]].append(one)
    return {kind: _finished(found) for kind, found in kinds.items()}


def _finished(found: list[Event]) -> tuple[Counts, float | None, float | None, float | None]:
    done = [one for one in found if "startedAt" in one]
    minutes = [(_ms(one["finishedAt"]) - _ms(one["startedAt"])) / 60_000 for one in done]
    results = Counter(one["result"] for one in found)
    late = sum(one["finishedAt"][:10] > one["plannedFor"] for one in found)
    said = [one["minutes"] for one in done if "minutes" in one]
    counts = (len(done), results["partly"], results["skipped"], late)
    return counts, _percentile(said, 0.5), _percentile(minutes, 0.5), _percentile(minutes, 0.9)


def calls(events: list[Event]) -> list[Event]:
    """The newest version of each call."""
    found = of_type(events, "call-raised", "call-taken", "call-closed", "call-rejected")
    by_version = sorted((one["call"] for one in found), key=lambda one: one["version"])
    return list({one["id"]: one for one in by_version}.values())


Times = tuple[int, int, int, float | None, float | None, float | None, float | None]
"""Calls raised, open and rejected; the median and the ninth decile of minutes until taken, and until closed."""


def call_times(events: list[Event]) -> dict[tuple[str, str], Times]:
    """How soon people came, by factory and category."""
    found: dict[tuple[str, str], list[Event]] = defaultdict(list)
    for one in calls(events):
        found[one["factoryId"], one["category"]].append(one)
    return {group: _times(those) for group, those in found.items()}


def _times(found: list[Event]) -> Times:
    statuses = Counter(one["status"] for one in found)
    taken = [_minutes(one, "takenAt") for one in found if "takenAt" in one and one["status"] != "rejected"]
    closed = [_minutes(one, "endedAt") for one in found if one["status"] == "closed"]
    still = statuses["raised"] + statuses["taken"]
    each = [_percentile(minutes, part) for minutes in (taken, closed) for part in (0.5, 0.9)]
    return (len(found), still, statuses["rejected"], each[0], each[1], each[2], each[3])


def _minutes(call: Event, until: str) -> float:
    return (_ms(call[until]) - _ms(call["raisedAt"])) / 60_000


Lost = tuple[int, int, float]
"""Stops, calls, and minutes."""


def causes(events: list[Event]) -> dict[tuple[str, str], Lost]:
    """What each cause cost, by factory."""
    said = sorted((one["cause"] for one in of_type(events, "cause-recorded")), key=lambda one: one["version"])
    explained = {(one["equipmentId"], _ms(one["startedAt"])): one for one in said}
    normal: dict[str, list[int]] = defaultdict(list)
    for one in of_type(events, "state-reported"):
        if one["state"]["state"] == "NORMAL":
            normal[one["partitionKey"]].append(one["timestamp"])
    spans = {
        (machine, began): next((ms for ms in normal[machine] if ms > began), float("inf"))
        for machine, began in explained
    }
    ran, lost = turns(events), dict[tuple[str, str], list[tuple[bool, float]]]()
    for (machine, began), one in explained.items():
        stood = sum(
            end - start
            for is_down, start, end, _ in ran.get(machine, [])
            if is_down and began <= start < spans[machine, began]
        )
        lost.setdefault((one["factoryId"], one["cause"]), []).append((True, stood))
    for one in calls(events):
        if "cause" in one:
            raised = _ms(one["raisedAt"])
            is_part = any(
                machine == one["equipmentId"] and began <= raised < end for (machine, began), end in spans.items()
            )
            minutes = 0 if is_part else _ms(one["endedAt"]) - raised
            lost.setdefault((one["factoryId"], one["cause"]), []).append((False, minutes))
    return {
        group: (
            sum(is_stop for is_stop, _ in found),
            sum(not is_stop for is_stop, _ in found),
            sum(ms for _, ms in found) / 60_000,
        )
        for group, found in lost.items()
    }


Requested = tuple[int, str, Event]
"""A request for help: when, about what (the time of a log, or the id of a call), and its entity."""


def requests(events: list[Event]) -> list[Requested]:
    """The requests for help."""
    asked = of_type(events, "help-requested")
    return [(one["timestamp"], _about(one["help"]["about"]), one["help"]) for one in asked]


def _about(about: Event) -> str:
    return str(about.get("callId") or about["timestamp"])


Tellings = tuple[int, int, int, int, float | None, float | None]
"""Messages, repeated and failed ones; requests; the median and the ninth decile of seconds until they were heard of."""


def tellings(events: list[Event]) -> dict[tuple[str, str], Tellings]:
    """Who was told by which channel."""
    told = [(one["timestamp"], one["told"]) for one in of_type(events, "person-told")]
    taken = Counter((one["person"], one["channel"]) for _, one in told)
    repeated = Counter((one["person"], one["channel"]) for _, one in told if "repeated" in one)
    failures = [one["failure"] for one in of_type(events, "delivery-failed")]
    failed = Counter((one["person"], one.get("channel", "none")) for one in failures)
    by_log: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
    for at_ms, one in told:
        for about in one["about"]:
            by_log[one["person"], _about(about)].append((at_ms, one["channel"]))
    heard: dict[tuple[str, str], list[float | None]] = defaultdict(list)
    for asked_ms, about, one in requests(events):
        person = one["person"]
        first = min((each for each in by_log[person, about] if each[0] >= asked_ms), default=None)
        heard[person, first[1] if first else "none"].append((first[0] - asked_ms) / 1000 if first else None)
    return {
        group: (taken[group], repeated[group], failed[group], len(heard[group]), *_middle(heard[group]))
        for group in {*taken, *failed, *heard}
    }


def _middle(found: Iterable[float | None]) -> tuple[float | None, float | None]:
    """The median, and the ninth decile, of those that are known."""
    known = [one for one in found if one is not None]
    return _percentile(known, 0.5), _percentile(known, 0.9)


Load = tuple[int, int, int, int, float | None, float | None]
"""Requests, urgent ones, messages, answered requests; the median and the ninth decile of minutes until answered."""


def duty_load(events: list[Event], *, ahead: float = 0) -> dict[tuple[str, str], Load]:
    """What was asked of whom by day and by night, by a clock that is so many hours ahead of UTC."""
    answers: dict[str, int] = {}
    for one in of_type(events, "state-acknowledged", "call-taken", "call-closed", "call-rejected"):
        about = one["call"]["id"] if "call" in one else one["partitionKey"] + one["acknowledgement"]["timestamp"]
        answers.setdefault(about, one["timestamp"])
    messages = Counter(
        (one["told"]["person"], _part(one["timestamp"], ahead)) for one in of_type(events, "person-told")
    )
    asked: dict[tuple[str, str], list[tuple[str, float | None]]] = defaultdict(list)
    for asked_ms, about, one in requests(events):
        of = one["about"]
        answered_ms = answers.get(about if "callId" in of else of["equipmentId"] + about, -1)
        minutes = (answered_ms - asked_ms) / 60_000 if answered_ms >= asked_ms else None
        asked[one["person"], _part(asked_ms, ahead)].append((one["urgency"], minutes))
    return {group: _load(asked[group], messages[group]) for group in {*messages, *asked}}


def _part(at_ms: int, ahead: float) -> str:
    hour = datetime.fromtimestamp(at_ms / 1000 + ahead * 3600, UTC).hour
    return "day" if 6 <= hour < 22 else "night"


def _load(asked: list[tuple[str, float | None]], messages: int) -> Load:
    minutes = [one for _, one in asked]
    answered = sum(one is not None for one in minutes)
    return len(asked), sum(urgency == "high" for urgency, _ in asked), messages, answered, *_middle(minutes)


def operators(events: list[Event]) -> dict[str, tuple[int, int, int, float | None, float | None]]:
    """Logs, machines, acknowledgements, and the median and the ninth decile of response minutes, by operator."""
    logs: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    of_log: dict[tuple[str, ...], list[Event]] = defaultdict(list)
    assigned = of_type(events, "operator-assigned", "crew-assigned")
    for one in sorted(assigned, key=lambda one: (one["timestamp"], one["source"], one["id"])):
        logs[_lead(one)].add(_log(one.get("crew") or one["assignment"]))
        of_log[_log(one.get("crew") or one["assignment"])].append(one)
    minutes: dict[str, list[float]] = defaultdict(list)
    for one in of_type(events, "state-acknowledged"):
        named = [other for other in of_log[_log(one["acknowledgement"])] if other["timestamp"] <= one["timestamp"]]
        reported = datetime.fromisoformat(one["acknowledgement"]["timestamp"]).timestamp()
        minutes[_lead(named[-1])].append((one["timestamp"] / 1000 - reported) / 60)
    return {
        operator: (
            len(found),
            len({machine for machine, *_ in found}),
            len(minutes[operator]),
            _percentile(minutes[operator], 0.5),
            _percentile(minutes[operator], 0.9),
        )
        for operator, found in logs.items()
    }


def _lead(assigned: Event) -> str:
    """The operator of a log, alone or with a crew."""
    return str(assigned["crew"]["lead"] if "crew" in assigned else assigned["assignment"]["operator"])


def escalations_by_hour(events: list[Event]) -> dict[tuple[int, int], tuple[int, int]]:
    """Escalations, and those by rule, by weekday (1 is Monday) and hour."""
    counts: Counter[tuple[int, int]] = Counter()
    by_rule: Counter[tuple[int, int]] = Counter()
    for one in of_type(events, "state-escalated"):
        moment = datetime.fromtimestamp(one["timestamp"] / 1000, UTC)
        counts[moment.isoweekday(), moment.hour] += 1
        by_rule[moment.isoweekday(), moment.hour] += one["escalation"].get("by") == "rule"
    return {hour: (count, by_rule[hour]) for hour, count in counts.items()}


def facts_by_type_by_hour(events: list[Event]) -> dict[tuple[str, str, str], int]:
    """Facts by hour, service and type."""
    return Counter(
        (f"{datetime.fromtimestamp(one['timestamp'] / 1000, UTC):%Y-%m-%dT%H}:00Z", one["source"], one["type"])
        for one in events
    )


def story(events: list[Event], equipment: str, first: str, last: str) -> list[tuple[str, str]]:
    """Time and type of what happened to a machine from `first` until before `last`, both fixed-width UTC."""
    own = sorted(
        (one for one in events if one["partitionKey"] == equipment),
        key=lambda one: (one["timestamp"], one["source"] != "equipment", one["type"], one["id"]),
    )
    told = [(datetime.fromtimestamp(one["timestamp"] / 1000, UTC), one["type"]) for one in own]
    texts = [(moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"), kind) for moment, kind in told]
    return [(at, kind) for at, kind in texts if first <= at < last]


def _log(entity: dict[str, str]) -> tuple[str, ...]:
    return entity["equipmentId"], entity["state"], entity["timestamp"]


def _percentile(values: list[float], share: float) -> float | None:
    return sorted(values)[ceil(share * len(values)) - 1] if values else None


Spreads = dict[str, dict[str, tuple[float, float, int]]]
"""State -> `rate` or `gap` -> median, MAD and number of observations."""


def train(events: list[Event]) -> dict[str, tuple[int, int, Spreads]]:
    """Each machine's reports, hours with a report, and how its rates and gaps spread."""
    of_machine: dict[str, set[tuple[int, str]]] = defaultdict(set)
    for event in of_type(events, "state-reported"):
        of_machine[event["state"]["equipmentId"]].add((event["timestamp"], event["state"]["state"]))
    return {machine: _habits(sorted(reports)) for machine, reports in of_machine.items()}


def _habits(reports: list[tuple[int, str]]) -> tuple[int, int, Spreads]:
    rates: dict[str, Counter[int]] = defaultdict(Counter)
    gaps: dict[str, list[float]] = defaultdict(list)
    for at_ms, state in reports:
        rates[state][at_ms // HOUR_MS] += 1
    for (at_ms, state), (next_ms, _) in pairwise(reports):
        gaps[state].append((next_ms - at_ms) / 1000)
    spreads: Spreads = {state: {"rate": _spread([*by_hour.values()])} for state, by_hour in rates.items()}
    for state, seconds in gaps.items():
        spreads[state]["gap"] = _spread(seconds)
    return len(reports), len({at_ms // HOUR_MS for at_ms, _ in reports}), spreads


def _spread(values: Sequence[float]) -> tuple[float, float, int]:
    middle = median(values)
    return middle, median(abs(value - middle) for value in values), len(values)
