"""Time zones: those of the layer, looked up where one is asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

from andon.project import library_folder
from andon.runtime import times
from contract.zones import wall_time, zone_of

LIBRARY = library_folder().parent
FUNCTIONS = Path(__file__).parents[2] / "functions"


@pytest.mark.parametrize(
    "name",
    ["Mexico", "", "america/", "../zones", "America", "zone.tab", "Europe/Berlin/../Paris", "leapseconds", "zones"],
)
def test_what_is_no_time_zone_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="must be the name of a time zone"):
        zone_of(name)


def test_a_zone_is_that_of_the_layer_whatever_the_operating_system_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONTZPATH", "/nowhere")

    assert wall_time(0, "America/Mexico_City").isoformat() == "1969-12-31T18:00:00"
    assert wall_time(times.to_ms("2026-03-29T01:00:00Z"), "Europe/Berlin").isoformat() == "2026-03-29T03:00:00"


def test_no_zone_is_imported_where_none_is_asked_for() -> None:
    code = (
        "import sys; from contract.zones import wall_time; from contract.duty import Roster; wall_time(0, 'UTC');"
        "print({'zoneinfo', 'tzdata'} & set(sys.modules))"
    )

    done = subprocess.run(  # noqa: S603  itself
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": f"{FUNCTIONS}:{LIBRARY}"},
    )

    assert done.stdout.strip() == "set()"
