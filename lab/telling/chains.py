"""Chains by the clock: whom they tell when, and that what is over tells nobody else."""

import time
from typing import Final

from andon.tools.stack.processes import eventually
from lab.telling.plant import Plant
from lab.telling.providers import SMS, Got
from lab.telling.target import Target

PART: Final = "chains"
ALONE, SEEN, NORMAL = "chained-alone", "chained-seen", "chained-normal"
WITHIN_S: Final = (20, 150, 210)
ENDS_S: Final = 30
PLACES: Final = {ALONE: 0, SEEN: 1, NORMAL: 2}
ROLES: Final = {"operators": "op", "supervisor": "sv", "manager": "mg"}  # member of a roster -> of badges
STEPS: Final = [
    {"after": after, "tell": tell, "urgency": "high"}
    for after, tell in ((0, "duty:operator"), (1, "duty:supervisor"), (2, "duty:manager"))
]
# Wednesday's night shift of a factory in which it is never Wednesday at night.
GAP: Final = "chained-gap"


def prove(target: Target) -> None:
    """Let three machines report, each with people of its own, and end two of the chains after half a minute."""
    plants = {machine: _open(target, machine) for machine in PLACES}
    reported = {machine: plant.report(machine) for machine, plant in plants.items()}
    time.sleep(max(reported[ALONE] + ENDS_S - time.time(), 0))
    plants[SEEN].acknowledge(SEEN, reported[SEEN])
    plants[NORMAL].report(NORMAL, state="NORMAL")
    eventually(lambda: len(_told(target, ALONE)) == len(WITHIN_S), within_s=WITHIN_S[-1] + ENDS_S)
    for machine in PLACES:
        after = [one.at - reported[machine] for one in _told(target, machine)]
        seen = ", ".join(f"{seconds:.1f} s" for seconds in after)
        wanted = WITHIN_S if machine == ALONE else WITHIN_S[:1]
        numbers = [one.address[-1] for one in _told(target, machine)]
        held = numbers == [str(step) for step, _ in enumerate(wanted)]
        target.record.expect(PART, machine, "other people were told", held=held, seen=f"{numbers} after {seen}")
        for step, (found, most) in enumerate(zip(after, wanted, strict=False), start=1):
            effect = f"step {step} came late"
            target.record.expect(PART, machine, effect, held=found <= most, seen=f"{found:.1f} s, not {most} s")
        target.record.notes.append(f"a chain of 0, 1 and 2 minutes, {machine}: told after {seen}")


def nobody(target: Target) -> None:
    """Let a machine report where nobody is on duty: who supervises is told."""
    address = "+523300004001"
    target.reach("sv-904", sms=address)
    day = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")[(time.gmtime().tm_wday + 3) % 7]
    shift = {"name": "another-day", "days": [day], "from": "08:00", "to": "09:00", "operators": ["op-904"]}
    plant = Plant(target, "gap", [GAP])
    plant.open({"operators": ["op-904"], "supervisor": "sv-904", "shifts": [shift]}, STEPS[:1])
    reported = plant.report(GAP)
    eventually(lambda: bool(_to(target, address)), within_s=WITHIN_S[0] + ENDS_S)
    after = [one.at - reported for one in _to(target, address)]
    held = len(after) == 1 and after[0] <= WITHIN_S[0]
    seen = f"told after {after} s"
    target.record.expect(PART, "nobody is on duty", "the supervisor is not told at once", held=held, seen=seen)
    target.record.notes.append(f"nobody on duty: the supervisor was {seen}")


def _open(target: Target, machine: str) -> Plant:
    names = {role: f"{badge}-9{PLACES[machine]}5" for role, badge in ROLES.items()}
    for step, name in enumerate(names.values()):
        target.reach(name, sms=_phone(machine, step))
    plant = Plant(target, machine, [machine])
    plant.open({**names, "operators": [names["operators"]]}, STEPS)
    return plant


def _phone(machine: str, step: int) -> str:
    return f"+52330000{PLACES[machine]}30{step}"


def _told(target: Target, machine: str) -> list[Got]:
    numbers = {_phone(machine, step) for step, _ in enumerate(ROLES)}
    return [one for one in target.providers.got(SMS) if one.address in numbers]


def _to(target: Target, phone: str) -> list[Got]:
    return [one for one in target.providers.got(SMS) if one.address == phone]
