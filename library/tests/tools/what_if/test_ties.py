"""Misfits that are about events which the bus took in one second, and of which nobody knows the order."""

from pathlib import Path

import pytest

from andon.tools.what_if.comparing import CalibrationMisfit
from andon.tools.what_if.lake_record import LakeRecord
from andon.tools.what_if.telling import ties_in

SECOND = 1_588_000_000_000


@pytest.mark.parametrize(
    ("subject", "at_ms", "triggers", "is_tie"),
    [
        ("a", SECOND + 100, (), True),
        ("a", SECOND + 5_000, (SECOND + 100,), True),
        ("a", SECOND + 5_000, (), False),
        ("b", SECOND + 100, (), False),
        ("c", SECOND + 100, (), False),
    ],
)
def test_a_misfit_is_a_tie_if_another_event_of_its_subject_came_in_the_second_of_one_that_it_names(
    tmp_path: Path, subject: str, at_ms: int, triggers: tuple[int, ...], *, is_tie: bool
) -> None:
    records = [
        LakeRecord(SECOND, SECOND + 100, "a", b"[1]"),
        LakeRecord(SECOND + 999, SECOND + 200, "a", b"[2]"),
        LakeRecord(SECOND + 5_000, SECOND + 5_000, "a", b"[3]"),
        LakeRecord(SECOND, SECOND + 100, "b", b"[4]"),
    ]
    files = [tmp_path / "one", tmp_path / "other"]
    for file in files:  # what lies in all groups is one event
        file.write_bytes(b"".join(record.to_bytes() for record in records))
    row = {"triggers": [{"id": "x", "type": "happened", "timestamp": one} for one in triggers]}
    misfit = CalibrationMisfit("things.late", "missing", subject, at_ms, row)
    assert ties_in([misfit], [str(file) for file in files])["things.late"] == is_tie
