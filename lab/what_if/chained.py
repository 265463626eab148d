"""Chains of who is asked for help, and the messages that follow, as plain functions; see `model.py`.

What a rule decides is heard by others: a fact arrives when the lake says that it did, or, if it has none such, a second
after a rule that is evaluated at once, half a minute after one that waits for the next sweep.
"""

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from zlib import crc32

from lab.what_if.decided import (
    SWEEP_LAG_MS,
    TRIGGER_LAG_MS,
    Decisions,
    ModelDecision,
    first_ones,
    known_from,
)
from lab.what_if.facts import Call, Facts, LogName, Report, Said
from lab.what_if.model import Window, operator_for, window
from lab.what_if.model_rules import HOLD_BACK_MS, MINUTE_MS, ModelRules
from lab.what_if.plain_times import utc_of

TROUBLE_WINDOW_MS = 15 * MINUTE_MS
LASTING_WINDOW_MS = 60 * MINUTE_MS
SILENT = "SILENT"


class Asked(NamedTuple):
    """A step of a chain that is due: minutes after a trouble began."""

    chain: str
    step: int
    repeat: int
    minutes: int
    tell: str
    urgency: str


class Trouble(NamedTuple):
    """A trouble that was opened: at_ms: the time of its fact. log: its time and state; call: the id, of a call."""

    machine: str
    at_ms: int
    arrived_ms: int
    log: LogName
    call: str | None
    chains: frozenset[str]
    ticks: frozenset[int]


class Machine(NamedTuple):
    """A machine: its reports, in order; acknowledgements and owners of its logs."""

    id: str
    reports: Sequence[Report]
    acknowledged: Sequence[Said]
    assigned: Sequence[Said]


def decided_in_chains(alone: Decisions, facts: Facts, rules: ModelRules, end_ms: int) -> Decisions:
    """Return the requests for help, and the messages that follow; alone: the decisions of `decided_alone`."""
    return _Chains(alone, facts, rules, end_ms).decisions()


