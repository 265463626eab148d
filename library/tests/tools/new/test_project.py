"""A project that `andon new project` makes, outside of this repository, with the wheel alone."""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from andon.project import library_folder
from andon.testing.installed import ended, python
from andon.tools.new import project, template
from andon.tools.new.arguments import parser
from andon.tools.new.dependency import Dependency, dependency
from andon.tools.new.words import Name, NotNew, Words

CLI = "andon.tools.cli"
QUICK = "not test_permissions and not test_imports"
"""Laws that synthesise a project, and import each handler: test_slices tries them on one that has all this and more."""
AT_ONCE = "from andon.rules.timing import AtOnce\nfrom andon.runtime"
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
RUFF = ("-m", "ruff")


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


@pytest.fixture(scope="module")
def made(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of permits, made in an empty folder."""
    below = tmp_path_factory.mktemp("empty")
    said = python("-m", CLI, "new", "project", "city", "City", "--service", "permits", imports=(wheel,), cwd=below)

    assert said.splitlines()[-1] == "City is in city; go on there, with: make up"
    assert names_in(below) == ["city"]
    return below / "city"


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "copy")


def test_its_own_tests_and_the_laws_are_green(copy: Path, wheel: Path) -> None:
    said = python(*PYTEST, "-k", QUICK, imports=(wheel,), cwd=copy)

    assert re.search(r"\d{2,} passed", said.splitlines()[-1]), said


def test_its_lint_and_its_types_are_green(made: Path, wheel: Path) -> None:
    python(*RUFF, "check", "--no-cache", ".", imports=(wheel,), cwd=made)
    python(*RUFF, "format", "--no-cache", "--check", ".", imports=(wheel,), cwd=made)
    python("-m", "mypy", "--cache-dir", str(wheel.with_name("types")), imports=(wheel,), cwd=made)


def test_the_example_that_all_is_copied_from_is_green_as_a_whole(wheel: Path, tmp_path: Path) -> None:
    """With all its packages and parts at once; a project has of them what was asked for."""
    root = shutil.copytree(wheel / "andon" / "tools" / "templates" / "project", tmp_path / "acorn")
    (root / project.AGENTS).touch()
    (root / project.REQUIREMENT).write_text("andon==0\n")
    for tool in (
        (CLI, "samples"),
        ("ruff", "check", "--no-cache", "."),
        ("mypy", "--cache-dir", str(wheel.with_name("types"))),
    ):
        python("-m", *tool, imports=(wheel,), cwd=root)
    said = python(*PYTEST, "-k", QUICK, imports=(wheel,), cwd=root)

    assert re.search(r"\d{3,} passed", said.splitlines()[-1]), said


def test_its_lake_can_be_asked_for_each_fact_once(copy: Path, wheel: Path) -> None:
    asked = "from andon.stores.lake.queries import question; print(question('SELECT type FROM facts').literal({}))"

    said = python("-c", asked, imports=(wheel, copy / "functions"), cwd=copy)

    assert re.search(r"^WITH facts AS .*\sFROM events\s.*\sSELECT type FROM facts$", said, re.DOTALL), said


def made_by(project: Path, *arguments: str) -> str:
    mine = {"PATH": os.environ["PATH"]}  # and nothing that the make was told that runs this
    done = subprocess.run(["make", *arguments], cwd=project, env=mine, check=True, capture_output=True, text=True)  # noqa: S603, S607
    return done.stdout


def test_its_contracts_blame_nobody_and_make_reads_its_makefile(copy: Path, wheel: Path) -> None:
    said = python("-m", CLI, "contracts", imports=(wheel,), cwd=copy)

    assert "Nobody breaks, nobody loses anything." in said.splitlines()
    assert "make contracts" in made_by(copy, "more")
    assert [made_by(copy, "--dry-run", *verb).count("andon contracts") for verb in (["test"], ["test", "ARGS=-x"])] == [
        1,
        0,
    ]


def test_of_its_samples_none_is_of_no_route_and_none_of_a_refusal(copy: Path, wheel: Path) -> None:
    events, requests = copy / "events" / "http", copy / "tests" / "services" / "permits" / "samples.py"
    gone, text = events / "put-door.json", (events / "put-permit.json").read_text()
    gone.write_text(text.replace("/permits/", "/doors/"))
    said = python("-m", CLI, "samples", imports=(wheel,), cwd=copy)
    assert (said, gone.is_file()) == ("removed: http/put-door.json", False)

    before = {file: file.read_bytes() for file in events.iterdir()}
    requests.write_text(requests.read_text().replace("headers=change, ", ""))
    refused = ended("-m", CLI, "samples", imports=(wheel,), cwd=copy)
    assert (refused.returncode, refused.stdout) == (1, "")
    why = r"andon samples: tests/services/permits/samples\.py: PUT /permits/{id} answered 428: .* say refused=428\n"
    assert re.fullmatch(why, refused.stderr), refused.stderr
    assert {file: file.read_bytes() for file in events.iterdir()} == before


def test_an_example_call_that_lacks_a_member_is_named(copy: Path, wheel: Path) -> None:
    entity = copy / "functions" / "contract" / "entities" / "permits.py"
    more = '    colour: Annotated[Line, Says("red", "no")]\n    place: '
    entity.write_text(entity.read_text().replace("    place: ", more))

    said = ended(*PYTEST, "--laws", "-k", "test_an_example_call", imports=(wheel,), cwd=copy)

    assert said.returncode == 1
    assert "an example in README.md would be refused, mend it there: PUT /permits/permit-1: body.colour" in said.stdout


SUBJECT = "RULE.id, str(since)"
MISRULED = {
    "a key that names one decision for all": ({SUBJECT: 'RULE.id, "first"'}, "decides .* under one key, .* is lost", 6),
    "a key in the partition of another one": (
        {"KEYS, key_of(history.anchor)": 'KEYS, partition_of("permit-1")'},
        "decides .* of permit-10 .* of permit-1 .* under one key",
        6,
    ),
    "a rule that decides again": (
        {SUBJECT: "RULE.id, str(at_ms)", "len(found) == MANY": "len(found) >= MANY"},
        "decides .*, and upon the same ",
        4,
    ),
    "a look that is cut": (
        {"window_ms=MINUTE_MS,": "window_ms=MINUTE_MS, most=3, nearest_suffice=True,"},
        "decides .* upon the 3 events that are the nearest, and nothing upon all",
        4,
    ),
    "a rule that does not wait": (
        {"window_ms=MINUTE_MS,": "window_ms=MINUTE_MS, timing=AtOnce(),", "from andon.runtime": AT_ONCE},
        "decides .* in their order, and nothing where they arrive as",
        3,
    ),
}
"""Edits of the rule, what the law says of it, and the events of the shortest sequence."""


@pytest.mark.parametrize("case", MISRULED)
def test_a_rule_that_decides_wrongly_is_named_with_the_events_that_show_it(copy: Path, wheel: Path, case: str) -> None:
    edits, why, fewest = MISRULED[case]
    rule = copy / "functions" / "services" / "watch" / "rules" / "restless.py"
    for before, after in edits.items():
        assert rule.read_text().count(before) == 1
        rule.write_text(rule.read_text().replace(before, after))

    said = ended(*PYTEST, "--laws", "-k", "test_rules", imports=(wheel,), cwd=copy).stdout

    _, _, law = said.partition("laws that are broken")
    assert re.search(rf"\n    watch: \S+Misruled: rule restless {why}", law), said
    assert fewest <= len(re.findall(r"\d+\. permit-moved of permit-1", law)) <= 2 * fewest


def test_it_says_nothing_of_this_machine(made: Path, wheel: Path) -> None:
    said = {file: file.read_text() for file in made.rglob("*") if file.is_file() and file.suffix != ".whl"}

    assert [
        file for file, text in said.items() for place in (made.parent, wheel, Path.home()) if str(place) in text
    ] == []


OF_TEMPLATE = re.compile(
    r"[Aa]corn|(?<![a-z])(?:[Tt]hing|THING)s?(?![a-z])|[Mm]oved|MOVED|[Ii]nventory|INVENTORY|[Ww]atch|WATCH|[Rr]estless"
    r"|RESTLESS|\bplace\b|[Gg]uests?\b|GUEST|\bhalls?\b|[Ss]hel(?:f|ves)|[Dd]evice|DEVICE|# </?[a-z]+>|[Bb]ook"
    r"|[Pp]arcel|[Cc]atalogue|[Dd]iary|[Oo]verdue|[Ii]nspection|[Ee]stimate|(?<!\()\bvalue\b|[Rr]ecorded|RECORDED|@\d@"
)
"""Words of the template, and what stands for a part of it while others are replaced."""

SAID = "--view latest --rule alarms/many"
ASKED = {
    "things": f"--service stations --field city --fact registered --unique code --date opens_at {SAID}",
    "a group": f"--service sessions --partition parking_lot --field plug --fact session-started --date ends_at {SAID}",
    "a time": f"--service readings --time-based --partition meter --field energy --fact taken {SAID}",
    "alone": "--service stations --field city_name --fact registered --no-view --no-rule --person",
}


@pytest.fixture(scope="module", params=[*ASKED.values()], ids=[*ASKED])
def worded(request: pytest.FixtureRequest, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in whose making each word was said."""
    below = tmp_path_factory.mktemp("worded")
    python("-m", CLI, "new", "project", "grid", "Grid", *request.param.split(), imports=(wheel,), cwd=below)
    return below / "grid"


def test_it_keeps_no_word_of_the_template(worded: Path) -> None:
    """But those of the library, of its stores' routes and of what Python has, as `replace`."""
    others = {"vendor", "requirements", ".local"}
    kept = [file for file in worded.rglob("*") if file.is_file() and not others & {*file.parts}]
    own = [file for file in kept if file.name != "AGENTS.md"]

    found = {f"{file.relative_to(worded)}: {one}" for file in own for one in OF_TEMPLATE.findall(file.read_text())}
    assert found | {str(file) for file in kept if OF_TEMPLATE.search(str(file.relative_to(worded)))} == set()


def test_with_words_of_ones_own_its_tests_its_lint_its_types_and_the_laws_are_green(
    worded: Path, wheel: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(worded, tmp_path / "copy")
    python(*RUFF, "check", "--no-cache", ".", imports=(wheel,), cwd=copy)
    python(*RUFF, "format", "--no-cache", "--check", ".", imports=(wheel,), cwd=copy)
    python("-m", "mypy", "--cache-dir", str(wheel.with_name("types")), imports=(wheel,), cwd=copy)
    said = python(*PYTEST, "-k", QUICK, imports=(wheel,), cwd=copy)

    assert re.search(r"\d{2,} passed", said.splitlines()[-1]), said


def test_what_the_wheel_and_its_extras_need_is_pinned_in_it(wheel: Path) -> None:
    [found] = importlib.metadata.distributions(name="andon", path=[str(wheel)])
    own = "powertools"  # whoever takes it pins it, see docs/coming-from-powertools.md
    asked = [one for one in found.requires or [] if own not in one.partition(";")[2]]
    needed = {re.split(r"[^\w-]", one)[0] for one in asked} - {"andon"}
    pins = (wheel / "andon" / "tools" / "pins" / "dev.txt").read_text()

    assert needed - {*re.findall(r"^([\w-]+)==", pins, re.MULTILINE)} == set()


# Three of them are what a repository is expected to have: how to contribute, and a container to do so.
MOST_FILES, MOST_LINES = 48, 2_000
"""Of a project as it is made, its wheel aside."""


def test_a_project_begins_small(made: Path) -> None:
    kept = [file for file in made.rglob("*") if file.is_file() and not {"vendor", ".local"} & {*file.parts}]

    assert len(kept) <= MOST_FILES
    assert sum(len(file.read_text().splitlines()) for file in kept) <= MOST_LINES


# Each of them would be missed by no import, by no linter, and by Make only where it installs anew.
SILENT = (
    ".gitignore",
    ".npmrc",
    ".github/workflows/pipeline.yml",
    "README.md",
    "cdk.json",
    "requirements/runtime.in",
    "package-lock.json",
    "events/domain/permit-moved.again.json",
    "tests/services/permits/test_permits.py",
    "functions/services/watch/subscriptions.py",
)


def test_what_is_deleted_is_named(copy: Path, wheel: Path) -> None:
    [vendored] = (copy / "vendor").glob("*.whl")
    vendored.unlink()
    for file in SILENT:
        (copy / file).unlink()
    laws = wheel / "andon" / "testing" / "laws"

    done = ended(
        *PYTEST,
        "-c",
        "pyproject.toml",
        str(laws / "test_project.py"),
        str(laws / "test_whole.py"),
        imports=(wheel,),
        cwd=copy,
    )

    assert done.returncode == 1
    lacked = [file for file in (*SILENT, f"vendor/{vendored.name}") if not _is_named(file, done.stdout)]
    assert lacked == []


def _is_named(file: str, said: str) -> bool:
    folder, _, test = file.rpartition("/test_")
    pipeline = file.startswith(".github/") and ".github/workflows/*.yml" in said
    return pipeline or file.removeprefix("events/") in said or bool(test and f"{folder} has no test" in said)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["full", "City"], "is not empty; name an empty folder"),
        (["full/file", "City"], "is not empty"),
        (["new", "class"], "is taken"),
        (["new", "my city"], "is no name"),
        (["new", "Stack"], "has a class of that name"),
        (["new", "City", "--service", "1st"], "is no name"),
        (["new", "City", "--service", "watch"], "'watch' is taken"),
        (["new", "City", "--person", "things"], "'thing' is taken"),
        (["new", "City", "--wheel", "andon-9.whl"], "no wheel of andon that is there"),
    ],
)
def test_what_cannot_be_made_is_refused_and_nothing_is_changed(
    arguments: list[str], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("mine")
    monkeypatch.chdir(tmp_path)

    with pytest.raises(NotNew, match=why):
        project.make(parser().parse_args(["project", *arguments]))

    assert [str(file.relative_to(tmp_path)) for file in sorted(tmp_path.rglob("*"))] == ["full", "full/file"]


def test_nothing_is_left_of_what_fails_half_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    (tmp_path / "andon-1.whl").write_text("")

    with pytest.raises(OSError, match="nowhere"):
        project.make(
            parser().parse_args(["project", str(tmp_path / "city"), "City", "--wheel", str(tmp_path / "andon-1.whl")])
        )

    assert names_in(tmp_path) == ["andon-1.whl"]


def test_without_its_extras_it_says_what_to_install_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(template, "find_spec", lambda _: None)

    (tmp_path / "andon-1.whl").write_text("")

    with pytest.raises(NotNew, match=r"andon\[tools,test\]"):
        project.make(
            parser().parse_args(["project", str(tmp_path / "city"), "City", "--wheel", str(tmp_path / "andon-1.whl")])
        )
    assert names_in(tmp_path) == ["andon-1.whl"]


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    words = Words([(template.ACORN, Name.only("City"))])
    texts = template.copied(words, {file: template.text_of(file) for file in template.files("app.py", "cdk.json")})
    (tmp_path / "cdk.json").write_text("mine")

    with pytest.raises(NotNew, match=r"there already: cdk\.json"):
        template.written(tmp_path, texts)

    assert names_in(tmp_path) == ["cdk.json"]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages that has this library, installed in some way."""
    site = tmp_path / "site packages"
    (site / "andon-9.9.dist-info").mkdir(parents=True)
    (site / "andon").symlink_to(library_folder())
    (site / "andon-9.9.dist-info" / "METADATA").write_text("Metadata-Version: 2.4\nName: andon\nVersion: 9.9\n")
    monkeypatch.setattr(sys, "path", [str(site), *sys.path])
    return site


def _required() -> Dependency:
    with dependency(None) as needed:
        return needed


def test_a_project_gets_a_wheel_that_is_built_where_the_library_is_its_source() -> None:
    with dependency(None) as needed:
        assert needed.wheel is not None
        assert needed.wheel.is_file()
        assert f"./vendor/{needed.wheel.name} --hash=sha256:" in needed.requirement

    assert not needed.wheel.exists()


def test_a_project_needs_the_version_of_an_index(site: Path) -> None:
    assert site.is_dir()
    assert _required().requirement.splitlines()[-1] == "andon==9.9"


def test_a_project_needs_the_address_of_a_wheel_elsewhere(site: Path) -> None:
    address = "https://example.org/andon-9.9-py3-none-any.whl"
    (site / "andon-9.9.dist-info" / "direct_url.json").write_text(json.dumps({"url": address, "archive_info": {}}))

    assert _required().requirement.splitlines()[-1] == f"andon @ {address}"


def test_a_project_gets_the_wheel_that_is_installed_by_its_hash(site: Path) -> None:
    wheel = site / "andon-9.9-py3-none-any.whl"
    wheel.write_bytes(b"wheel")
    (site / "andon-9.9.dist-info" / "direct_url.json").write_text(json.dumps({"url": wheel.as_uri()}))

    needed = _required()

    assert needed.wheel == wheel
    assert needed.requirement.splitlines()[-1] == (
        "./vendor/andon-9.9-py3-none-any.whl "
        "--hash=sha256:ba59926159d2aa256eb8739b8da7e2b574b960e1202c6d624cbe981cef996c91"
    )


def test_a_wheel_that_is_gone_is_to_be_named(site: Path) -> None:
    (site / "andon-9.9.dist-info" / "direct_url.json").write_text(json.dumps({"url": (site / "andon-9.whl").as_uri()}))

    with pytest.raises(NotNew, match="name it: --wheel FILE"):
        _required()


SHIFT = """
from pathlib import Path
from andon.runtime.times import to_ms
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
with Loop() as loop:
    seconds = (0, 10, 20, 600, 610)
    for version, second in enumerate(seconds):
        with frozen_clock(to_ms("2026-01-01T09:00:00Z") + second * 1000):
            match = {"if-match": f'"{version}"'} if version else {}
            moved = loop.request("PUT /permits/{id}", path={"id": "ü 1"}, body={"place": f"{version}"}, headers=match)
            assert moved.status in (200, 201), moved
            loop.run()
    with frozen_clock(to_ms("2026-01-01T10:00:00Z")):
        loop.sweep()
    for key, body in loop.store[loop.buckets["LAKE_BUCKET"]].bodies.items():
        file = Path("lake", key)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(body)
"""
COMMITTED = ("-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "--quiet", "--message=m")


def test_its_rules_decide_anew_what_its_loop_lived_through(copy: Path, wheel: Path) -> None:
    python("-c", SHIFT, imports=(wheel, copy / "functions", copy), cwd=copy)
    for command in (("init", "--quiet"), ("add", "functions"), COMMITTED):
        subprocess.run(["git", *command], cwd=copy, check=True)  # noqa: S603, S607
    python(
        *("-m", CLI, "what-if", "RULE=restless", "SET=MANY=2", "LAKE=lake", "JSON=found.json"),
        imports=(wheel,),
        cwd=copy,
    )
    found = json.loads((copy / "found.json").read_text())
    rule = found["rules"]["watch.restless"]

    assert (found["calibration"]["lake"], found["calibration"]["percent"]) == (1, 100)
    assert [len(rule[name]) for name in ("added", "removed", "changed")] == [1, 0, 1], "a pair; a third that was a pair"
