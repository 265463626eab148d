"""Telling people: each is told in time, by somebody in the end, never more than twice by a channel, never silently."""

import json
import re
import secrets
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from http import HTTPStatus
from itertools import pairwise
from random import Random
from typing import Final

from andon.outbound.links import Link, sign
from andon.outbound.variables import LINK_SECRET
from andon.runtime import times
from andon.testing.loop import Answer
from andon.testing.proving.prover import ProvedPart, Record
from andon.testing.proving.world import Faults, HostReply, LivingWorld, Outside
from contract import groups
from contract import links as signed
from contract.log_rows import log_of
from lab import plant, presses
from lab.plant import (
    ADDRESSES,
    MAIL,
    SMS,
    TOLD,
    UNTOLD,
    WEBHOOK,
    Got,
    Providers,
    acknowledged,
    ask,
    done,
    people_in,
    providers_of,
    reach,
    report,
)

OUTSIDE: Final[Callable[[Random], Outside]] = Providers
VARIABLES: Final = plant.VARIABLES

CHAIN: Final = ((0, "duty:operator"), (1, "duty:supervisor"), (2, "duty:manager"))
WELL, FAILS, REFUSES, HOLE = HostReply(200), HostReply(500), HostReply(429), HostReply(200, late_s=60)

LATEST_S: Final = (20, 150, 210)  # by when each step of a chain is told


def chains(world: LivingWorld, _: Random, record: Record) -> None:
    """Let three machines report, and one be seen, one normal again after half a minute: these tell nobody else."""
    phones: dict[str, list[str]] = {}
    for number, machine in enumerate(("alone", "seen", "normal")):
        names = [f"{badge}-9{number}5" for badge in ("op", "sv", "mg")]
        phones[machine] = [f"+52330000{number}30{step}" for step, _ in enumerate(names)]
        for name, phone in zip(names, phones[machine], strict=True):
            reach(world, name, sms=phone)
        roster = {"operators": names[:1], "supervisor": names[1], "manager": names[2]}
        plant.open_plant(world, f"f-{machine}", [machine], roster, CHAIN)
    began = {machine: report(world, machine) for machine in phones}
    world.wait(30)
    log = log_of("seen", "ERROR", times.to_utc(began["seen"]))
    done(world.request("POST /acknowledgements", body=[log], groups=[groups.OPERATOR]))
    report(world, "normal", state="NORMAL")
    world.wait(LATEST_S[-1])
    for machine, numbers in phones.items():
        told = [one for one in providers_of(world).got(SMS) if one.address in numbers]
        steps, wanted = [numbers.index(one.address) for one in told], [0, 1, 2] if machine == "alone" else [0]
        record.expect("each is told once, in turn, until it ends", steps == wanted, f"{machine}: {steps}")
        for step, one in zip(steps, told, strict=True):
            after = one.at - began[machine] / 1000
            record.expect(
                "each step is told in time", after <= LATEST_S[step], f"{machine}, step {step}: {after:.0f} s"
            )


def nobody(world: LivingWorld, _: Random, record: Record) -> None:
    """Let a machine report where nobody is on duty: the supervisor is told."""
    phone = "+523300004001"
    reach(world, "sv-904", sms=phone)
    day = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")[(time.gmtime(world.now_ms / 1000).tm_wday + 3) % 7]
    shift = {"name": "another-day", "days": [day], "from": "08:00", "to": "09:00", "operators": ["op-904"]}
    plant.open_plant(
        world, "f-gap", ["gap"], {"operators": ["op-904"], "supervisor": "sv-904", "shifts": [shift]}, CHAIN[:1]
    )
    began = report(world, "gap")
    world.wait(LATEST_S[0] + 30)
    after = [one.at - began / 1000 for one in providers_of(world).got(SMS) if one.address == phone]
    record.expect("the supervisor is told at once, and once", len(after) == 1 and after[0] <= LATEST_S[0], after)


