"""The page's clock and shifts, beside those that the rules decide by."""

import json
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

from contract.duty import DAYS, Override, Roster, overlapping_shifts, role_overridden_twice
from contract.zones import wall_time

CASES: Final = Path(__file__).parent / "duty-times.cases.mjs"
ZONES: Final = ("UTC", "America/Mexico_City", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia")
NIGHTS: Final = ("2026-03-08", "2026-03-29", "2026-10-04", "2026-10-25", "2026-11-01")  # in which some clock jumps
COUNT: Final = 400
WHOLE_DAYS: Final = 0.15  # of the rosters have shifts that end when they begin, a day later

Case = dict[str, Any]


def clock_of(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


def roster_of(dice: Random) -> Case:
    """A roster that the API would take, or not."""
    weeks = dice.choice((1, 1, 2, 3))
    whole = {"from": "06:00", "to": "06:00"} if dice.random() < WHOLE_DAYS else {}
    shifts = [
        {
            "name": f"s{number}",
            "days": dice.sample(DAYS, dice.randint(1, 7)),
            "from": clock_of(dice.randrange(0, 1440, 15)),
            "to": clock_of(dice.randrange(0, 1440, 15)),
            **whole,
            "operators": [f"op-{number}1"],
            **({"supervisor": f"sv-{number}1"} if dice.random() < 0.5 else {}),
            **({"lines": ["line-3"]} if dice.random() < 0.4 else {}),
            **({"week": dice.randint(1, weeks)} if dice.random() < 0.6 else {}),
        }
        for number in range(dice.randint(1, 4))
    ]
    return {
        "operators": ["op-17", "op-18"],
        "supervisor": "sv-03",
        "timezone": dice.choice(ZONES),
        "anchor": dice.choice(("2026-11-25", "2026-01-01", "2027-05-03", "1970-01-05")),
        "weeks": weeks,
        **({"manager": "mg-01"} if dice.random() < 0.5 else {}),
        **({"shifts": shifts} if dice.random() < 0.9 else {}),
    }


def overridden(roster: Case, at: datetime, dice: Random) -> Case:
    """The roster with a few overrides around a time."""
    begins = [at + timedelta(minutes=dice.randrange(-600, 600)) for _ in range(dice.randint(0, 3))]
    found = [
        {
            "from": begin.strftime("%Y-%m-%dT%H:%M"),
            "to": (begin + timedelta(minutes=dice.randrange(1, 900))).strftime("%Y-%m-%dT%H:%M"),
            "role": dice.choice(("operator", "supervisor", "manager")),
            "person": f"op-9{number}",
        }
        for number, begin in enumerate(begins)
    ]
    return roster | ({"overrides": found} if found else {})


def cases(seed: int) -> list[Case]:
    """Rosters that the API takes, times at which something may change, and lines."""
    dice = Random(seed)  # noqa: S311  no secrets
    made: list[Case] = []
    while len(made) < COUNT:
        night = datetime.fromisoformat(dice.choice(NIGHTS)).replace(tzinfo=UTC)
        at = night + timedelta(minutes=dice.randrange(-720, 2160))
        roster = overridden(roster_of(dice), at, dice)
        read = Roster.of(roster)
        overrides = [Override.of(one) for one in roster.get("overrides", ())]
        if overlapping_shifts(read.shifts, read.weeks) is None and role_overridden_twice(overrides) is None:
            line = dice.choice((None, "line-1", "line-3"))
            made.append({"roster": roster, "ms": int(at.timestamp() * 1000), "line": line})
    return made


def expected(roster: Case, now: datetime, line: str | None) -> Case:
    """Who is on duty at a clock time, as the rules say it."""
    read = Roster.of(roster | {"timezone": "UTC"})
    there = read.at(int(now.replace(tzinfo=UTC).timestamp() * 1000), line)
    shift = read.shift_at(now, line) if read.shifts else None
    return {
        "shift": shift.name if shift else None,
        "operators": [*there.operators],
        "supervisor": there.supervisor,
        "manager": there.manager,
    }


def test_the_page_says_who_is_on_duty_as_the_rules_decide_it_also_where_clocks_jump() -> None:
    asked = cases(29)

    done = subprocess.run(["node", CASES], input=json.dumps(asked), capture_output=True, text=True, check=True)  # noqa: S603, S607
    answers = json.loads(done.stdout)

    gaps = 0
    for case, answer in zip(asked, answers, strict=True):
        roster, line = case["roster"], case["line"]
        now = wall_time(case["ms"], roster["timezone"])
        there = Roster.of(roster).at(case["ms"], line)
        assert answer["wall"] == now.strftime("%Y-%m-%dT%H:%M")
        assert answer["duty"] == expected(roster, now, line)
        assert (answer["duty"]["operators"], answer["duty"]["supervisor"]) == ([*there.operators], there.supervisor)
        assert answer["isGap"] == (not there.operators)
        gaps += answer["isGap"]
        for before, span in zip([None, *answer["spans"]], answer["spans"], strict=False):
            begin, end = (datetime.fromisoformat(span[name]) for name in ("from", "to"))
            assert before is None or (before["to"] == span["from"] and before["duty"] != span["duty"])
            for moment in (begin, begin + (end - begin) / 2, end - timedelta(minutes=1)):
                assert span["duty"] == expected(roster, moment.replace(second=0, microsecond=0), line), span
    assert COUNT / 10 < gaps < COUNT * 0.9
