"""`andon new service|view|fact|rule` in a copy of this repository: each works beside what is there."""

import shlex
from collections.abc import Mapping

import pytest

from andon.testing.whole import missing_in
from tests.support.clone import Clone, clone

VERBS = (
    "service permits --unique number --date ends_at",
    "view register --of equipment/state-reported --of dispatch/operator-assigned --count-by stateState",
    "fact dispatch inspection",
    "rule dispatch busy --of equipment/state-reported",
    "rule dispatch lapsed --of permits/permit-moved --due-at ends_at",
)
NEW_TESTS = (
    "tests/services/permits",
    "tests/views/register",
    "tests/services/dispatch/test_inspection.py",
    "tests/services/dispatch/test_busy.py",
    "tests/services/dispatch/test_lapsed.py",
    "tests/services/test_bad_input.py",  # whatever is sent to its routes; it asks whether a text is personal data
)
NAMED = (
    "functions/views/register/query.py",
    "tests/services/dispatch/samples.py",
    "events/domain/equipment-busy.json",
)
OF_THEM = "permit or register or inspection or equipment-busy or dispatch and samples or missing or published"
SYNTH = """
import tests.support.infra.kernel
from pathlib import Path
from tempfile import TemporaryDirectory
from tests.support.infra.synthesised import only, synthesise
with TemporaryDirectory() as layer:
    made = synthesise(Path(layer), declare=only("services/permits", "views/register"))
print(*made.functions())
"""


@pytest.fixture(scope="module")
def factory(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    return clone(tmp_path_factory.mktemp("factory"))


@pytest.fixture(scope="module")
def said(factory: Clone) -> Mapping[str, str]:
    return {verb: factory.done("-m", "andon.tools.cli", "new", *shlex.split(verb)) for verb in VERBS}


def counted(said: str, part: str) -> int:
    _, _, below = said.partition(f"{part}:\n")
    return sum(line.startswith("  ") for line in below.partition(":\n")[0].splitlines())


def test_few_files_are_written_and_few_edited(said: Mapping[str, str]) -> None:
    files = {verb: (counted(one, "written"), counted(one, "edited")) for verb, one in said.items()}

    # Among those edited are three that are written from packages: openapi.json, AGENTS.md, llms.txt.
    assert [*files.values()] == [(14, 4), (8, 4), (6, 8), (4, 7), (4, 8)]


@pytest.mark.usefixtures("said")
def test_a_second_service_of_names_is_refused(factory: Clone) -> None:
    refused = factory.python("-m", "andon.tools.cli", "new", "service", "guests", "--person")

    assert (refused.returncode, "one service of names, and /people is there" in refused.stderr) == (1, True)


@pytest.mark.usefixtures("said")
def test_nothing_is_missing_and_a_file_less_is_named(factory: Clone) -> None:
    assert missing_in(factory.root) == []
    for path in NAMED:
        (factory.root / path).rename(factory.root / "gone")
        assert missing_in(factory.root) != []
        (factory.root / "gone").rename(factory.root / path)


@pytest.mark.usefixtures("said")
def test_what_is_new_passes_its_tests_and_the_laws(factory: Clone) -> None:
    laws = [f"library/andon/testing/laws/test_{law}.py" for law in ("contracts", "duplicates", "samples", "whole")]
    run = factory.python("-m", "pytest", "-q", "-p", "no:cacheprovider", *NEW_TESTS, *laws, "-k", OF_THEM)

    assert run.returncode == 0, run.stdout


@pytest.mark.usefixtures("said")
def test_what_is_new_is_in_order_and_synthesised(factory: Clone) -> None:
    factory.done("-m", "ruff", "check", "--no-cache", "functions", "tests", "infra")
    functions = factory.done("-c", SYNTH).split()

    assert {"services/permits/command", "services/permits/trigger", "views/register/listener"} <= set(functions)