MANY: Final = 30
WAYS: Final = {MAIL: "{}@example.com", SMS: "+5233{:08}", WEBHOOK: "https://{}.example.com/hook"}
SETTLED_S, QUIET_S, MOST_TIMES = 1_800, 300, 2


def crowd(world: LivingWorld, dice: Random, record: Record) -> None:
    """Tell whoever is asked, or name them as untold, whatever is killed, lost, doubled or late, or fails."""
    providers, people = providers_of(world), dict[str, dict[str, str]]()
    for number in range(10_000, 10_000 + MANY):
        order = dice.sample([*WAYS], dice.randint(1, len(WAYS)))
        people[f"op-{number}"] = {channel: WAYS[channel].format(number) for channel in order}
        reach(world, f"op-{number}", **people[f"op-{number}"])
    asked = set[str]()
    for press in range(12):
        some = dice.sample([*people], dice.randint(1, 8))
        ask(world, *some, *some[: dice.randint(0, len(some))], about=f"press-{press}")
        asked |= {*some}
        providers.answer(dice.choice([*WAYS]), dice.choice([WELL, WELL, FAILS, REFUSES, HOLE]))
        world.wait(dice.choice([1, 5, 30, 60]))
    world.calm()
    providers.behaves.clear()
    world.until(lambda: asked <= people_in(world, TOLD) | people_in(world, UNTOLD), within_s=SETTLED_S)
    world.wait(QUIET_S)
    told, untold, got = people_in(world, TOLD), people_in(world, UNTOLD), providers.got()
    reached = {one.address for one in got}
    for person in asked:
        record.expect("each is told, or named as untold", person in told | untold, person)
        is_reached = bool(reached & {*people[person].values()})
        record.expect("who is said to be told was", person not in told or is_reached, person)
    times_told = Counter((one.channel, one.address, press) for one in got for press in _presses_in(one))
    for what, number in times_told.items():
        record.expect(
            "nobody is told of one thing more than twice by a channel", number <= MOST_TIMES, f"{what}: {number}"
        )
    record.note(f"{len(got)} messages to {len(asked)} people, of whom {len(untold)} are named as untold")


def _presses_in(got: Got) -> set[str]:
    return {*re.findall(r"press-[a-z0-9-]+", f"{got.subject} {got.text.partition('http')[0]}")}


def overlapping(world: LivingWorld, _: Random, record: Record) -> None:
    """Tell each once where providers are well but slow, and workers do the same at the same time."""
    providers_of(world).slow()
    people = [f"op-{20_000 + number}" for number in range(MANY)]
    for number, person in enumerate(people):
        channel = [*WAYS][number % len(WAYS)]
        reach(world, person, **{channel: WAYS[channel].format(20_000 + number)})
    ask(world, *people)
    world.until(lambda: {*people} <= people_in(world, TOLD), within_s=SETTLED_S)
    world.wait(QUIET_S)
    counts = Counter(one.address for one in providers_of(world).got())
    record.expect("each is told", len(counts) == len(people), counts)
    record.expect("each is told once", {*counts.values()} == {1}, [one for one in counts.items() if one[1] > 1])


FAILS_S, EVERY_S, OPENS_AT, PROBED_S, CLOSES_S = 120, 4, 6, 25, 90


