"""`andon new service|view|fact|rule` in a project of its own: each is whole, works, or leaves nothing."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from support import needs

from andon.testing.installed import ended, python
from andon.testing.whole import missing_in
from andon.tools.docs import pages
from andon.tools.docs_index import sections_of
from andon.tools.new.arguments import BY_ANOTHER_KEY, ONE_ROW, PER_DAY, parser

CLI = "andon.tools.cli"
VARIANT = re.compile(r"/http/.+\..+\.json$")

VERBS = (
    "service trees --field grove --unique tag --date felled_at",
    "view register --of trees/tree-moved --count-by grove",
    "fact trees inspection",
    "rule watch busy --of trees/tree-moved",
    "rule watch often --of things/thing-moved",
    "rule watch felled --of trees/tree-moved --due-at felled_at",
    "rule patrol tired --of trees/tree-moved --due-at felled_at",
    "view both --of trees/tree-moved --of trees/inspection-recorded --objects",
    "service readings --time-based --partition gauge --field millimetres --fact taken",
    "view wettest --of readings/reading-taken",
    "service nests --partition forest --field species --fact nest-found --date leaves_at",
    "view nesting --of nests/nest-found --count-by species",
    "rule patrol left --of nests/nest-found --due-at leaves_at",
    "fact trees girth --time-based --field centimetres --fact measured",
    "fact watch visit",
    "service wardens --person --partition hut",
)
DERIVED = ".local/contracts"


class City:
    """A project that `andon new project` made, with the wheel alone."""

    def __init__(self, root: Path, wheel: Path) -> None:
        self.root, self.wheel = root, wheel

    def run(self, module: str, *arguments: str) -> CompletedProcess[str]:
        """Run a module of Python in it, to the end."""
        imports = (self.wheel, self.root / "functions", self.root)
        return ended("-m", module, *arguments, imports=imports, cwd=self.root)

    def new(self, words: str, cwd: Path | None = None) -> CompletedProcess[str]:
        """Run `andon new …`."""
        return ended("-m", CLI, "new", *shlex.split(words), imports=(self.wheel,), cwd=cwd or self.root)

    def content(self) -> Mapping[str, bytes]:
        """Return all of its files and folders, but those that tools build."""
        built = {"__pycache__", ".local", ".git"}
        files = (file for file in self.root.rglob("*") if not built & {*file.parts})
        return {str(file.relative_to(self.root)): file.read_bytes() if file.is_file() else b"" for file in files}


def listed(said: str, part: str) -> list[str]:
    """Return what stands below a heading of what `andon new` says."""
    _, _, below = said.partition(f"{part}:\n")
    return [line.strip() for line in below.split(":\n")[0].splitlines() if line.startswith("  ")]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory, wheel: Path) -> City:
    """A project that is only copied."""
    folder = tmp_path_factory.mktemp("fresh")
    python("-m", CLI, "new", "project", "city", "City", imports=(wheel,), cwd=folder)
    return City(folder / "city", wheel)


def copy_of(fresh: City, folder: Path) -> City:
    return City(shutil.copytree(fresh.root, folder / "city"), fresh.wheel)


@pytest.fixture(scope="module")
def city(tmp_path_factory: pytest.TempPathFactory, fresh: City) -> City:
    return copy_of(fresh, tmp_path_factory.mktemp("slices"))


@pytest.fixture(scope="module")
def written(city: City) -> Mapping[str, list[str]]:
    """The files that each verb says it wrote, one verb after the other; of each it is compared with what it did."""
    found = {}
    for verb in VERBS:
        before = city.content()
        done = city.new(verb)
        assert done.returncode == 0, done.stderr
        after = city.content()
        found[verb] = listed(done.stdout, "written")
        assert found[verb] == sorted(one for one in after.keys() - before.keys() if (city.root / one).is_file())
        assert listed(done.stdout, "edited") == sorted(one for one in before if before[one] != after[one])
        assert listed(done.stdout, "next")
        assert listed(done.stdout, "undo")[0].startswith("by hand")
    return found


@pytest.mark.usefixtures("written")
def test_what_was_made_is_whole(city: City) -> None:
    assert missing_in(city.root) == []


@pytest.mark.parametrize("verb", VERBS)
def test_each_file_that_was_written_is_named_if_it_is_missing(
    city: City, written: Mapping[str, list[str]], verb: str
) -> None:
    assert len(written[verb]) >= 4
    routes = [path for path in written[verb] if path.startswith("events/http/")]
    for path in (path for path in written[verb] if path not in routes or len(routes) == 1):
        file = city.root / path
        text = file.read_text()
        file.unlink()
        said = missing_in(city.root)
        file.write_text(text)

        names = {path, file.stem.partition(".")[0], file.parent.name}
        assert [one for one in said if any(name in one for name in names)], path


def test_a_variant_of_a_sample_that_is_missing_is_named(city: City, written: Mapping[str, list[str]]) -> None:
    """What no other file names follows from the requests."""
    [variant] = [path for path in written[VERBS[0]] if VARIANT.search(path)]
    file = city.root / variant
    text = file.read_text()
    file.unlink()
    said = city.run("pytest", "-q", "-p", "no:cacheprovider", "--laws", "-k", "test_samples", "tests")
    file.write_text(text)

    assert said.returncode == 1
    assert variant.removeprefix("events/") in said.stdout


def test_a_line_that_is_missing_in_the_stack_is_named(city: City, written: Mapping[str, list[str]]) -> None:
    stack = city.root / "infra" / "stack.py"
    text = stack.read_text()
    assert written
    for line in (line for line in text.splitlines() if "Service(self" in line or "View(self" in line):
        stack.write_text(text.replace(f"{line}\n", ""))
        assert [one for one in missing_in(city.root) if line.split('"')[1] in one]
        stack.write_text(text.replace(line, line.replace('self, "', 'self, "gone_')))
        assert [one for one in missing_in(city.root) if "gone_" in one]
    stack.write_text(text)


@pytest.mark.usefixtures("written")
def test_what_was_made_passes_its_tests_and_the_laws_and_is_in_order(city: City) -> None:
    """All of them, those of the project before, too: it is tried once for permissions and imports, here."""
    checked = city.run("ruff", "check", "--no-cache", ".")
    in_format = city.run("ruff", "format", "--no-cache", "--check", ".")
    tested = city.run("pytest", "-q", "-p", "no:cacheprovider")

    assert (checked.returncode, in_format.returncode) == (0, 0), checked.stdout + in_format.stdout
    assert tested.returncode == 0, tested.stdout


@pytest.mark.usefixtures("written")
def test_samples_of_a_fact_that_has_another_name_now_are_removed(city: City) -> None:
    rule = city.root / "functions" / "services" / "patrol" / "rules" / "tired.py"
    text, before = rule.read_text(), city.content()
    rule.write_text(text.replace('"tree-tired"', '"tree-weary"'))
    city.run("andon.tools.cli", "samples")
    renamed = city.content()
    rule.write_text(text)
    said = city.run("andon.tools.cli", "samples").stdout

    assert before.keys() - renamed.keys() == {f"events/{kind}/tree-tired.json" for kind in ("domain", "stream")}
    assert renamed.keys() - before.keys() == {f"events/{kind}/tree-weary.json" for kind in ("domain", "stream")}
    assert [line for line in said.splitlines() if "removed" in line] == [
        f"removed: {kind}/tree-weary.json" for kind in ("domain", "stream")
    ]
    assert city.content() == before


def kept(city: City, sample: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((city.root / "events" / f"{sample}.json").read_text())
    return found


@pytest.mark.usefixtures("written")
def test_what_samples_say_is_of_the_things_of_the_service_and_of_their_values(city: City) -> None:
    tree = kept(city, "domain/tree-moved")["tree"]

    assert isinstance(tree, dict)
    assert kept(city, "domain/visit-recorded")["partitionKey"] == kept(city, "domain/thing-moved")["partitionKey"]
    assert kept(city, "http/get-register-by-grove")["queryStringParameters"] == {"grove": tree["grove"]}


@pytest.mark.usefixtures("written")
def test_members_are_spelled_one_way_however_they_were_typed(city: City) -> None:
    samples = "".join(file.read_text() for file in (city.root / "events").rglob("*.json"))

    assert '"felledAt"' in samples
    assert not re.search(r'"(?:felled|leaves)_at"', samples)


@pytest.mark.usefixtures("written")
def test_persons_are_declared_in_few_lines_and_the_project_says_where_their_names_are(city: City) -> None:
    package = [*(city.root / "functions" / "services" / "wardens").glob("*.py")]

    assert sum(len(file.read_text().splitlines()) for file in package) <= 60
    assert 'People(table="WARDENS_TABLE", path="/wardens"' in (city.root / "functions" / "project.py").read_text()
    assert "Eraser(self, hub, api)" in (city.root / "infra" / "stack.py").read_text()
    assert kept(city, "domain/warden-placed")["placement"] == {"id": "p-1001", "hutId": "hut-1"}
    assert kept(city, "domain/warden-erased")["warden"].keys() == {"id", "erasedAt"}


NOUNS = """
from andon.events.domain_event import DomainEvent
from andon.testing.samples import sample
from services.patrol.rules import left, tired

