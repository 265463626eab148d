"""Whole: each package has the files, the tests, the samples and the line in the stack that it needs."""

from andon.project import project
from andon.testing.whole import missing_in


def test_nothing_is_missing() -> None:
    missing = missing_in(project().root)

    assert not missing, "; ".join(missing)
