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
from andon_gateway.states import Machine, Memory, Report, due_ms, kinds_of, remembered, step
from andon_gateway.store import Store, Unavailable

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
    """A machine that runs; behind_ms: how far its source's clock is behind ours.

    kinds: see `kinds_of`; wrong: the names of values that are of another one.
    """

    wired: Wired
    memory: Memory
    kinds: Mapping[str, type]
    values: dict[str, Value] = field(default_factory=dict)
    behind_ms: int = 0
    wrong: frozenset[str] = frozenset()

    def set(self, name: str, value: Value) -> bool:
        """Keep a value; return False if no rule can use one of its kind."""
        self.values[name] = value
        wanted = self.kinds.get(name)
        is_wrong = value is not None and wanted is not None and isinstance(value, str) is not (wanted is str)
        self.wrong = self.wrong | {name} if is_wrong else self.wrong - {name}
        return not is_wrong

    def step(self, at_ms: int) -> Report | None:
        self.memory, report = step(self.wired.machine, self.memory, self.values, at_ms)
        return report

    def due_ms(self) -> int | None:
        due = due_ms(self.wired.machine, self.memory)
        return None if due is None else due + self.behind_ms


class Engine:
    """All machines of a gateway; one thread calls it."""

    def __init__(self, machines: Mapping[str, Wired], store: Store, clock: Clock, counts: Counter[str]) -> None:
        """Go on from the last report of each machine in the store."""
        self._store = store
        self._clock = clock
        self._counts = counts
        self._running: dict[str, _Running] = {}
        self.trouble: str | None = None
        self._by_tag: defaultdict[tuple[str, str], list[tuple[_Running, str]]] = defaultdict(list)
        for id_, wired in machines.items():
            last = store.last.get(id_)
            memory = remembered(wired.machine, last.state if last else None, last.at_ms if last else 0)
            one = self._running[id_] = _Running(wired, memory, kinds_of(wired.machine))
            for name, tag in wired.tags.items():
                self._by_tag[wired.source, tag].append((one, name))

    @property
    def states(self) -> Mapping[str, str | None]:
        """The state that each machine reported last, of those that report."""
        return {id_: one.memory.state for id_, one in self._running.items()}

    @property
    def troubles(self) -> Mapping[str, str]:
        """Values that no rule can use, by source."""
        said: defaultdict[str, list[str]] = defaultdict(list)
        for id_, one in self._running.items():
            for name in sorted(one.wrong):
                found = "a number where a text" if one.kinds[name] is str else "a text where a number"
                said[one.wired.source].append(f"{name} of {id_} is {found} is expected")
        return {source: "; ".join(texts) for source, texts in said.items()}

    def take(self, message: Message) -> list[tuple[str, Report]]:
        """Return the reports that a message makes due."""
        at = stamp(message.source_ms, message.received_ms)
        self._counts["times_replaced"] += at.is_replaced
        touched: dict[str, _Running] = {}
        for tag, value in message.values.items():
            for one, name in self._by_tag.get((message.source, tag), ()):
                self._counts["wrong_kinds"] += not one.set(name, value)
                touched[one.wired.id] = one
        for one in touched.values():
            one.behind_ms = message.received_ms - at.at_ms
        return [report for one in touched.values() for report in self._stepped(one, at.at_ms)]

    def tick(self, now_ms: int) -> list[tuple[str, Report]]:
        """Return the reports that time makes due."""
        due = [one for one in self._running.values() if (at_ms := one.due_ms()) is not None and at_ms <= now_ms]
        return [report for one in due for report in self._stepped(one, now_ms - one.behind_ms)]

    def run(self, messages: Messages, stopped: threading.Event) -> None:
        """Store the reports of messages, and of time, until it is stopped."""
        while not stopped.is_set():
            reports = [report for message in gathered(messages) for report in self.take(message)]
            reports += self.tick(self._clock.now_ms())
            if reports:
                self._keep(reports, stopped)

    def _stepped(self, one: _Running, at_ms: int) -> list[tuple[str, Report]]:
        try:
            report = one.step(at_ms)
        except Exception:  # noqa: BLE001  what one machine says ends no other's reports
            self._counts["left_out"] += 1
            return []
        return [(one.wired.id, report)] if report else []

    def _keep(self, reports: list[tuple[str, Report]], stopped: threading.Event) -> None:
        """Store reports; while there is no room, wait: the queue runs full behind this, and the sources stand."""
        batches = [reports]
        while batches and not stopped.is_set():
            try:
                self._store.add(batches[0])
            except Unavailable as error:
                self._counts["full"] += 1
                self.trouble = f"nothing can be stored: {error}"
                stopped.wait(IDLE_S)
            except Exception:  # noqa: BLE001  one that can never be stored takes no neighbour with it
                batches[:1] = self._smaller(batches[0])
            else:
                self._counts["reported"] += len(batches.pop(0))
                self.trouble = None

    def _smaller(self, reports: list[tuple[str, Report]]) -> list[list[tuple[str, Report]]]:
        """Return reports each by itself; one that cannot be stored by itself is left out."""
        if len(reports) > 1:
            return [[one] for one in reports]
        self._counts["left_out"] += 1
        return []


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
