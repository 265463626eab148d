from pathlib import Path

from demo import episode
from demo.people import PEOPLE
from demo.scenario import ScenarioCall, call_of


def people(story: list[ScenarioCall]) -> set[str]:
    bodies = [call.body for call in story if call.method == "PUT" and call.body]
    operators = [name for body in bodies for name in [*body.get("operators", ()), body.get("operator")]]
    return {*operators, *(body.get("supervisor") for body in bodies)} - {None}


def test_every_run_on_an_emulator_has_a_number_of_its_own(tmp_path: Path) -> None:
    assert [episode.run_of(tmp_path) for _ in range(3)] == [1, 2, 3]


def test_two_runs_speak_of_different_equipment_and_write_different_rosters() -> None:
    lines = episode.STORY.read_text().splitlines()

    first, second = ([call_of(line, run=run, start_ms=0, now_ms=0) for line in lines] for run in (1, 2))

    commands = [call.path for call in first if call.method != "GET"]
    assert len(set(commands)) == len(commands) == 8
    assert not {call.path for call in first} & {call.path for call in second}
    assert not people(first) & people(second)
    assert not [call for call in first if "{" in call.path]


def test_the_story_needs_nobody_whom_awss_sample_speaks_of() -> None:
    # The seven questions would get another answer the next time.
    story = [call_of(line, run=1, start_ms=0, now_ms=0) for line in episode.STORY.read_text().splitlines()]

    assert not people(story) & PEOPLE.keys()