for fact, rule in (("tree-moved", tired), ("nest-found", left)):
    print(rule.RULE.key(DomainEvent.from_wire(sample("domain", fact))))
"""


@pytest.mark.usefixtures("written")
def test_each_noun_has_partitions_of_its_own_in_the_table_of_rules(city: City) -> None:
    said = ended("-c", NOUNS, imports=(city.wheel, city.root / "functions"), cwd=city.root)

    assert said.stdout.splitlines() == ["Tree#tree-1", "Nest#forest-1:nest-1"], said.stderr


@pytest.mark.usefixtures("written")
@pytest.mark.parametrize(
    ("verb", "why"),
    [
        (
            "view days --of trees/tree-moved --count-by felled_at",
            "its rows have grove, tag. A number or a sum per day: ",
        ),
        (
            "view days --of readings/reading-taken --count-by timestamp",
            "its rows have none. A number or a sum per day: ",
        ),
        ("fact readings more", "and no versions: andon new fact readings more --time-based"),
        ("fact wardens more", "services/wardens keeps names and nothing else"),
        ("service guides --person", "a project has one service of names, and /wardens is there"),
    ],
)
def test_what_does_not_go_with_what_is_there_is_refused(city: City, verb: str, why: str) -> None:
    before = city.content()
    done = city.new(verb)

    assert (done.returncode, city.content() == before) == (1, True)
    assert why in done.stderr


@pytest.mark.usefixtures("written")
@pytest.mark.parametrize(
    "verb",
    [
        "service boats --partition pier",
        "view where --of trees/tree-moved",
        "fact trees pruning",
        "rule watch tall --of nests/nest-found",
    ],
)
def test_the_command_that_undoes_a_verb_is_told_where_all_was_committed(city: City, verb: str) -> None:
    before = city.content()
    shell(city, "git init --quiet && git add --all && git -c user.name=n -c user.email=e commit --quiet --message=m")
    [undo] = listed(city.new(verb).stdout, "undo")
    assert city.content() != before
    shell(city, undo)
    shutil.rmtree(city.root / ".git")

    assert city.content() == before


def shell(city: City, command: str) -> None:
    subprocess.run(command, cwd=city.root, shell=True, check=True)  # noqa: S602  what a person types


@pytest.mark.usefixtures("written")
def test_the_test_of_a_claim_may_have_another_name(city: City) -> None:
    claims = city.root / "tests" / "services" / "trees" / "test_tag.py"
    other = claims.rename(claims.with_name("test_unique.py"))
    found = missing_in(city.root)
    other.rename(claims)

    assert found == []


@pytest.mark.usefixtures("written")
@pytest.mark.parametrize("view", ["register", "nesting"])
def test_tests_that_a_retired_view_leaves_hold_where_the_next_one_says_more(
    city: City, tmp_path: Path, view: str
) -> None:
    copy = copy_of(city, tmp_path)
    assert copy.run(CLI, "new-view-version", view).returncode == 0
    edits = {
        "view.py": (r"fields=\{", r'\g<0>"more": "m", '),
        "query.py": (r"\n    id: str\n", r"\g<0>    more: str\n"),
    }
    for name, (before, after) in edits.items():
        file = copy.root / "functions" / "views" / f"{view}_v2" / name
        file.write_text(re.sub(before, after, file.read_text()))
    switch = {view: {"serves": f"{view}_v2", "before": view}}
    (copy.root / "infra" / "serving.json").write_text(json.dumps(switch))
    retired = copy.run(CLI, "retire", view, "--uncommitted")
    tested = copy.run("pytest", "-q", "-p", "no:cacheprovider", f"tests/views/{view}_v2")

    assert f"Its tests are in tests/views/{view}_v2." in retired.stdout, retired.stderr
    assert tested.returncode == 0, tested.stdout


@pytest.mark.usefixtures("written")
@pytest.mark.parametrize("fields", ['"grove": told.text("grove")', '"size": len(told.text("grove"))'])
def test_a_view_may_keep_nothing_but_what_it_counts_by_or_a_number(city: City, fields: str) -> None:
    view = city.root / "functions" / "views" / "register" / "view.py"
    before = view.read_text()
    edited, count = re.subn(r"fields=\{[^}]*\}", f"fields={{{fields}}}", before)
    assert count == 1
    view.write_text(edited)
    tested = city.run("pytest", "-q", "-p", "no:cacheprovider", "tests", "--laws", "-k", "test_drift and register")
    view.write_text(before)

    assert tested.returncode == 0, tested.stdout


REFUSED = {
    "service things": "things is there already: services/things",
    "service inventory": "inventory is there already: views/inventory",
    "service x-y": "'x-y' is no name",
    "service boats --unique place": "'place' is taken: choose a name that boats has not yet",
    "service boats --unique sold_at --date sold_at": "'sold_at' is taken",
    "service boats --date boat": "'boat' is taken",
    "service boats --date version": "'version' is taken",
    "service boats --time-based --unique number": "--time-based goes with no --unique",
    "service boats --partition pier --unique number": "--unique and --partition do not go together",
    "service boats --partition boat": "'boat' is taken: name what boats are grouped by",
    "service crew --person --field place": "--person goes with --one and --partition alone",
    "service things --person": "things is there already: services/things",
    "service boats --fact class": "'class' is taken",
    "fact watch more --time-based": "services/watch says its tables itself; write a service",
    "view class": "'class' is taken",
    "view more": "say what it is of: --of ",
    "view more --of things/gone": "no fact 'things/gone': there is things/thing-moved, watch/thing-restless",
    "view more --of things/thing-moved --count-by colour": "no text 'colour' to count by: its rows have place",
    "view more --of things/thing-moved --count-by place --objects": "--count-by and --objects do not go together",
    "view more --of things": "no fact 'things': there is",
    "fact gone more": "no service 'gone': there is things, watch",
    "rule things more --of things/thing-moved": "services/things has no control.py",
    "rule watch restless --of things/thing-moved": "services/watch has a rule restless already",
    "rule inventory more --of things/thing-moved": "inventory is there already: views/inventory",
    "rule watch more --of things/thing-moved --due-at place": "'place' is no date of things/thing-moved, a time",
    "rule watch more --of more/more": "no fact 'more/more'",
}


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory, fresh: City) -> Iterator[City]:
    made = copy_of(fresh, tmp_path_factory.mktemp("refused"))
    before = made.content()
    yield made
    assert made.content() == before, "whatever was refused has changed nothing"


IN_ONE_PROCESS = """
import json, shlex, sys
from contextlib import redirect_stderr
from io import StringIO
from andon.tools import cli

