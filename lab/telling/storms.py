"""Many machines at once: few messages, and every machine in one."""

import time
from collections import Counter
from typing import Final

from andon.tools.stack.processes import eventually
from lab.telling.plant import Plant, steps
from lab.telling.providers import MAIL, SMS
from lab.telling.target import Target

PART: Final = "storms"
AT_ONCE: Final = 100
WITHIN_S: Final = 30
OVER_S: Final = 300  # a slot, its sweep and the delay of the queue
SLOW: Final = 120
EVERY_S: Final = 10
MOST: Final = 11


def at_once(target: Target) -> None:
    """Let a hundred machines of a line report an error at once."""
    plant = Plant(target, "storm", [f"storm-{number}" for number in range(AT_ONCE)])
    phone, address = "+523300001001", "storm-sv@example.com"
    target.reach("op-901", sms=phone)
    target.reach("sv-901", mail=address)
    plant.open({"operators": ["op-901"], "supervisor": "sv-901"}, steps("duty:operator", "duty:supervisor"))
    began = plant.report(*plant.machines)
    eventually(lambda: len(target.providers.got(since=began)) >= len((SMS, MAIL)), within_s=OVER_S)
    time.sleep(max(began + OVER_S - time.time(), 0))
    for channel, to in ((SMS, phone), (MAIL, address)):
        got = [one for one in target.providers.got(channel, since=began) if one.address == to]
        seen = ", ".join(f"{one.subject!r} after {one.at - began:.1f} s" for one in got) or "nothing"
        is_one = len(got) == 1 and got[0].at - began <= WITHIN_S
        held = is_one and got[0].subject == f"{AT_ONCE} machines need help"
        target.record.expect(PART, f"100 machines by {channel}", "not one message in 30 s", held=held, seen=seen)
        target.record.notes.append(f"100 machines at once, {channel}: {seen}")


def slowly(target: Target) -> None:
    """Let 120 machines report an error, one each ten seconds: over 20 minutes."""
    plant = Plant(target, "slow", [f"slow-{number}" for number in range(SLOW)])
    phone, address = "+523300002001", "slow-op@example.com"
    target.reach("op-902", sms=phone, mail=address)
    plant.open({"operators": ["op-902"], "supervisor": "op-902"}, steps("duty:operator"))
    began = time.time()
    for number, machine in enumerate(plant.machines):
        time.sleep(max(began + number * EVERY_S - time.time(), 0))
        plant.report(machine)
    eventually(lambda: len(told(target, "op-902")) == SLOW, within_s=OVER_S)
    time.sleep(EVERY_S)
    got = [one for one in target.providers.got(since=began) if one.address in {phone, address}]
    seen = f"{len(got)} messages: {Counter(one.channel for one in got)}"
    target.record.expect(PART, "120 machines", f"more than {MOST} messages", held=len(got) <= MOST, seen=seen)
    covered = told(target, "op-902")
    for machine in plant.machines:
        target.record.expect(PART, "a machine of 120", "is in no message", held=covered[machine] >= 1, seen=machine)
        target.record.expect(PART, "a machine of 120", "is in two", held=covered[machine] <= 1, seen=machine)
    target.record.notes.append(f"120 machines over 20 minutes: {seen}; {len(covered)} machines told")


def told(target: Target, person: str) -> Counter[str]:
    """Return the number of times that a person was told of each machine."""
    facts = (fact["told"] for fact in target.facts("person-told"))
    return Counter(about["equipmentId"] for one in facts if one["person"] == person for about in one["about"])