class _Chains:
    def __init__(self, alone: Decisions, facts: Facts, rules: ModelRules, end_ms: int) -> None:
        self._alone, self._facts, self._rules, self._end_ms = alone, facts, rules, end_ms
        self._found: list[ModelDecision] = []

    def decisions(self) -> Decisions:
        for machine in sorted(self._facts.reports):
            one = self._machine(machine)
            troubles = self._troubles(one)
            for trouble in troubles:
                self._lasting(one, trouble, troubles)
        for call in self._facts.calls:
            self._called(call)
        dispatch = first_ones(self._found, self._facts, self._end_ms)
        return {**dispatch, **self._messages(dispatch.values())}

    def _machine(self, machine: str) -> Machine:
        rule_s = [
            Said(one.row["timestamp"], arrived_ms, (one.row["logTimestamp"], one.row["state"]), one.row["operator"])  # type: ignore[arg-type]
            for one in self._alone.values()
            if one.rule == "dispatch.assign" and one.subject == machine
            if (arrived_ms := known_from(one, self._facts, TRIGGER_LAG_MS)) <= self._end_ms
        ]
        people_s = [one for one in self._facts.assigned.get(machine, ()) if one.arrived_ms <= self._end_ms]
        return Machine(
            machine,
            [report for report in self._facts.reports[machine] if report.arrived_ms <= self._end_ms],
            [one for one in self._facts.acknowledged.get(machine, ()) if one.arrived_ms <= self._end_ms],
            sorted([*rule_s, *people_s]),
        )

    # Troubles

    def _troubles(self, of: Machine) -> list[Trouble]:
        """Return the troubles of a machine in the order in which they were opened."""
        reports = [(one.arrived_ms, one.number, one, None) for one in of.reports if not one.is_normal]
        silences = [
            (known_from(one, self._facts, SWEEP_LAG_MS), sys.maxsize, None, one)
            for one in sorted(self._alone.values(), key=lambda one: one.decided_ms)
            if one.rule == "dispatch.silent" and one.subject == of.id
        ]
        troubles = list[Trouble]()
        for arrived_ms, _, report, silence in sorted([*reports, *silences], key=lambda arrival: arrival[:2]):
            found = None
            if report is not None:
                found = self._trouble(of, report, troubles)
            elif silence is not None and arrived_ms <= self._end_ms:
                found = self._silent_trouble(of, silence, arrived_ms)
            troubles += [found] if found else []
        return troubles

    def _trouble(self, of: Machine, report: Report, troubles: Sequence[Trouble]) -> Trouble | None:
        """Begin the chains on the state of a report that have not begun in its episode; it arrives just now."""
        now_ms, askings = report.arrived_ms, self._askings(of.id, report.state)
        if not askings or self._is_stale(report):
            return None
        heard = [one for one in of.reports if one.number <= report.number]
        seen = window(
            heard,
            report,
            back_ms=TROUBLE_WINDOW_MS,
            ahead_ms=TROUBLE_WINDOW_MS,
            due_ms=now_ms,
            ends_at_normal=self._rules.ends_at_normal,
        )
        around = [*([] if seen.before is None else [seen.before]), *seen.all]
        logs = _episode(report.name, around)
        acknowledged = [one for one in of.acknowledged if one.arrived_ms < now_ms]
        until_ms = report.at_ms + TROUBLE_WINDOW_MS
        if _is_over(report.name, around) or self._is_seen(report, logs, acknowledged, until_ms):
            return None
        begun = self._begun_by_reports(of.id, report, seen, around)
        for one in troubles:
            is_within = report.at_ms - TROUBLE_WINDOW_MS <= one.at_ms <= until_ms and one.arrived_ms < now_ms
            if is_within and one.log in logs and one.log != report.name:
                begun |= one.chains
        assigned = [
            one
            for one in of.assigned
            if one.arrived_ms < now_ms and report.at_ms - TROUBLE_WINDOW_MS <= one.at_ms <= until_ms
        ]
        left = [asking for asking in askings if asking.chain not in begun]
        at_ms = max(report.at_ms, now_ms)
        begin = _Beginning("dispatch.trouble", of.id, report.name, report.at_ms, now_ms, report.trigger)
        return self._begin(begin, left, at_ms=at_ms, assigned=_owner(assigned, logs), lag_ms=TRIGGER_LAG_MS)

    def _begun_by_reports(self, machine: str, report: Report, seen: Window, around: Sequence[Report]) -> set[str]:
        """Return the chains that reports of the episode began which arrived before."""
        ended = seen.before if seen.before is not None and seen.before.is_normal else None
        place = report.arrived_ms, report.at_ms, report.state
        return {
            asking.chain
            for one in around
            if not one.is_normal
            and (ended is None or ended.arrived_ms <= one.arrived_ms)
            and (one.arrived_ms, one.at_ms, one.state) < place
            and not self._is_stale(one)
            for asking in self._askings(machine, one.state)
        }

    def _silent_trouble(self, of: Machine, silence: ModelDecision, arrived_ms: int) -> Trouble | None:
        """Begin the chains on silence, unless a report has come since."""
        since, at_ms = str(silence.row["since"]), int(str(silence.row["at"]))
        until_ms, from_ms = at_ms + TROUBLE_WINDOW_MS, at_ms - self._rules.silent_after_ms - TROUBLE_WINDOW_MS
        log = since, SILENT
        has_reported = any(
            one.arrived_ms <= arrived_ms and utc_of(one.at_ms) > since and from_ms <= one.at_ms <= until_ms
            for one in of.reports
        )
        is_seen = any(
            one.log == log and one.at_ms <= until_ms and one.arrived_ms <= arrived_ms for one in of.acknowledged
        )
        if has_reported or (is_seen and self._rules.acknowledged_ends):
            return None
        begin = _Beginning("dispatch.silent-trouble", of.id, log, at_ms, arrived_ms, ("equipment-silent", at_ms))
        return self._begin(
            begin, self._askings(of.id, SILENT), at_ms=max(at_ms, arrived_ms), assigned=None, lag_ms=TRIGGER_LAG_MS
        )

    def _called(self, call: Call) -> None:
        """Begin the chains on the category of a call, unless somebody has seen it, and go on with them."""
        if call.arrived_ms > self._end_ms or self._is_taken(call, call.at_ms + LASTING_WINDOW_MS, call.arrived_ms):
            return
        log = call.raised_at, f"call:{call.category}"
        begin = _Beginning(
            "dispatch.called", call.machine, log, call.at_ms, call.arrived_ms, ("call-raised", call.at_ms), call.id
        )
        at_ms = max(call.at_ms, call.arrived_ms)
        trouble = self._begin(
            begin, self._askings(call.machine, log[1]), at_ms=at_ms, assigned=None, lag_ms=TRIGGER_LAG_MS
        )
        if trouble is None:
            return
        for minutes in sorted(trouble.ticks):
            due_ms = self._due_ms(trouble, minutes)
            if not self._is_taken(call, trouble.at_ms + minutes * MINUTE_MS, due_ms):
                self._ask_at(trouble, minutes, trouble.chains, assigned=None, due_ms=due_ms)

    def _is_taken(self, call: Call, until_ms: int, known_ms: int) -> bool:
        seen = self._facts.calls_seen
        return any(one == call.id and at <= until_ms and arrived <= known_ms for at, arrived, one in seen)

    def _begin(
        self,
        of: "_Beginning",
        askings: Sequence[Asked],
        *,
        at_ms: int,
        assigned: str | None,
        lag_ms: int,
    ) -> Trouble | None:
        """Open a trouble, and ask whom its chains ask at once."""
        if not askings or of.rule in self._rules.without:
            return None
        chains, ticks = {one.chain for one in askings}, {one.minutes for one in askings} - {0}
        row = {"chains": sorted(chains), "ticks": sorted(ticks), "at": at_ms, "triggers": [of.trigger]}
        opened = self._decision(of, "trouble-opened", of.name, row)
        self._found.append(opened)
        trouble = Trouble(
            of.machine,
            at_ms,
            known_from(opened, self._facts, lag_ms),
            of.log,
            of.call,
            frozenset(chains),
            frozenset(ticks),
        )
        for asking in askings:
            if asking.minutes == 0:
                self._ask(of, asking, assigned, at_ms=at_ms)
        return trouble

    # Steps

    def _lasting(self, of: Machine, trouble: Trouble, troubles: Sequence[Trouble]) -> None:
        """Ask at each minute of a trouble, unless it is over by then, or somebody has seen it."""
        for minutes in sorted(trouble.ticks):
            due_ms, until_ms = self._due_ms(trouble, minutes), trouble.at_ms + minutes * MINUTE_MS
            from_ms = trouble.at_ms - LASTING_WINDOW_MS
            reports = [one for one in of.reports if one.arrived_ms <= due_ms and from_ms <= one.at_ms <= until_ms]
            logs = _episode(trouble.log, reports)
            acknowledged = [
                one for one in of.acknowledged if one.arrived_ms <= due_ms and from_ms <= one.at_ms <= until_ms
            ]
            is_seen = self._rules.acknowledged_ends and any(
                one.log in logs and utc_of(one.at_ms) >= trouble.log[0] for one in acknowledged
            )
            if is_seen or _is_over(trouble.log, reports):
                continue
            assigned = [one for one in of.assigned if one.arrived_ms <= due_ms and from_ms <= one.at_ms <= until_ms]
            begun = {
                chain
                for one in troubles
                if from_ms <= one.at_ms < trouble.at_ms and one.arrived_ms <= due_ms and one.log in logs
                for chain in one.chains
            }
            self._ask_at(trouble, minutes, trouble.chains - begun, assigned=_owner(assigned, logs), due_ms=due_ms)

    def _due_ms(self, trouble: Trouble, minutes: int) -> int:
        return max(trouble.at_ms + minutes * MINUTE_MS, trouble.arrived_ms) + HOLD_BACK_MS

    def _ask_at(
        self, trouble: Trouble, minutes: int, chains: Iterable[str], *, assigned: str | None, due_ms: int
    ) -> None:
        of = _Beginning(
            f"dispatch.lasting-{minutes}",
            trouble.machine,
            trouble.log,
            trouble.at_ms,
            due_ms,
            ("trouble-opened", trouble.at_ms),
            trouble.call,
        )
        for asking in self._askings(trouble.machine, trouble.log[1]):
            if asking.minutes == minutes and asking.chain in chains:
                self._ask(of, asking, assigned, at_ms=trouble.at_ms + minutes * MINUTE_MS)

    def _ask(self, of: "_Beginning", asking: Asked, assigned: str | None, *, at_ms: int) -> None:
        """Ask one person; where nobody has the role, say so, and ask the supervisor."""
        person = self._person(asking.tell, of.machine, assigned)
        subject = f"{of.name} {asking.chain} {asking.step} {asking.repeat}"
        row = {**asking._asdict(), "at": at_ms, "since": of.log[0], "triggers": [of.trigger]}
        del row["tell"]
        if person is None:
            person = self._facts.roster_of(of.machine).get("supervisor")
            said = {"tell": asking.tell, "asked": person}
            self._found.append(self._decision(of, "nobody-found", subject, {**row, **said}))
        if person is not None:
            self._found.append(self._decision(of, "help-requested", subject, {**row, "person": person}))

    def _person(self, tell: str, machine: str, assigned: str | None) -> str | None:
        roster = self._facts.roster_of(machine)
        match tell:
            case "assigned" if assigned is not None:
                return assigned
            case "assigned" | "duty:operator":
                return operator_for(machine, roster["operators"])
            case "duty:supervisor":
                return str(roster["supervisor"])
            case "duty:manager":
                manager: str | None = roster.get("manager")
                return manager
        return tell

    # What both need

    def _askings(self, machine: str, what: str) -> list[Asked]:
        found = [asked for chain in self._facts.chains_of(machine) if _is_on(chain, what) for asked in _steps_of(chain)]
        return sorted(found, key=lambda one: one.minutes)

    def _is_stale(self, report: Report) -> bool:
        return report.arrived_ms - report.at_ms > self._rules.stale_ms

    def _is_seen(self, report: Report, logs: Iterable[LogName], acknowledged: Iterable[Said], until_ms: int) -> bool:
        return self._rules.acknowledged_ends and any(
            one.log in logs and report.at_ms <= one.at_ms <= until_ms for one in acknowledged
        )

    def _decision(self, of: "_Beginning", kind: str, subject: str, row: Mapping[str, object]) -> ModelDecision:
        partition = "Equipment" if of.call is None else "Calls"
        key = f"{partition}#{of.machine}", f"decision#{kind}#{subject}"
        return ModelDecision(of.rule, key, frozenset({(of.machine, of.anchor_ms)}), of.machine, of.decided_ms, row)

    # Messages

    def _messages(self, decided: Iterable[ModelDecision]) -> Decisions:
        """Return the messages for people, by slots of arrivals: at once, and what is left when the slot is over."""
        slot_ms, slots = self._rules.slot_ms, defaultdict[tuple[str, int], list[tuple[int, ModelDecision]]](list)
        for one in decided:
            if one.key[1].startswith("decision#help-requested#"):
                arrived_ms, person = arrival_of(one, self._facts), str(one.row["person"])
                if arrived_ms <= self._end_ms:
                    slots[person, slot_of(person, arrived_ms, slot_ms)].append((arrived_ms, one))
        found = list[ModelDecision]()
        for (person, begins_ms), asked in slots.items():
            first_ms = min(arrived_ms for arrived_ms, _ in asked)
            # Which of those that arrived together comes first is nobody's business: it is told once.
            first = [one for arrived_ms, one in asked if arrived_ms == first_ms]
            anchors = frozenset((one.subject, int(str(one.row["at"]))) for one in first)
            for kind, at, decided_ms in (
                ("now", begins_ms, first_ms),
                ("later", begins_ms + slot_ms, first_ms + slot_ms),
            ):
                row = {"person": person, "slot": begins_ms, "kind": kind, "at": at}
                key = f"Person#{person}", f"decision#message#{begins_ms:013d}.{kind}"
                found.append(ModelDecision(f"notify.{kind}", key, anchors, person, decided_ms, row))
        return first_ones(found, self._facts, self._end_ms)


