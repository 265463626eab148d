"""`andon what-if` as a terminal runs it: what it exits with, and why; rows that are in no event."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from andon.cdk.names import TRIGGER, pascal
from andon.packages.discovery import services
from andon.project import library_folder
from andon.tools.views.deployed import Deployed
from andon.tools.what_if.__main__ import hold_back_of, main
from demo.people import LIZ, SARA, SUE
from tests.tools.what_if.asking import SOONER_MS, git

OF_BEFORE = f"SILENT_AFTER_MS: Final = {SOONER_MS}"


def andon(cwd: Path, *variables: str) -> "subprocess.CompletedProcess[str]":
    """Run `andon what-if` in a folder."""
    command = [sys.executable, "-m", "andon.tools.cli", "what-if", *variables]
    environment = {**os.environ, "PYTHONPATH": str(library_folder().parent)}
    environment.pop("ANDON_CALLED_BY", None)
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)  # noqa: S603


def test_a_lake_that_other_code_decided_exits_with_2_and_names_the_day(lake: Path, root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(tmp_path, "clone", "--quiet", str(root), str(other))
    limits = other / "functions" / "services" / "dispatch" / "limits.py"
    limits.write_text(limits.read_text().replace("SILENT_AFTER_MS: Final = 30 * 60_000", OF_BEFORE))
    assert OF_BEFORE in limits.read_text()
    git(other, "-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "--all", "--quiet", "--message=m")
    run = andon(other, "RULE=silent", f"LAKE={lake}", f"JSON={tmp_path / 'found.json'}")
    assert run.returncode == 2, run.stderr
    assert "  do not trust the differences" in run.stdout.splitlines()
    assert "dispatch.silent: " in run.stdout
    assert "no difference" in run.stdout, "the tree is as it was committed"
    found = json.loads((tmp_path / "found.json").read_text())["rules"]["dispatch.silent"]["calibration"]
    assert found["missing"] + found["different"] > 0
    days = ", ".join(f"{day} {number}" for day, number in sorted(found["byDay"].items()))
    assert f"  by day: {days}" in run.stdout.splitlines()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, "which rule?"),
        ({"RULE": "undelivered"}, "undelivered knows what no event says"),
        ({"RULE": "all", "BASE": "nothing"}, "BASE=nothing"),
        ({"RULE": "all", "BASE": "--help"}, "BASE=--help"),
        ({"RULE": "all", "SET": "AFTER_MS"}, 'SET="AFTER_MS" is no NAME=expression'),
        ({"RULE": "all", "SINCE": "yesterday"}, "SINCE=yesterday"),
        ({"RULE": "all", "SINCE": "2020-04-28", "UNTIL": "2020-04-27"}, "UNTIL lies before SINCE"),
        ({"RULE": "all", "HOLD_BACK_SECONDS": "soon"}, "HOLD_BACK_SECONDS=soon is no number of seconds"),
        ({"RULE": "all", "HOLD_BACK_SECONDS": "nan"}, "HOLD_BACK_SECONDS=nan is no number of seconds"),
        ({"RULE": "all", "JSON": "no/such/folder.json"}, "there is no folder for JSON=no/such/folder.json"),
    ],
)
def test_what_makes_no_sense_exits_with_1_and_a_reason_in_a_line(
    lake: Path, given: dict[str, str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, said = main({"LAKE": str(lake), **given}), capsys.readouterr()
    assert (status, said.out) == (1, "")
    assert why in said.err
    assert len(said.err.splitlines()) == 1


class Functions:
    """boto3's client of Lambda, as far as it tells the environment of one function."""

    def get_function_configuration(self, *, FunctionName: str) -> dict[str, Any]:  # noqa: N803  boto3's
        return {"Environment": {"Variables": {"HOLD_BACK_SECONDS": "2" if FunctionName == "a-trigger" else "30"}}}


@pytest.mark.parametrize(("stack", "said"), [(None, "the stack on this machine"), ("prod", "prod")])
def test_the_hold_back_is_that_of_the_stack_that_is_asked(stack: str | None, said: str) -> None:
    outputs = {f"{pascal(one.name)}{TRIGGER}": "a-trigger" for one in services()}

    found = hold_back_of(Deployed(stack, outputs, lambda _: Functions(), settles_s=0))

    assert found == (2, f"HOLD_BACK_SECONDS of {said}")


@pytest.mark.parametrize(("given", "said"), [({}, "30 s"), ({"HOLD_BACK_SECONDS": "1200.5"}, "1200.5 s")])
def test_the_hold_back_of_a_folder_is_said_or_the_default_and_the_output_says_which(
    lake: Path, root: Path, given: dict[str, str], said: str
) -> None:
    run = andon(root, "RULE=silent", f"LAKE={lake}", *(f"{name}={value}" for name, value in given.items()))

    default = "as a stage has it; a folder does not say: HOLD_BACK_SECONDS=… does"
    whose = "as HOLD_BACK_SECONDS says" if given else default
    assert f"  - decisions wait {said} for late events ({whose})" in run.stdout.splitlines(), run.stderr


@pytest.mark.parametrize(
    ("variables", "why"),
    [(("RULE=all", "SET=limits.SILENT_AFTER_MS=1 / 0"), "division by zero"), (("RULE=nothing",), "no rule nothing: ")],
)
def test_a_tree_that_cannot_run_or_has_no_such_rule_exits_with_1_and_leaves_nothing(
    lake: Path, root: Path, variables: tuple[str, ...], why: str
) -> None:
    worktrees = git(root, "worktree", "list")
    run = andon(root, *variables, f"LAKE={lake}")
    assert (run.returncode, run.stdout) == (1, "")
    assert why in run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert git(root, "worktree", "list") == worktrees


@pytest.mark.parametrize(("supervisor", "status"), [(SUE, 0), (SARA, 2)])
def test_a_file_of_rows_is_who_was_there_all_the_time_whatever_the_lake_says(
    lake: Path, root: Path, tmp_path: Path, supervisor: str, status: int
) -> None:
    roster = {"pk": "Factory#gdl-1", "sk": "roster", "discriminator": "roster", "factoryId": "gdl-1"}
    rows = tmp_path / "rosters.json"
    rows.write_text(json.dumps({"DISPATCH_TABLE": [{**roster, "operators": [LIZ, SARA], "supervisor": supervisor}]}))
    run = andon(root, "RULE=escalate", f"LAKE={lake}", f"ROSTERS={rows}")
    assert run.returncode == status, run.stderr
    assert "no difference" in run.stdout, "both trees know the same"
    assert "rosters and their like were as rosters.json has them" in run.stdout
