import pytest

from andon.testing.log_lines import unlogged
from demo.legacy import __main__ as story


def test_the_story_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with unlogged():
        story.main()

    told = capsys.readouterr().out.splitlines()
    assert len([line for line in told if not line.startswith(" ")]) == len(story.STORY)
    assert told[-2:] == ["  legacy      no such asset", "  equipment2  Not Found"]