def arrival_of(asked: ModelDecision, facts: Facts) -> int:
    """Return when a request for help is heard of."""
    is_at_once = not asked.rule.startswith("dispatch.lasting")
    return known_from(asked, facts, TRIGGER_LAG_MS if is_at_once else SWEEP_LAG_MS)


def slot_of(person: str, arrived_ms: int, slot_ms: int) -> int:
    """Return the beginning of a person's slot."""
    shift = crc32(person.encode()) % slot_ms
    return (arrived_ms - shift) // slot_ms * slot_ms + shift


class _Beginning(NamedTuple):
    """An evaluation: of a rule, at an anchor of a time, when it is due; about a log."""

    rule: str
    machine: str
    log: LogName
    anchor_ms: int
    decided_ms: int
    trigger: tuple[str, int]
    call: str | None = None

    @property
    def name(self) -> str:
        return f"{self.log[0]} {self.log[1] if self.call is None else self.call}"


def _is_on(chain: Mapping[str, Any], what: str) -> bool:
    return any(what.startswith(one[:-1]) if one.endswith("*") else what == one for one in chain["on"])


def _steps_of(chain: Mapping[str, Any]) -> Iterator[Asked]:
    for number, step in enumerate(chain["steps"], start=1):
        for repeat in range(step.get("times", 0) + 1):
            minutes = step["after"] + repeat * step.get("every", 0)
            yield Asked(chain["id"], number, repeat, minutes, step["tell"], step["urgency"])


def _episode(log: LogName, reports: Iterable[Report]) -> set[LogName]:
    """Return a log, and the others around it with no normal report in between."""
    if log[1] == SILENT:
        return {log}
    known = [*reports]
    normal = [utc_of(one.at_ms) for one in known if one.is_normal]
    began = max((time for time in normal if time <= log[0]), default="")
    ended = min((time for time in normal if time > log[0]), default="~")
    return {log} | {one.name for one in known if not one.is_normal and began < utc_of(one.at_ms) < ended}


def _is_over(log: LogName, reports: Iterable[Report]) -> bool:
    """Return True if a machine is back to normal, or, if it was silent, has reported anything."""
    later = [one for one in reports if utc_of(one.at_ms) > log[0]]
    return bool(later) if log[1] == SILENT else any(one.is_normal for one in later)


def _owner(assigned: Iterable[Said], logs: Iterable[LogName]) -> str | None:
    """Return the last owner of a log of the episode."""
    found = [one.person for one in sorted(assigned) if one.log in logs]
    return found[-1] if found else None
