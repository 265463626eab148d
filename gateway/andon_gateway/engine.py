"""Messages -> reports: each machine's memory, values and timers, and the store behind them."""

import queue
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from andon_gateway.clock import Clock, stamp
from andon_gateway.conditions import Value
from andon_gateway.reading import Message, Messages
from andon_gateway.states import Machine, Memory, Report, due_ms, remembered, step
from andon_gateway.store import Full, Store

# A commit waits for the disk: it takes so many messages, or those of so long.
MESSAGES_AT_ONCE: Final = 40
GATHERING_S: Final = 0.2
IDLE_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Wired:
    """A machine and where its values come from: name -> tag of its source."""

    id: str
    source: str
    tags: Mapping[str, str]
    machine: Machine


@dataclass(slots=True)
class _Running:
    """A machine that runs; behind_ms: how far its source's clock is behind ours."""

    wired: Wired
    memory: Memory
    values: dict[str, Value] = field(default_factory=dict)
    behind_ms: int = 0

    def step(self, at_ms: int) -> Report | None:
        self.memory, report = step(self.wired.machine, self.memory, self.values, at_ms)
        return report

    def due_ms(self) -> int | None:
        due = due_ms(self.wired.machine, self.memory)
        return None if due is None else due + self.behind_ms


class Engine:
    """All machines of a gateway; one thread calls it."""

    def __init__(self, machines: Mapping[str, Wired], store: Store, clock: Clock, counts: Counter[str]) -> None:
        """Go on from what the store says that each machine reported last."""
        self._store = store
        self._clock = clock
        self._counts = counts
        self._running: dict[str, _Running] = {}
        self._by_tag: defaultdict[tuple[str, str], list[tuple[_Running, str]]] = defaultdict(list)
        for id_, wired in machines.items():
            last = store.last.get(id_)
            memory = remembered(wired.machine, last.state if last else None, last.at_ms if last else 0)
            one = self._running[id_] = _Running(wired, memory)
            for name, tag in wired.tags.items():
                self._by_tag[wired.source, tag].append((one, name))

    @property
    def states(self) -> Mapping[str, str | None]:
        """The state that each machine reported last, of those that report."""
        return {id_: one.memory.state for id_, one in self._running.items()}

    def take(self, message: Message) -> list[tuple[str, Report]]:
        """Return the reports that a message makes due."""
        at = stamp(message.source_ms, message.received_ms)
        self._counts["times_replaced"] += at.is_replaced
        touched: dict[str, _Running] = {}
        for tag, value in message.values.items():
            for one, name in self._by_tag.get((message.source, tag), ()):
                one.values[name] = value
                touched[one.wired.id] = one
        for one in touched.values():
            one.behind_ms = message.received_ms - at.at_ms
        return [(id_, report) for id_, one in touched.items() if (report := one.step(at.at_ms))]

    def tick(self, now_ms: int) -> list[tuple[str, Report]]:
        """Return the reports that time makes due."""
        due = [one for one in self._running.values() if (at_ms := one.due_ms()) is not None and at_ms <= now_ms]
        return [(one.wired.id, report) for one in due if (report := one.step(now_ms - one.behind_ms))]

    def run(self, messages: Messages, stopped: threading.Event) -> None:
        """Store the reports of messages, and of time, until it is stopped."""
        while not stopped.is_set():
            reports = [report for message in gathered(messages) for report in self.take(message)]
            reports += self.tick(self._clock.now_ms())
            if reports:
                self._keep(reports, stopped)

    def _keep(self, reports: list[tuple[str, Report]], stopped: threading.Event) -> None:
        """Store reports; while there is no room, wait: the queue runs full behind this, and the sources stand."""
        while not stopped.is_set():
            try:
                self._store.add(reports)
            except Full:
                self._counts["full"] += 1
                stopped.wait(IDLE_S)
            else:
                self._counts["reported"] += len(reports)
                return


def gathered(messages: Messages) -> list[Message]:
    """Return the messages of a moment; none, if none came for a second."""
    try:
        found = [messages.get(timeout=IDLE_S)]
    except queue.Empty:
        return []
    ends_s = time.monotonic() + GATHERING_S
    while len(found) < MESSAGES_AT_ONCE and (left_s := ends_s - time.monotonic()) > 0:
        try:
            found.append(messages.get(timeout=left_s))
        except queue.Empty:
            break
    return found
