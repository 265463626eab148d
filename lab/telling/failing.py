"""Providers that answer 500, or nothing at all: how often they are called, who is told otherwise, who has to wait."""

import time
from collections.abc import Callable, Sequence
from typing import Final

from andon.tools.stack.processes import eventually
from lab.telling.providers import MAIL, WEBHOOK, Behaviour, Got
from lab.telling.target import Target, request

PART: Final = "providers"
HOST: Final = "hooks.example.com"  # one for all: each host has a breaker of its own
FAILS_S: Final = 120
EVERY_S: Final = 4
MOST_CALLS: Final = 6  # until the breaker is open
BEFORE_A_PROBE_S: Final = 25
CLOSES_S: Final = 90
SETTLED_S: Final = 420  # an unknown outcome is tried once more behind its lease
NEVER_S: Final = 60
IN_THE_HOLE: Final = 10
OTHERS: Final = 10
MOST_LATER_S: Final = 10


def prove(target: Target) -> None:
    """Let a provider fail for two minutes, while one after another is to be told."""
    began = time.time()
    target.providers.behave(WEBHOOK, Behaviour(status=500))
    people = _ask_until(target, [], lambda: time.time() >= began + FAILS_S)
    target.providers.behave(WEBHOOK, Behaviour())
    well = time.time()
    people = _ask_until(target, people, lambda: _taken(target, well) or time.time() > well + CLOSES_S)
    eventually(lambda: len(_told(target, people, began)) == len(people), within_s=SETTLED_S)
    _compare(target, people, began, well)


def black_hole(target: Target) -> None:
    """Let a provider never answer, and ask others at the same time, whom another one tells."""
    usual = _slowest(target, [f"op-{940_000 + number}" for number in range(OTHERS)], [])
    target.providers.behave(WEBHOOK, Behaviour(late_s=lambda: NEVER_S))
    held_up = [f"op-{950_000 + number}" for number in range(IN_THE_HOLE)]
    slowest = _slowest(target, [f"op-{960_000 + number}" for number in range(OTHERS)], held_up)
    target.providers.behave(WEBHOOK, Behaviour())
    seen = f"{IN_THE_HOLE} into a black hole: others told after {slowest:.1f} s, without it after {usual:.1f} s"
    held = slowest - usual <= MOST_LATER_S
    target.record.expect(PART, "a black hole", f"others wait more than {MOST_LATER_S} s", held=held, seen=seen)
    target.record.notes.append(seen)


def _ask_until(target: Target, before: Sequence[str], is_over: Callable[[], object]) -> list[str]:
    """Ask one more person each few seconds until it is over; return all of them."""
    people = list(before)
    while not is_over():
        people.append(f"op-{930_000 + len(people)}")
        _reach(target, people[-1], WEBHOOK, MAIL)
        target.ask([request(people[-1], f"press-of-{people[-1]}")])
        time.sleep(EVERY_S)
    return people


def _reach(target: Target, person: str, *channels: str) -> None:
    every = {WEBHOOK: f"https://{HOST}/{person}", MAIL: f"{person}@example.com"}
    target.reach(person, **{channel: every[channel] for channel in channels})


def _taken(target: Target, since: float) -> list[Got]:
    return [one for one in target.providers.got(WEBHOOK, since=since) if one.status < 300]  # noqa: PLR2004  a success


def _told(target: Target, people: Sequence[str], since: float) -> dict[str, Got]:
    """Return the people who were told of them, with the message that the provider took first."""
    taken = [one for one in target.providers.got(since=since) if one.status < 300]  # noqa: PLR2004  a success
    first = {one.address.partition("@")[0].rpartition("/")[2]: one for one in reversed(taken)}
    return {person: first[person] for person in people if person in first}


def _slowest(target: Target, others: Sequence[str], held_up: Sequence[str]) -> float:
    """Ask some at once, those that are held up first; return after how many seconds all of the others were told."""
    for person in held_up:
        _reach(target, person, WEBHOOK)
    for person in others:
        _reach(target, person, MAIL)
    began = time.time()
    target.ask([request(person, f"press-of-{person}") for person in (*held_up, *others)])
    eventually(lambda: len(_told(target, others, began)) == len(others), within_s=SETTLED_S)
    told = _told(target, others, began)
    return max(one.at for one in told.values()) - began if len(told) == len(others) else SETTLED_S


def _compare(target: Target, people: Sequence[str], began: float, well: float) -> None:
    calls = [one.at for one in target.providers.got(WEBHOOK, since=began) if one.at < well]
    soon = [at for at in calls if at < calls[0] + BEFORE_A_PROBE_S]
    told = _told(target, people, began)
    by_mail = [person for person, one in told.items() if one.channel == MAIL]
    closed = min((one.at - well for one in _taken(target, well)), default=None)
    seen = (
        f"500 for {FAILS_S} s: {len(soon)} calls until the breaker was open, {len(calls)} in all; "
        f"{len(by_mail)} of {len(people)} told by the next channel; "
        + (f"closed by itself after {closed:.0f} s" if closed is not None else "never closed")
    )
    expect = target.record.expect
    expect(PART, "answers 500", f"more than {MOST_CALLS} calls", held=len(soon) <= MOST_CALLS, seen=seen)
    expect(PART, "answers 500", "the next channel is not used", held=bool(by_mail), seen=seen)
    expect(PART, "answers well again", "the breaker does not close", held=closed is not None, seen=seen)
    for person in people:
        expect(PART, "somebody to be told meanwhile", "was not told", held=person in told, seen=person)
    target.record.notes.append(seen)
