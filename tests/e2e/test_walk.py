"""A project of its own lives: made, changed, moved to a view's next version, upgraded, ended, begun again.

One project on one stack, by the verbs that a person types; each test goes on where the one before ended. `make walk`
does it with every option of the generators, too.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from andon.tools.cli import VERBS
from andon.tools.stack import emulator
from andon.tools.stack.outputs import of_running_stack
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from tests.support.walk import CHARGE, GROVE, SteadyReads, Walk, live, newer, steadily

DOMAINS: Final = [GROVE] if "EVERY_OPTION" in os.environ else [CHARGE]
NAMES: Final = [f"one-{number}" for number in range(4)]
READS: Final = 100
PERSON: Final = "p-1001"
NOTHING_RUNS: Final = "nothing is running here; start it with: andon up"

SWEEP: Final = {  # verb -> arguments, and the status that it ends with while the system runs
    "new": ([], 2),
    "upgrade": (["--check"], 0),
    "docs": (["unique", "name"], 0),
    "up": (["--port", "70000"], 2),
    "redeploy": ([], 0),
    "call": (["GET", "/gone"], 1),
    "connect": (["thing", "one"], 1),
    "claim": ([], 0),
    "token": (["nobody"], 1),
    "console": (["ONCE=1"], 0),
    "inbox": (["ONCE=1"], 0),
    "archive": ([], 0),
    "audit": ([], 0),
    "query": (["SQL=SELECT count(*) FROM facts"], 0),
    "trace": (["ID=gone"], 1),
    "what-if": (["RULE=gone"], 1),
    "replay": (["README.md"], 1),
    "samples": ([], 0),
    "openapi": ([], 0),
    "figures": ([], 0),
    "contracts": ([], 0),
    "agents": ([], 0),
    "new-view-version": (["gone"], 1),
    "fill": (["gone"], 1),
    "prove": (["gone"], 2),
    "cutover": (["gone"], 1),
    "retire": (["gone"], 1),
    "in-step": ([], 0),
    "kept": (["--check"], 0),
    "deploy": (["--stage", "gone"], 1),
    "redrive": ([], 0),
    "catch-up": (["inventory", "gone", "yesterday"], 2),
    "replay-failures": ([], 0),
    "erase": (["p-1002"], 1),
    "restore-region": ([], 0),
    "restore": (["A", "B"], 1),
    "down": ([], 0),  # the last one: it ends the system
}
ENDED: Final = {  # verb -> arguments, which without a system that runs it cannot do
    "redeploy": [],
    "call": ["GET", "/drift"],
    "connect": ["thing", "one"],
    "claim": [],
    "token": ["user"],
    "console": ["ONCE=1"],
    "inbox": ["ONCE=1"],
    "archive": [],
    "audit": [],
    "query": ["SQL=SELECT 1"],
    "trace": ["ID=gone"],
    "in-step": [],
    "redrive": [],
    "catch-up": ["inventory", "gone", "2026-11-21T09:35:00Z"],
    "replay-failures": [],
    "erase": ["p-1002"],
    "restore-region": [],
    "restore": ["A", "B"],
}
DEAR: Final = {"figures"}
"""Verbs that synthesise every stage."""


@pytest.fixture(scope="module", params=DOMAINS, ids=lambda domain: domain.name)
def walk(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, wheel_file: Path, wheel: Path
) -> Iterator[Walk]:
    """On lifelines, so that its emulators end with this run however that ends."""
    made = Walk(request.param, tmp_path_factory.mktemp("walk"), wheel_file, wheel)
    yield made
    for running in made.emulators:
        emulator.stop(made.home, running)


@pytest.fixture(scope="module")
def versions() -> dict[str, int]:
    """The number of versions of each thing of the project."""
    return dict.fromkeys(NAMES, 0)


def begin(walk: Walk) -> str:
    """Start an empty emulator, and bring the project up on it."""
    walk.emulators.append(emulator.start(walk.home, emulator.free_port(), lifeline=True))
    return walk.make("up")


def say(walk: Walk, versions: dict[str, int]) -> None:
    """Change each of its things, to the number of its version."""
    with walk.api.connect() as connection:
        for name, number in versions.items():
            walk.put(connection, name, f"{number + 1:04}", number)
            versions[name] = number + 1


def require_shown(walk: Walk, view: str, versions: dict[str, int], member: str) -> None:
    """Check that a view shows all that was said, or will."""
    api = walk.api

    def shown() -> dict[str, str]:
        answers = {name: api.get(f"/{view}/{name}") for name in versions}
        return {name: one.json.get(member) for name, one in answers.items() if one.status == 200}

    said = {name: f"{number:04}" for name, number in versions.items()}
    assert eventually(lambda: shown() == said), (shown(), said)


def of_next(walk: Walk) -> str:
    return f"functions/views/{walk.domain.view}_v2/view.py"


def test_what_was_made_runs_and_shows_what_is_said(walk: Walk, versions: dict[str, int]) -> None:
    for line in walk.domain.made:
        walk.andon("new", *line.split())
    walk.commit()

    assert "Up after" in begin(walk)
    say(walk, versions)

    require_shown(walk, walk.domain.view, versions, walk.domain.member)
    assert walk.audited()[walk.domain.view] == len(NAMES)


def test_a_member_more_is_said_after_two_lines(walk: Walk, versions: dict[str, int]) -> None:
    entity = f"functions/contract/entities/{walk.domain.service}.py"
    before = {file: file.read_bytes() for file in walk.file("events").rglob("*.json")}
    walk.edit(entity, "import Annotated, Says", "import Annotated, NotRequired, Says")
    of_entity = f"\n\n\nclass {walk.domain.one.capitalize()}Entity"
    walk.edit(entity, of_entity, f'\n    maker: NotRequired[Annotated[Line, Says("Volt", "no")]]{of_entity}')
    walk.make("samples")

    walk.require_green()
    assert {file: file.read_bytes() for file in walk.file("events").rglob("*.json")} == before
    assert "has the code of now" in walk.make("redeploy").replace("have", "has")
    walk.more["maker"] = "Volt {}"
    say(walk, versions)
    require_shown(walk, walk.domain.view, versions, walk.domain.member)
    assert walk.audited()[walk.domain.view] == len(NAMES)
    walk.commit()


def test_a_member_gets_another_name_and_what_was_said_before_is_read(walk: Walk, versions: dict[str, int]) -> None:
    view = walk.domain.view
    first, *others = walk.rename()
    walk.lift(first)
    assert "whose old shapes" in walk.andon("up", status=1)
    for reader in others:
        walk.lift(reader)
    walk.make("format")
    walk.make("samples")

    walk.require_green()
    require_shown(walk, view, versions, walk.domain.member)  # what was refused has changed nothing
    walk.make("redeploy")
    say(walk, versions)
    require_shown(walk, view, versions, walk.domain.member)
    assert walk.audited()[view] == len(NAMES)
    walk.commit()


def test_a_second_view_is_filled_and_a_next_version_passes_the_laws_as_it_is_written(
    walk: Walk, versions: dict[str, int]
) -> None:
    walk.andon("new", "view", walk.domain.second, "--of", f"{walk.domain.service}/{walk.domain.fact}")
    walk.andon("new-view-version", walk.domain.view)

    walk.require_green()
    said = walk.make("up")
    assert f"{walk.domain.second} is new: {sum(versions.values())} events of the lake were replayed to it." in said
    require_shown(walk, walk.domain.second, versions, walk.domain.renamed)
    assert walk.audited()[walk.domain.second] == len(NAMES)


def test_a_version_with_a_bug_is_refused_and_nothing_changes(walk: Walk) -> None:
    view = walk.domain.view
    text = walk.file(of_next(walk)).read_text()
    walk.edit(of_next(walk), f'told.text("{walk.domain.renamed}")', f'told.text("{walk.domain.renamed}") + "?"')
    walk.make("redeploy")
    walk.andon("fill", view)

    refused = walk.andon("cutover", view, status=1)

    assert refused.endswith("refused: nothing was changed\n")
    assert all(f"{walk.domain.one} = {name}: both have seen the same events" in refused for name in NAMES)
    assert f"from {walk.domain.service} {walk.domain.fact} of " in refused
    assert not walk.file("infra/serving.json").exists()
    walk.file(of_next(walk)).write_text(text)
    walk.make("redeploy")


def test_a_version_that_is_filled_purged_midway_and_filled_again_serves_without_a_failed_read(
    walk: Walk, versions: dict[str, int]
) -> None:
    view, paths = walk.domain.view, [f"/{walk.domain.view}/{name}" for name in NAMES]
    stack = Stack(of_running_stack(walk.home))
    with live(walk, NAMES, versions):
        walk.andon("call", "POST", "/replays", f'{{"view": "{view}_v2", "rate": 20}}', "--as", "admin")
        stack.client("sqs").purge_queue(QueueUrl=stack.outputs[f"{view.capitalize()}V2QueueUrl"])
        walk.andon("fill", view)
        assert ": 0 differ" in walk.andon("prove", view)
        with steadily(SteadyReads(walk.api, paths, walk.domain.member)) as reads:
            assert f"{view}_v2 serves now" in walk.andon("cutover", view)
            assert f"{view} serves now" in walk.andon("cutover", view, "--back")
            assert f"{view}_v2 serves now" in walk.andon("cutover", view)
            assert eventually(lambda: reads.reads >= READS)

    assert (reads.errors, reads.older) == ([], [])
    require_shown(walk, view, versions, walk.domain.member)
    walk.require_green("test_project or test_whole or test_contracts")
    assert walk.audited()[f"{view}_v2"] == len(NAMES)


def test_the_version_before_is_retired_once_it_can_be_brought_back(walk: Walk) -> None:
    view = walk.domain.view
    walk.commit()
    walk.edit(f"functions/views/{view}/view.py", "TTL_DAYS = ", "TTL_DAYS = 1 + ")
    refused = walk.andon("retire", view, status=1)
    walk.git("checkout", "functions")

    assert f"{view} would be lost for good" in refused
    assert f"functions/views/{view}/view.py" in refused
    assert f"{view} is gone from this clone" in walk.andon("retire", view)
    assert not walk.file(f"functions/views/{view}").exists()
    assert not walk.file("infra/serving.json").exists()
    walk.require_green()
    walk.commit()


def test_a_person_is_erased_wherever_somebody_wrote_the_name_and_a_rule_catches_up_from_the_lake(walk: Walk) -> None:
    person, said = f"/{walk.domain.persons}/{PERSON}", {"name": "Zoe Quarterstaff", **walk.domain.person}
    api, shown = walk.api, f"/{walk.domain.view}/extra"
    with api.connect() as connection:
        assert connection.request("PUT", person, said, {}).status == 201
        walk.put(connection, "extra", "with Zoe Quarterstaff", 0)
    assert eventually(lambda: api.get(shown).status == 200)
    walk.make("archive")

    counted = walk.make("erase", f"ID={PERSON}", "ALSO=Zoe", "DRY_RUN=1")
    erased = walk.andon("erase", PERSON, "--also", "Zoe")

    assert counted.endswith("Nothing was changed.\n")
    assert "The name is erased." in erased
    assert "Every store is swept." in erased
    assert api.get(person).json == {"id": PERSON, "erased": True}
    assert api.get(shown).json[walk.domain.member] == f"with {PERSON}"
    with api.connect() as connection:
        assert connection.request("PUT", person, said, {}).status == 409
    walk.audited()
    since = "2026-01-01T00:00:00Z"
    assert walk.andon("catch-up", "watch", walk.domain.service, since).startswith("What the lake has of ")


def test_a_newer_library_is_installed_and_the_project_upgraded_to_it(
    walk: Walk, wheel_file: Path, tmp_path: Path
) -> None:
    made = newer(wheel_file, tmp_path, "0.99.0")
    walk.install(str(made))
    listed = walk.andon("upgrade", "--check", "--wheel", str(made), status=1)
    said = walk.andon("upgrade", "--wheel", str(made))

    assert "asks for" not in listed
    assert "pyproject.toml: " in said
    assert [file.name for file in walk.file("vendor").iterdir()] == [made.name]
    walk.install()
    asked = "import importlib.metadata as m; print(m.version('andon'))"
    assert walk.ended(".venv/bin/python", "-c", asked).strip() == "0.99.0"
    assert " passed" in walk.make("test")
    walk.commit()


def test_it_comes_up_again_and_every_verb_ends_with_words(walk: Walk, versions: dict[str, int]) -> None:
    assert walk.make("down").startswith("ended the emulator")
    assert "Up after" in begin(walk)
    versions.update(dict.fromkeys(versions, 0))
    say(walk, versions)
    require_shown(walk, walk.domain.view, versions, walk.domain.member)
    assert len(NAMES) in walk.audited().values()

    asked = {verb: one for verb, one in SWEEP.items() if verb not in DEAR or DOMAINS == [GROVE]}
    said = walk.swept([[verb, *arguments] for verb, (arguments, _) in asked.items()])
    ended = walk.swept([[verb, *arguments] for verb, arguments in ENDED.items()])

    assert SWEEP.keys() == VERBS.keys()
    found = {verb: (status, words) for verb, (status, words) in zip(asked, said, strict=True)}
    assert {verb: words for verb, (status, words) in found.items() if status != asked[verb][1]} == {}
    assert [words for _, words in (*said, *ended) if "Traceback" in words] == []
    assert "no name of p-1002 is known" in found["erase"][1]
    assert "Nothing is to do: " in found["upgrade"][1]
    quiet = dict(zip(ENDED, ended, strict=True))
    assert {verb: one for verb, one in quiet.items() if one[0] != 1 or NOTHING_RUNS not in one[1]} == {}
    assert walk.git("status", "--porcelain") == "?? docs/\n"  # the document that `openapi` writes