def failing(world: LivingWorld, dice: Random, record: Record) -> None:
    """Let a provider fail for two minutes: few calls, others tell meanwhile, and it is used again by itself."""
    providers, people = providers_of(world), list[str]()
    reply = dice.choice([FAILS, REFUSES])
    providers.answer(WEBHOOK, reply)

    def ask_more(is_over: Callable[[], object]) -> None:
        while not is_over():
            people.append(f"op-{930_000 + len(people)}")
            reach(
                world, people[-1], webhook=f"https://hooks.example.com/{people[-1]}", mail=f"{people[-1]}@example.com"
            )
            ask(world, people[-1])
            world.wait(EVERY_S)

    ask_more(lambda: len(people) * EVERY_S >= FAILS_S)
    providers.answer(WEBHOOK, WELL)
    well_ms, calls = world.now_ms, providers.calls(WEBHOOK)
    ask_more(lambda: providers.calls(WEBHOOK, since_ms=well_ms) or world.now_ms > well_ms + 1000 * CLOSES_S)
    closed, first_after, closed_ms = providers.calls(WEBHOOK, since_ms=well_ms), len(people), world.now_ms
    ask_more(lambda: len(people) >= first_after + 3)
    world.until(lambda: {*people} <= people_in(world, TOLD), within_s=SETTLED_S)
    soon = [one for one in calls if one.at < calls[0].at + PROBED_S]
    record.expect("a breaker opens after six calls", len(soon) <= OPENS_AT, f"{reply.status}: {len(soon)}")
    record.expect("the next channel tells meanwhile", [one for one in providers.got(MAIL) if one.at * 1000 < well_ms])
    record.expect("the breaker closes by itself", closed, f"no call for {CLOSES_S} s")
    used = {one.address.rpartition("/")[2] for one in providers.got(WEBHOOK, since_ms=closed_ms)}
    record.expect("then the provider is used as before", {*people[first_after:]} <= used, used)
    for person in people:
        record.expect("each is told in the end", person in people_in(world, TOLD), person)
    gaps = [after - before for ats in _by_address(calls) for before, after in pairwise(ats)]
    record.expect("who takes nothing is not called again at once", min(gaps, default=PROBED_S) >= PROBED_S, gaps)


def unanswered(world: LivingWorld, dice: Random, record: Record) -> None:
    """Call a provider without an answer once more at the most; then the next one tells."""
    providers, people = providers_of(world), [f"op-{number}" for number in range(980_000, 980_003)]
    providers.answer(WEBHOOK, dice.choice([FAILS, HOLE]))
    for person in people:  # each at a host of its own, whose breaker stays closed
        reach(world, person, webhook=f"https://{person}.example.com/hook", mail=f"{person}@example.com")
    ask(world, *people)
    world.until(lambda: {*people} <= people_in(world, TOLD), within_s=SETTLED_S)
    world.wait(QUIET_S)
    calls = [len(ats) for ats in _by_address(providers.calls(WEBHOOK))]
    record.expect("a call without an answer is made once more", calls == [2] * len(people), calls)
    mails = Counter(one.address for one in providers.got(MAIL))
    record.expect("then the next channel tells, once", [*mails.values()] == [1] * len(people), mails)


def _by_address(calls: Iterable[Got]) -> Iterable[list[float]]:
    """Return the times of calls to each address."""
    times_of = defaultdict[str, list[float]](list)
    for one in calls:
        times_of[one.address].append(one.at)
    return times_of.values()


LONGER_S: Final = 10


def black_hole(world: LivingWorld, _: Random, record: Record) -> None:
    """Let a provider never answer: others, whom another one tells, wait ten seconds longer at the most."""
    providers = providers_of(world)

    def slowest(first: int, held_up: Sequence[str] = ()) -> float:
        others = [f"op-{number}" for number in range(first, first + 10)]
        for person in others:
            reach(world, person, mail=f"{person}@example.com")
        for person in held_up:
            reach(world, person, webhook=f"https://hooks.example.com/{person}")
        began = world.now_ms
        ask(world, *held_up, *others)
        world.until(lambda: {*others} <= people_in(world, TOLD), within_s=420)
        told = [one.at for one in providers.got(MAIL, since_ms=began) if one.address.partition("@")[0] in others]
        return max(told) - began / 1000 if len(told) == len(others) else 420

    usual = slowest(940_000)
    providers.answer(WEBHOOK, HOLE)
    held_up = slowest(960_000, [f"op-{number}" for number in range(950_000, 950_010)])
    record.note(f"ten into a black hole: others told after {held_up:.1f} s, without it after {usual:.1f} s")
    record.expect(
        "others wait ten seconds longer at the most", held_up - usual <= LONGER_S, f"{usual:.1f} s, {held_up:.1f} s"
    )