def said(verb):
    sys.argv = ["andon", "new", *shlex.split(verb)]
    with redirect_stderr(StringIO()) as stderr:
        try:
            status = cli.main()
        except SystemExit as ended:
            status = ended.code
    return status, stderr.getvalue()

print(json.dumps({verb: said(verb) for verb in sys.argv[1:]}))
"""


@pytest.fixture(scope="module")
def refusals(untouched: City) -> Mapping[str, tuple[int, str]]:
    """The status and the words of each verb; as none changes anything, they share a process."""
    done = ended("-c", IN_ONE_PROCESS, *REFUSED, imports=(untouched.wheel,), cwd=untouched.root)
    said: Mapping[str, tuple[int, str]] = json.loads(done.stdout)
    return said


@pytest.mark.parametrize("verb", REFUSED)
def test_what_cannot_be_made_is_refused_with_what_to_write_instead(
    refusals: Mapping[str, tuple[int, str]], verb: str
) -> None:
    status, words = refusals[verb]

    assert status == 1
    assert REFUSED[verb] in words
    assert len(words.splitlines()) == 1


def test_what_fails_halfway_leaves_nothing(untouched: City) -> None:
    entities = untouched.root / "functions" / "contract" / "entities"
    check = "from pathlib import Path\n\nassert not Path(__file__).with_name('trees.py').exists(), 'half'\n"
    (entities / "__init__.py").write_text(check)
    before = untouched.content()

    done = untouched.new("service trees")

    assert done.returncode == 1
    assert done.stderr.startswith("andon new service: what was written does not work: AssertionError: half")
    assert untouched.content() == before
    assert not (untouched.root / "functions" / "services" / "trees").exists()
    (entities / "__init__.py").unlink()


@pytest.mark.parametrize("line", ["import nothing_of_that_name\n", "RESOURCES = \n"], ids=["import", "syntax"])
def test_beside_what_is_unfinished_more_can_be_written_and_what_was_left_out_is_told(
    fresh: City, tmp_path: Path, line: str
) -> None:
    city = copy_of(fresh, tmp_path)
    half = city.root / "functions" / "services" / "half"
    half.mkdir()
    (half / "resources.py").write_text(line)

    for verb in ("service trees", "view where --of things/thing-moved", "rule watch busy --of things/thing-moved"):
        done = city.new(verb)
        assert done.returncode == 0, done.stderr
        told = listed(done.stdout, "left out")
        assert told[0].startswith("samples and documents: the project did not work before")
        assert [one for one in told if "services/half" in one]

    shutil.rmtree(half)
    assert city.run(CLI, "samples").returncode == 0
    assert missing_in(city.root) == []


def test_outside_of_a_project_there_is_nothing_to_add_to(untouched: City, tmp_path: Path) -> None:
    done = untouched.new("service trees", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "andon new service: there is no functions/project.py here or above\n"


@pytest.mark.parametrize("words", ["", "rule --help", "flower"])
def test_outside_of_a_project_usage_can_be_asked_for(wheel: Path, tmp_path: Path, words: str) -> None:
    done = ended("-m", CLI, "new", *shlex.split(words), imports=(wheel,), cwd=tmp_path)

    is_asked_for = "--help" in words
    said = done.stdout if is_asked_for else done.stderr
    assert done.returncode == (0 if is_asked_for else 2)
    assert said.startswith("usage: andon new")
    assert "Traceback" not in done.stderr
    assert ("--of SOURCE/TYPE" if is_asked_for else "view") in said


@needs.PAGES
@pytest.mark.parametrize(
    ("kind", "told"),
    [("fact", (ONE_ROW.format(name="inspection", one="thing"),)), ("view", (BY_ANOTHER_KEY, PER_DAY))],
)
def test_shape_and_pages_are_told_before_anything_is_made(
    kind: str, told: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args([kind, "--help"])
    said = capsys.readouterr().out

    assert [one for one in told if one not in said] == []
    named = {one.removeprefix("andon docs ") for one in told if one.startswith("andon docs ")}
    assert named <= {f"{page}#{one.anchor}" for page, text in pages().items() for one in sections_of(text)}


@pytest.mark.usefixtures("written")
def test_the_contracts_of_what_was_written_are_kept_and_who_breaks_them_is_named(city: City) -> None:
    released = city.run(CLI, "contracts", "--release")

    assert released.returncode == 0, released.stdout + released.stderr
    assert "Nobody breaks, nobody loses anything." in released.stdout
    assert all(
        (city.root / file).is_file()
        for file in ("contracts/released.json", f"{DERIVED}/asyncapi.json", f"{DERIVED}/contracts.md")
    )

    tree = city.root / "functions" / "contract" / "entities" / "trees.py"
    kept = tree.read_text()
    renamed = kept.replace("    grove: Annotated[Line, ", '    wood: Annotated[Line, Gained("north"), ')
    tree.write_text(renamed.replace(", Says\n", ", Gained, Says\n"))
    broken = city.run(CLI, "contracts")
    tree.write_text(kept)

    assert broken.returncode == 2
    assert "tree.grove is said no more" in broken.stdout
    assert {"register.listener", "both.listener"} <= {*re.findall(r"  \w+ ([\w.-]+): tree\.grove", broken.stdout)}
