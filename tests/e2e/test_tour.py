"""The first walk of docs/tour.md, on the deployed stack; demo/episode.py plays the second one."""

from pathlib import Path

from andon.tools.stack.stack import Stack
from contract import groups
from tests.support.tour import blocks, walk


def test_versions_times_and_reading_what_one_wrote_are_as_the_tour_says(stack: Stack, tmp_path: Path) -> None:
    beginning, versions, reading = blocks()[:3]
    commands = f"{beginning}{versions}{reading}"
    for name in ("press-7", "gdl-1", "Acme"):  # others have what these are in other tests
        commands = commands.replace(name, f"{name}-of-the-tour")

    answered = walk(commands, api=stack.outputs["ApiUrl"], token=stack.token(groups.ADMIN), folder=tmp_path)

    assert [one for one in answered if not one.is_as_said] == []
    assert len(answered) == 16