WITHIN_S: Final = 30


def storm(world: LivingWorld, _: Random, record: Record) -> None:
    """Let a hundred machines report at once: they are one message to each."""
    phone, address, machines = "+523300001001", "storm-sv@example.com", [f"storm-{number}" for number in range(100)]
    reach(world, "op-901", sms=phone)
    reach(world, "sv-901", mail=address)
    both = ((0, "duty:operator"), (0, "duty:supervisor"))
    plant.open_plant(world, "f-storm", machines, {"operators": ["op-901"], "supervisor": "sv-901"}, both)
    began = report(world, *machines)
    world.wait(300)  # a slot, its sweep and the delay of the queue
    for channel, to in ((SMS, phone), (MAIL, address)):
        got = [one for one in providers_of(world).got(channel, since_ms=began) if one.address == to]
        seen = [(one.subject, f"{one.at - began / 1000:.1f} s") for one in got]
        is_one = len(got) == 1 and got[0].at - began / 1000 <= WITHIN_S
        held = is_one and got[0].subject == "100 machines need help"
        record.expect("a hundred machines are one message, within half a minute", held, f"{channel}: {seen}")


MOST_MESSAGES: Final = 11


def slowly(world: LivingWorld, _: Random, record: Record) -> None:
    """Let a machine report each ten seconds, for twenty minutes: few messages, each machine in one of them."""
    machines = [f"slow-{number}" for number in range(120)]
    reach(world, "op-902", sms="+523300002001", mail="slow-op@example.com")
    plant.open_plant(world, "f-slow", machines, {"operators": ["op-902"], "supervisor": "op-902"}, CHAIN[:1])
    for machine in machines:
        report(world, machine)
        world.wait(10)
    world.wait(300)
    told = Counter(about["equipmentId"] for fact in world.facts(TOLD) for about in fact["told"]["about"])
    got = providers_of(world).got()
    record.note(f"120 machines over 20 minutes: {len(got)} messages")
    record.expect("there are few messages", len(got) <= MOST_MESSAGES, len(got))
    for machine in machines:
        record.expect("a machine is in one message", told[machine] == 1, f"{machine}: in {told[machine]}")


# Links and addresses.

HOUR_S: Final = 3_600
PART_OF_TOKEN: Final = 20  # characters of its beginning, and of its end, that are looked for
USE: Final = "POST /links/seen"
LISTENED_S: Final = 3  # by then listeners have said what they made of a fact


