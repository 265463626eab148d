"""The pipeline: what it does in which order, and that nothing in it moves, is a key or names an account."""

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

WORKFLOWS = Path(__file__).parents[1] / ".github" / "workflows"
FILES = sorted(WORKFLOWS.glob("*.yml"))
PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")

each = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)


def jobs(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((WORKFLOWS / name).read_text())["jobs"]
    return loaded


def ran(step: dict[str, Any], folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the shell of a step of our own pipeline, with nothing in its environment but what is given."""
    shell = ["bash", "-e", "-c", step["run"]]
    return subprocess.run(shell, env=environment, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603


@each
def test_every_action_is_pinned_by_its_hash(file: Path) -> None:
    used = re.findall(r"uses: (.*)", file.read_text())

    assert used
    assert not [one for one in used if not one.startswith("./") and not PINNED.fullmatch(one)]


@each
def test_no_key_no_secret_and_no_account_stands_in_it(file: Path) -> None:
    text = file.read_text()

    assert not re.search(r"\b\d{12}\b|AKIA|secrets\.|access-key", text)
    assert yaml.safe_load(text)["permissions"] == {}


def test_a_pull_request_is_tested_and_only_what_is_merged_is_deployed() -> None:
    made = jobs("pipeline.yml")

    assert "make test" in made["test"]["steps"][-1]["run"]
    assert made["test"]["permissions"] == {"contents": "read"}
    assert (made["dev"]["needs"], made["prod"]["needs"]) == ("test", "dev")
    assert made["dev"]["if"] == "github.event_name == 'push'"


@pytest.mark.parametrize(
    ("said", "status", "ended", "warned"),
    [
        ("Nobody breaks, nobody loses anything.", 0, 0, False),
        ("Loses something: board.listener.", 1, 0, True),
        ("Traceback (most recent call last):", 1, 1, False),
        ("Breaks: board.listener.", 2, 2, False),
    ],
)
def test_a_change_is_held_against_the_release_of_its_base_and_fails_if_somebody_breaks(
    tmp_path: Path, said: str, status: int, ended: int, *, warned: bool
) -> None:
    made = jobs("pipeline.yml")["contracts"]
    [base] = [step["with"] for step in made["steps"] if "path" in step.get("with", {})]
    for folder, released in ((base["path"], "of its base"), (".", "its own")):
        (tmp_path / folder / base["sparse-checkout"]).mkdir(parents=True)
        (tmp_path / folder / base["sparse-checkout"] / "released.json").write_text(released)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    python = tmp_path / ".venv" / "bin" / "python"
    python.write_text(f"#!/bin/sh\ncat contracts/released.json; echo; echo '{said}'; exit {status}\n")
    python.chmod(0o755)

    summary = tmp_path / "summary.md"
    told = ran(made["steps"][-1], tmp_path, PATH=os.environ["PATH"], GITHUB_STEP_SUMMARY=str(summary))

    assert (made["if"], base["ref"]) == ("github.event_name == 'pull_request'", "${{ github.base_ref }}")
    assert told.returncode == ended
    assert ("::warning" in told.stdout) is warned
    assert f"of its base\n{said}\n" in summary.read_text()


@pytest.mark.parametrize("status", [0, 1, 2])
def test_what_rules_would_have_decided_is_told_beside_a_change_on_a_lake_of_its_base(
    tmp_path: Path, status: int
) -> None:
    made = jobs("pipeline.yml")["what-if"]
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".local").mkdir()
    for name, says in {
        "git": 'mkdir "$5"; echo "$6" >"$5/commit"',
        "python": f'case "$2" in *lived) cp commit "$3";; *) cat "$LAKE"; echo "of all $RULE"; exit {status};; esac',
    }.items():
        program = tmp_path / ".venv" / "bin" / name
        program.write_text(f"#!/bin/sh\n{says}\n")
        program.chmod(0o755)

    summary, path = tmp_path / "summary.md", f"{tmp_path / '.venv' / 'bin'}:{os.environ['PATH']}"
    step = made["steps"][-1]
    told = ran(step, tmp_path, PATH=path, GITHUB_STEP_SUMMARY=str(summary), BASE="its base", RULE="rules")

    assert made["if"] == "github.event_name == 'pull_request'"
    assert step["env"] == {"RULE": "all", "BASE": "${{ github.event.pull_request.base.sha }}"}
    assert told.returncode == 0, told.stderr
    assert ("::warning title=What if::of all rules" in told.stdout) is (status > 0)
    assert "its base\nof all rules\n" in summary.read_text()


def test_a_stage_is_tried_after_it_was_deployed_and_nothing_typed_gets_into_the_shell() -> None:
    made = jobs("deploy.yml")["deploy"]
    commands = [step["run"] for step in made["steps"] if "run" in step]

    assert [command.split()[1] for command in commands[1:]] == ["install", "deploy", "smoke"]
    assert not [command for command in commands if "${{" in command]
    assert made["environment"] == "${{ inputs.stage }}"
    assert made["if"] == "github.ref == 'refs/heads/main'"
    assert made["concurrency"]["cancel-in-progress"] is False


@pytest.mark.parametrize(
    ("stage", "lacks"),
    [("prod", "LIVE_ORIGIN"), ("prod", "ALARM_TOPIC"), ("dev", "DEPLOY_ROLE"), ("dev", "ALARM_TOPIC"), ("prod", None)],
)
def test_a_variable_that_an_environment_lacks_is_named_before_anything_is_done(stage: str, lacks: str | None) -> None:
    first = jobs("deploy.yml")["deploy"]["steps"][0]
    of_prod = {"ALARM_TOPIC", "LIVE_ORIGIN"}
    names = {"DEPLOY_ROLE", "AWS_REGION", *of_prod} - {lacks}

    made = ran(first, Path.cwd(), STAGE=stage, **dict.fromkeys(names, "set"))

    is_needed = lacks is not None and not (stage == "dev" and lacks in of_prod)
    assert made.returncode == int(is_needed)
    assert (f"The GitHub environment {stage} needs the variable {lacks}" in made.stdout) is is_needed


def test_everything_is_installed_before_there_are_credentials() -> None:
    steps = jobs("deploy.yml")["deploy"]["steps"]
    [installed] = [number for number, step in enumerate(steps) if "make install" in step.get("run", "")]
    [signed_in] = [number for number, step in enumerate(steps) if "configure-aws-credentials" in step.get("uses", "")]

    assert installed < signed_in


def test_a_release_is_built_from_its_tag_and_then_signed_with_no_more_rights_than_that_takes() -> None:
    made = jobs("release.yml")["release"]
    order = [step.get("run", step.get("uses", "")).split("@")[0] for step in made["steps"]]

    assert made["permissions"] == {"contents": "read", "id-token": "write", "attestations": "write"}
    assert order[-3:] == [
        "make release PYTHON3=python3.13",
        "actions/attest-build-provenance",
        "actions/upload-artifact",
    ]
    assert made["steps"][-2]["with"]["subject-path"] == ".local/release/*"


@pytest.mark.parametrize(("tag", "status"), [("v0.0.0", 1), ("main", 1), (None, 0)])
def test_a_tag_that_is_not_the_version_releases_nothing(tag: str | None, status: int) -> None:
    [check] = [step for step in jobs("release.yml")["release"]["steps"] if "the tag" in step.get("name", "")]
    library = WORKFLOWS.parents[1] / "library" / "pyproject.toml"
    version = tomllib.loads(library.read_text())["project"]["version"]

    made = ran(check, library.parents[1], GITHUB_REF_NAME=tag or f"v{version}", PATH=os.environ["PATH"])

    assert made.returncode == status


def test_npm_installs_what_is_locked_by_hash_and_runs_no_script_of_it() -> None:
    root = WORKFLOWS.parents[1]
    locked = {
        name: one for name, one in json.loads((root / "package-lock.json").read_text())["packages"].items() if name
    }

    assert "ignore-scripts=true" in (root / ".npmrc").read_text().splitlines()
    assert re.findall(r"npm (\w+) .*\n\t@touch", (root / "Makefile").read_text()) == ["ci"]
    assert locked
    assert not [name for name, one in locked.items() if "integrity" not in one or "resolved" in one]


REPOSITORY = WORKFLOWS.parents[1]
COMMAND = re.compile(r"`make ([a-z-]+)")


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "SECURITY.md"])
def test_what_contributors_are_told_is_there(name: str) -> None:
    page = WORKFLOWS.parent / name
    text, verbs = page.read_text(), (REPOSITORY / "Makefile").read_text()

    assert not [link for link in re.findall(r"\]\(([^)#]+)", text) if not (page.parent / link).exists()]
    assert not [verb for verb in COMMAND.findall(text) if not re.search(rf"^{verb}:", verbs, re.MULTILINE)]


def test_the_dev_container_has_what_pipelines_install_and_runs_our_verb() -> None:
    folder = REPOSITORY / ".devcontainer"
    settings, image = json.loads((folder / "devcontainer.json").read_text()), (folder / "Dockerfile").read_text()
    nodes = {*re.findall(r'node-version: "(\d+)"', "".join(file.read_text() for file in FILES))}

    assert set(re.findall(r"^FROM node:(\d+)-bookworm$", image, re.MULTILINE)) == nodes
    assert settings["postCreateCommand"] == "make install"
    assert not re.search(r"^USER root|^FROM \S+/", image, re.MULTILINE), "nothing as root, no registry by its host"
