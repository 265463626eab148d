from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from random import Random
from typing import Final

import pytest

from andon.runtime import times
from contract.entities.calls import CauseEntity
from contract.entities.equipment import LocationEntity
from contract.entities.maintenance import OrderEntity
from demo.lake.envelopes import LakeEnvelope, ReportEntity, Writer
from demo.lake.synthetic import Company, doubled, envelopes, objects
from demo.people import EVA, LIZ, LUIS, ROSA
from tests.support.made_up_calls import calls_beside, causes_of
from tests.support.made_up_tellings import tellings_beside

COUNT = 20_000  # of three days, the last of which a story is asked of
ASKED_ABOUT = 4_000
SHAKY = "press-shaky"
LOCATION: Final[LocationEntity] = {
    "company": "Acme",
    "country": "MX",
    "region": "West",
    "state": "JAL",
    "county": "Guadalajara",
    "city": "Guadalajara",
    "neighborhood": "Centro",
}
GHOST = "press-gh\u2028ost"  # nobody registered it; str.splitlines() would split here


def explained(write: Writer) -> Iterator[LakeEnvelope]:
    """A machine that ran for a while, with a warning, within trouble that somebody explained."""
    yield write.registered(
        SHAKY, factory="gdl-1", line="line-3", location=LOCATION, at_ms=times.to_ms("2026-10-05T00:00:00Z"), actor=LIZ
    )
    states = ("NORMAL", "WARNING1", "ERROR", "WARNING2", "ERROR", "NORMAL", "ERROR", "NORMAL")
    for hour, state in enumerate(states):
        log: ReportEntity = {"equipmentId": SHAKY, "state": state, "timestamp": f"2026-10-05T0{hour}:00:00.000Z"}
        yield write.reported(log, actor=SHAKY)
    began = "2026-10-05T01:00:00.000Z"
    cause = CauseEntity(equipmentId=SHAKY, startedAt=began, version=1, factoryId="gdl-1", cause="bent-guide")
    yield write.explained(cause, at_ms=times.to_ms("2026-10-05T09:00:00Z"), actor=ROSA)


@pytest.fixture(scope="session")
def made() -> list[LakeEnvelope]:
    """A company's events, one in ten twice, and those of a machine that nobody registered and nobody repairs."""
    write = Writer(Random(7))  # noqa: S311  no secret
    logs: list[ReportEntity] = [
        {"equipmentId": GHOST, "state": state, "timestamp": f"2026-10-05T0{hour}:59:59.999Z"}
        for hour, state in ((0, "NORMAL"), (1, "ERROR"), (2, "NORMAL"), (3, "ERROR"), (6, "ERROR"))
    ]
    own = [write.reported(log, actor="ghost", detail="it's \u2028 odd") for log in logs]
    own.append(write.assigned(logs[1], LIZ, at_ms=1_791_165_600_000, actor="rule:assign"))
    own.append(write.assigned(logs[1], EVA, at_ms=1_791_165_600_000, actor="Rosa"))  # in the same millisecond
    own.append(write.crewed(logs[1], LIZ, [EVA], at_ms=1_791_165_600_000, actor="Rosa"))  # there, too
    own.append(write.acknowledged(logs[1], at_ms=1_791_165_660_000, actor="Eva"))
    own.append(write.assigned(logs[1], LUIS, at_ms=1_791_165_660_001, actor="Rosa"))  # afterwards
    for minute in range(8):  # of two in one millisecond the greater id counts, whichever was written first
        log: ReportEntity = {"equipmentId": GHOST, "state": "ERROR", "timestamp": f"2026-10-05T07:{minute:02}:00.000Z"}
        both = (LIZ, EVA)
        own.extend(write.assigned(log, one, at_ms=1_791_165_600_000, actor="Rosa") for one in both)
        own.append(write.acknowledged(log, at_ms=1_791_165_660_000, actor="Eva"))
    own.append(write.escalated(logs[3], ROSA, at_ms=1_791_169_199_999, actor="Eva"))  # by hand
    order = OrderEntity(
        equipmentId=GHOST,
        date="2026-10-04",
        kind="repair",
        version=1,
        factoryId="gdl-1",
        plannedFor="2026-10-04",
        status="started",
        startedAt=logs[1]["timestamp"],  # it stops in the millisecond in which somebody begins
    )
    own.append(write.ordered(order, at_ms=times.to_ms(order["startedAt"]), actor="Eva"))
    done: OrderEntity = {
        **order,
        "version": 10,
        "status": "finished",
        "result": "done",
        "finishedAt": logs[3]["timestamp"],  # and stops again in that in which it is finished
    }
    own.append(write.ordered({**order, "version": 9}, at_ms=1_791_165_600_500, actor="Eva"))  # not finished yet
    own.append(write.ordered(done, at_ms=times.to_ms(done["finishedAt"]), actor="Eva"))
    own += explained(write)
    company = [*envelopes(Company(), COUNT)]
    dice = Random(11)  # noqa: S311  no secret
    called = [*calls_beside(company, dice)]
    people = chain(called, causes_of(company[:ASKED_ABOUT], dice), tellings_beside([*company, *called], dice))
    return list(doubled(chain(company, own, people), share=0.1))


@pytest.fixture(scope="session")
def lake(made: list[LakeEnvelope], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of a lake that holds these events."""
    folder = tmp_path_factory.mktemp("lake")
    for key, body in objects(made):
        file = folder / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
    return folder
