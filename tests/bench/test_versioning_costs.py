import subprocess
import sys

from andon.project import project
from bench.version_units import Figure, report


def test_every_way_of_keeping_versions_costs_what_it_does_on_paper() -> None:
    # A process of its own: moto, which this one has loaded, would answer in the emulator's place.
    command = [sys.executable, "-m", "bench.costs", "--without-bills"]
    environment = {"PYTHONPATH": project().imports, "PATH": "/usr/bin:/bin"}

    done = subprocess.run(  # noqa: S603
        command, cwd=project().root, env=environment, capture_output=True, text=True, timeout=300, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "<- differs" not in done.stdout


def test_a_figure_that_differs_is_pointed_at() -> None:
    text = report([Figure("two tables", 1, 4.0, 4), Figure("by time", 2, 3.0, 2)])

    assert [("differs" in line) for line in text.splitlines()] == [False, False, True]
    assert Figure("by time", 2, 3.0, 2).differs
