"""Project: what belongs to no package is there, too, and its README is true."""

import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Final, NamedTuple

import pytest

from andon.packages.discovery import packages
from andon.project import project
from andon.runtime import clock, times
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.tools.in_process import openapi
from andon.tools.in_process.agents import AGENTS, LLMS, agents, llms

ROOT: Final = project().root

NEEDED: Final = {
    ".gitignore": "else what tools keep in .local/, tokens among it, is committed",
    ".npmrc": "else what npm installs runs scripts of its own",
    "README.md": "it says how to begin",
    "app.py": "the CDK runs it",
    "cdk.json": "it tells the CDK's command line what to run, and has the settings of the stages",
    "package.json": "it pins the CDK's command line",
    "package-lock.json": "it pins the CDK's command line",
    "pyproject.toml": "it has the settings of ruff, mypy and pytest",
    "requirements/runtime.in": "it says what functions need",
    "requirements/runtime.txt": "it pins what functions get",
}
"""File -> why a project has it."""

EXAMPLE: Final = re.compile(r"CALL=\"((?:PATCH|POST|PUT) /[^\"]*)\" BODY='([^'…]*)'")
TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")

PIPELINES: Final = (
    ".github/workflows/*.yml",
    ".gitlab-ci.yml",
    "bitbucket-pipelines.yml",
    "buildspec.yml",
    "Jenkinsfile",
)


@pytest.mark.parametrize("file", NEEDED)
def test_no_file_is_missing(file: str) -> None:
    assert (ROOT / file).is_file(), f"{file} is missing: {NEEDED[file]}"


class DerivedFile(NamedTuple):
    """A file that a verb writes out of packages and docs, if the project keeps it."""

    verb: str
    text: Callable[[], str]


WRITTEN: Final[Mapping[str, DerivedFile]] = {
    AGENTS: DerivedFile("agents", agents),
    LLMS: DerivedFile("agents", llms),
    "docs/openapi.json": DerivedFile("openapi", openapi.text),
}


def test_what_a_verb_writes_is_current() -> None:
    kept = {file: one for file, one in WRITTEN.items() if (ROOT / file).is_file()}

    stale = [f"{file}: andon {one.verb}" for file, one in kept.items() if (ROOT / file).read_text() != one.text()]
    assert stale == [], f"write anew {'; '.join(stale)}"


def test_a_pipeline_runs_the_tests() -> None:
    texts = [file.read_text() for pattern in PIPELINES for file in ROOT.glob(pattern)]

    assert any("make test" in text or "pytest" in text for text in texts), (
        f"no pipeline runs `make test`: write one of {', '.join(PIPELINES)}"
    )


def test_requirements_name_files_that_are_there() -> None:
    named = [
        line.split()[0]
        for file in (ROOT / "requirements").glob("*.txt")
        for line in file.read_text().splitlines()
        if line.startswith("./")
    ]

    missing = [file for file in named if not (ROOT / file).is_file()]
    assert not missing, f"requirements/*.txt pins {', '.join(missing)}, which is missing: commit it, or pin another one"


def test_beside_what_is_pinned_stands_what_it_was_pinned_of() -> None:
    folder = ROOT / "requirements"
    pinned = [file for file in folder.glob("*.txt") if file.name != "andon.txt" and "--hash" in file.read_text()]

    missing = [f"requirements/{file.stem}.in" for file in pinned if not file.with_suffix(".in").is_file()]
    assert not missing, f"{', '.join(missing)} is missing: make lock pins what stands there"


def test_the_readme_asks_for_routes_that_are_served() -> None:
    text = (ROOT / "README.md").read_text()
    called = re.findall(r"CALL=\"([A-Z]+ /[\w/.-]+)", text)
    called += [f"GET {path}" for path in re.findall(r"curl (?!.*-X ).*?\$API(/[\w/.-]+)", text)]

    served = [re.compile(re.sub(r"{\w+}", "[^/]+", route)) for package in packages() for route in package.routes]
    unserved = [one for one in called if not any(pattern.fullmatch(one) for pattern in served)]
    assert not unserved, f"README.md asks for {', '.join(unserved)}, which nothing answers: mend it there"


@pytest.mark.parametrize("file", ["README.md", "Makefile"])
def test_an_example_call_says_what_its_route_asks_for(world: Loop, file: str) -> None:
    found = [one.groups() for one in EXAMPLE.finditer((ROOT / file).read_text())] if (ROOT / file).is_file() else []

    wrong = [f"{asked}: {why}" for asked, body in found if (why := _refusal(world, asked, body))]
    assert not wrong, f"an example in {file} would be refused, mend it there: {'; '.join(wrong)}"


def _refusal(world: Loop, asked: str, body: str) -> str:
    """Return why a request would be refused as invalid, empty if it is not; no other refusal counts."""
    method, _, path = asked.partition(" ")
    routes = [route for package in packages() for route in package.routes]
    named = (re.fullmatch(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", route), f"{method} {path}") for route in routes)
    route, said = next(((route, one.groupdict()) for route, one in zip(routes, named, strict=True) if one), ("", {}))
    if not route:
        return "no such route"
    dates = [*map(times.to_ms, TIME.findall(f"{asked} {body}"))]
    with frozen_clock(max(dates, default=clock.now_ms())):
        answer = world.request(route, path=said, body=body)
    if answer.status != HTTPStatus.BAD_REQUEST:
        return ""
    errors = answer.body.get("errors", [])
    return ", ".join(f"{one['field']} {one['detail']}" for one in errors) or str(answer.body.get("detail"))


def test_the_readme_names_verbs_that_the_makefile_has() -> None:
    named = set(re.findall(r"(?:^|`|\()make (?:-s )?([a-z][a-z-]+)", (ROOT / "README.md").read_text(), re.MULTILINE))

    missing = sorted(named - _verbs())
    assert not missing, f"README.md names make {', '.join(missing)}, which the Makefile has not: mend one of them"


def _verbs() -> set[str]:
    """Return the targets of the Makefile."""
    lines = (ROOT / "Makefile").read_text().splitlines()
    return {verb for line in lines if (found := re.match(r"([a-z][a-z -]*):(?!=)", line)) for verb in found[1].split()}
