"""`kill -9` of the sender's workers while it tells people: each is told or named as untold, none more than twice."""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from andon.tools.stack import emulator, processes
from andon.tools.stack.processes import eventually
from lab.telling.providers import MAIL, SMS, WEBHOOK, Behaviour
from lab.telling.target import SENDER, Target, request

PART: Final = "kill -9"
MOST_TIMES: Final = 2
EVERY_S: Final = 0.1
OLDEST_S: Final = 1.2
"""Workers are killed at an age up to this: their start takes a third of it."""

FIRST: Final = 10_000  # of their badges
SETTLED_S: Final = 900
BEGINS_S: Final = 10  # the delay of the sender's queue
CHANNELS: Final = (MAIL, SMS, WEBHOOK)


def prove(target: Target, home: Path, *, people: int, seconds: float, dice: random.Random) -> None:
    """Ask so many people for help, each twice and in any order, and kill the workers of who tells them for a while."""
    began = time.time()
    for channel in CHANNELS:
        target.providers.behave(channel, Behaviour(late_s=lambda: dice.uniform(0, 0.3)))
    names = [f"op-{FIRST + number}" for number in range(people)]
    target.reach_all({name: _addresses(number) for number, name in enumerate(names)})
    asked = [request(name, f"press-of-{name}") for name in names] * 2
    dice.shuffle(asked)
    target.ask(asked)
    killed = _kill(_mark(target, home), seconds=seconds, dice=dice)
    for channel in CHANNELS:
        target.providers.behave(channel, Behaviour())
    eventually(lambda: not set(names) - _settled(target), within_s=SETTLED_S)
    _compare(target, names, killed, began)


def _addresses(number: int) -> dict[str, str]:
    """Return one address of a person, on a channel in turn."""
    name = f"killed-{number}"
    every = {MAIL: f"{name}@example.com", SMS: f"+5233{number:08}", WEBHOOK: f"https://{name}.example.com/hook"}
    channel = CHANNELS[number % len(CHANNELS)]
    return {channel: every[channel]}


def _mark(target: Target, home: Path) -> str:
    """Return the text by which the command lines of this stack's sender workers are told from all others."""
    return f"{emulator.scratch(home)}/ministack-lambda-{target.function_of(SENDER)}-"


def _kill(mark: str, *, seconds: float, dice: random.Random) -> int:
    """Kill workers each tenth of a second, at an age that the dice say; return how many."""
    until, ends, killed = time.monotonic() + BEGINS_S + seconds, dict[int, float](), 0
    while time.monotonic() < until:
        alive = [*_workers(mark)]
        ends = {pid: ends.get(pid, time.monotonic() + dice.uniform(0, OLDEST_S)) for pid in alive}
        for pid, at in ends.items():
            if at <= time.monotonic():
                killed += 1
                with suppress(ProcessLookupError):  # it has just ended by itself
                    os.kill(pid, signal.SIGKILL)
        time.sleep(EVERY_S)
    return killed


def _workers(mark: str) -> Iterator[int]:
    """Yield the running workers of a function: nobody else's have the mark in their command line."""
    for found in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            if mark in processes.command_line(int(found.name)) and _runs(found):
                yield int(found.name)


def _runs(process: Path) -> bool:
    """Return False of one that was killed and that nobody has asked after yet."""
    return (process / "stat").read_text(errors="replace").rpartition(")")[2].split()[0] != "Z"


def _settled(target: Target) -> set[str]:
    told = {fact["told"]["person"] for fact in target.facts("person-told")}
    return told | {fact["failure"]["person"] for fact in target.facts("delivery-failed")}


def _compare(target: Target, names: list[str], killed: int, began: float) -> None:
    said = {fact["told"]["person"] for fact in target.facts("person-told")}
    failed = {fact["failure"]["person"] for fact in target.facts("delivery-failed")}
    got = Counter(f"{one.channel} {one.address}" for one in target.providers.got(since=began))
    times = [got[_as_sent(number)] for number, _ in enumerate(names)]
    for number, name in enumerate(names):
        times_told = got[_as_sent(number)]
        target.record.attempt(
            PART,
            "a person to be told",
            {
                **({} if name in said | failed else {"neither told nor named as untold": name}),
                **({} if times_told or name in failed else {"said to be told, and was not": name}),
                **({} if times_told <= MOST_TIMES else {"told more than twice": f"{name}: {times_told}"}),
            },
        )
    repeated = [fact for fact in target.facts("person-told") if fact["told"].get("repeated")]
    counts = Counter(times)
    target.record.notes.append(
        f"kill -9: {killed} workers over {len(names)} messages: told once {counts[1]}, twice {counts[2]}, "
        f"never {counts[0]}, more often {sum(n for times, n in counts.items() if times > MOST_TIMES)}; "
        f"delivery-failed {len(failed)}, said to be repeated {len(repeated)}; settled after {time.time() - began:.0f} s"
    )


def _as_sent(number: int) -> str:
    """Return the channel and address of a person's messages, as their provider has them."""
    [(channel, address)] = _addresses(number).items()
    return f"{channel} {address.removeprefix('https://')}"