def tokens(world: LivingWorld, _: Random, record: Record) -> None:
    """Use tokens: one counts as it was signed, and in no other way; no text has it."""
    log, before = log_of("linked", "ERROR", times.to_utc(world.now_ms)), _logged_uses(world)
    link = Link("op-905", (signed.reference_of(log),), world.now_ms // 1000 + HOUR_S)
    keys = [world.secret(LINK_SECRET).encode(), *(secrets.token_hex(32).encode() for _ in range(2))]
    good, *others = (sign(link, purpose=signed.PURPOSE, key=key) for key in keys)
    wrong = {
        **{f"changed at {at}": _changed(good, at) for at, _ in enumerate(good)},
        "cut": good[:-4],
        "longer": f"{good}AAAA",
        "expired": sign(link._replace(expires=world.now_ms // 1000), purpose=signed.PURPOSE, key=keys[0]),
        **{f"for {purpose!r}": sign(link, purpose=purpose, key=keys[0]) for purpose in ("", "told", "Seen", "seen ")},
        "by another key": others[0],
    }
    answers = {why: _use(world, token) for why, token in wrong.items()}
    words = {answer.body.get("detail") for answer in answers.values()}
    for why, answer in answers.items():
        is_gone = answer.status == HTTPStatus.GONE and len(words) == 1
        record.expect("a token that was not signed for this is gone, in the same words", is_gone, f"{why}: {answer}")
    record.expect("tokens that do not count change nothing", not acknowledged(world, "linked"), "a row")
    record.expect("a token that was signed counts", _use(world, good).status == HTTPStatus.OK, good)
    record.expect("it changes one row", len(acknowledged(world, "linked")) == 1, acknowledged(world, "linked"))
    for number, key in enumerate(keys[1:]):
        world.rotate(LINK_SECRET, key.decode())
        for token in ([good, *others][number + 1], [good, *others][number]):
            answer = _use(world, token)
            record.expect("the key counts, and the one before it", answer.status == HTTPStatus.OK, answer)
    record.expect("the key of long ago counts no more", _use(world, good).status == HTTPStatus.GONE, good)
    uses = len(wrong) + 1 + 2 * len(keys[1:]) + 1
    is_logged = world.until(lambda: _logged_uses(world) >= before + uses, within_s=60)
    record.expect("each use is logged", is_logged, f"{_logged_uses(world) - before} of {uses}")
    is_told = world.until(lambda: world.facts("state-acknowledged"), within_s=60)
    record.expect("what it changed is published", is_told)
    world.wait(LISTENED_S)
    parts = [part for token in (good, *others) for part in (token[:PART_OF_TOKEN], token[-PART_OF_TOKEN:])]
    for place, text in world.texts():
        record.expect("no text has a part of a token", not any(part in text for part in parts), place)


def _logged_uses(world: LivingWorld) -> int:
    return sum(text.count(USE) for _, text in world.texts())


def _changed(token: str, at: int) -> str:
    return f"{token[:at]}{'A' if token[at] != 'A' else 'B'}{token[at + 1 :]}"


def _use(world: LivingWorld, token: str) -> Answer:
    """Use a token as the page does: nobody is signed in."""
    return world.request(USE, body={"token": token}, groups=[])


def addresses(world: LivingWorld, _: Random, record: Record) -> None:
    """Look for addresses: they stand in one table, and in nothing else that is stored, logged or answered."""
    people = [f"op-{number}" for number in range(970_000, 970_010)]
    for number, person in enumerate(people):
        reach(world, person, **{channel: way.format(970_000 + number) for channel, way in WAYS.items()})
    ask(world, *people)
    record.expect("all are told", world.until(lambda: {*people} <= people_in(world, TOLD), within_s=SETTLED_S))
    for place, text in (*world.texts(), *_answers(world, people)):
        found = [one for one in providers_of(world).addresses if one in text and place != ADDRESSES]
        record.expect("no other text has an address", not found, f"{place}: {found[:3]}")


def _answers(world: LivingWorld, people: Iterable[str]) -> Iterator[tuple[str, str]]:
    for person in people:
        for route, name in (
            ("GET /equipment/{id}/tellings", f"press-of-{person}"),
            ("GET /people/{id}/contact", person),
        ):
            for group in (groups.OPERATOR, groups.SUPERVISOR):
                answer = world.request(route, path={"id": name}, groups=[group])
                yield f"{route}, to {group}", json.dumps(answer.body)


HARD: Final = Faults(kill=0.01, lose=0.01, twice=0.3, late=0.2, slow_ms=20)
PARTS: Final[Mapping[str, ProvedPart]] = {
    "chains": ProvedPart(chains),
    "nobody": ProvedPart(nobody),
    "crowd": ProvedPart(crowd, HARD),
    "overlapping": ProvedPart(overlapping, Faults(twice=0.5, late=0.3, late_s=3, slow_ms=100), deployed=False),
    "failing": ProvedPart(failing),
    "unanswered": ProvedPart(unanswered, deployed=False),
    "black-hole": ProvedPart(black_hole),
    "storm": ProvedPart(storm),
    "slowly": ProvedPart(slowly, deployed=False),
    "tokens": ProvedPart(tokens),
    "addresses": ProvedPart(addresses),
    "presses": ProvedPart(presses.of_links, in_memory=False),
    "private": ProvedPart(presses.private_addresses, in_memory=False),
}
