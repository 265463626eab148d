"""`andon upgrade`: a project of a release, changed by its owners, and the template's changes since."""

import json
import re
import shutil
import subprocess
import tarfile
import zipfile
from importlib import import_module
from pathlib import Path, PurePosixPath

import pytest
from libcst.codemod.commands import rename
from support import needs

from andon.runtime.moved import MOVED
from andon.testing.installed import ended, python
from andon.tools.docs import pages, shown
from andon.tools.upgrade.asks import RENAMED, asked, rewritten
from andon.tools.upgrade.merge import How, Merged, merged

CLI = "andon.tools.cli"
FROZEN = Path(__file__).parents[1] / "releases" / "0.1.0.tar.gz"
AS_MADE = ("--base", "HEAD~1", "--made-with", "City --service permits")
QUICK = "not test_permissions and not test_imports"
COMMAND = "functions/services/permits/command.py"
STEP = "      - run: make test PYTHON3=python3.13\n"


def git(root: Path, *words: str) -> str:
    named = ("-c", "user.name=n", "-c", "user.email=e@example.com")
    return subprocess.run(["git", *named, *words], cwd=root, check=True, capture_output=True, text=True).stdout  # noqa: S603, S607


def committed(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message=m")


def edited(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that a release made, and what its owners made of it: a verb, a step of the pipeline, a service."""
    root = tmp_path_factory.mktemp("kept")
    with tarfile.open(FROZEN) as archive:
        archive.extractall(root, filter="data")
    git(root, "init", "--quiet")
    committed(root)
    (root / "Makefile").write_text((root / "Makefile").read_text() + "\nours:  ## a verb of our own\n\t@echo ours\n")
    edited(root / ".github/workflows/pipeline.yml", STEP, f"      - run: make ours\n{STEP}")
    ours = "from andon.runtime.metrics import with_metrics  # ours\nfrom andon.sync.crossing import Content  # ours\n"
    edited(root / COMMAND, "import IfMatch\n", f"import IfMatch\n{ours}")
    (root / COMMAND).write_text(
        (root / COMMAND).read_text() + "\nKIND: type[Content] = Content  # ours, too\nTOLD = with_metrics\n"
    )
    committed(root)
    return root


@pytest.fixture
def copy(kept: Path, tmp_path: Path) -> Path:
    return shutil.copytree(kept, tmp_path / "copy")


def test_what_is_asked_for_is_named_by_code_file_line_and_page_and_nothing_is_changed(kept: Path, wheel: Path) -> None:
    done = ended("-m", CLI, "upgrade", "--check", *AS_MADE, imports=(wheel,), cwd=kept)
    named = re.findall(r"^  (AN\d+) ([\w./]+(?::\d+)?): .+ \(andon docs [\w#-]+\)$", done.stdout, re.MULTILINE)

    assert done.returncode == 1, done.stderr
    assert {code for code, _ in named} == {"AN01", "AN02", "AN03", "AN04", "AN05", "AN06"}
    assert [at for code, at in named if code == "AN01"] == [f"{COMMAND}:{line}" for line in (11, 30)]
    assert "Would be taken over of the template:\n" in done.stdout
    assert "  Makefile: merged into yours\n" in done.stdout
    assert git(kept, "status", "--porcelain") == ""


def test_the_template_is_merged_names_are_rewritten_and_what_is_ours_stays(copy: Path, wheel: Path) -> None:
    done = ended("-m", CLI, "upgrade", *AS_MADE, imports=(wheel,), cwd=copy)
    makefile, command = (copy / "Makefile").read_text(), (copy / COMMAND).read_text()

    assert done.returncode == 1, done.stderr
    assert "Left to you:\n  AN03 " in done.stdout, done.stdout
    assert re.findall("AN0[126]", done.stdout) == []
    assert "\nours:  ## a verb of our own\n" in makefile
    assert "\ncontracts: install " in makefile, "the template has it since"
    assert "make ours" in (copy / ".github/workflows/pipeline.yml").read_text()
    assert "import EditedRow  # ours\n" in command
    assert "= EditedRow  # ours, too\n" in command
    assert "from andon.runtime.log import with_metrics  # ours\n" in command
    assert "made-with" in (copy / "pyproject.toml").read_text()
    tested = python(
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-W",
        "default::DeprecationWarning",
        "-k",
        QUICK,
        imports=(wheel,),
        cwd=copy,
    )
    assert re.search(r"\d{2,} passed", tested.splitlines()[-1]), tested

    committed(copy)
    again = ended("-m", CLI, "upgrade", "--check", imports=(wheel,), cwd=copy)
    assert "Would be taken over" not in again.stdout, "the record and the wheel in vendor/ say what was made"


BOTH = b"<<<<<<< yours\nours\n=======\nnew\n>>>>>>> as it would be made now\n"


@pytest.mark.parametrize(
    ("ours", "base", "theirs", "how", "content"),
    [
        (b"old", b"old", b"new", How.TAKEN, b"new"),
        (None, None, b"new", How.TAKEN, b"new"),
        (b"old", b"old", None, How.REMOVED, None),
        (b"1\n2\n3\nours\n", b"1\n2\n3\n", b"new\n1\n2\n3\n", How.MERGED, b"new\n1\n2\n3\nours\n"),
        (b"ours\n", b"old\n", b"new\n", How.CONFLICT, BOTH),
        (b"ours\n", None, b"new\n", How.CONFLICT, BOTH),
        (b"ours", b"old", None, How.KEPT, b"ours"),
        (None, b"old", b"new", How.STAYS_AWAY, None),
        (b"\0ours", b"\0old", b"\0new", How.NOT_TEXT, b"\0ours"),
        (b"ours", b"old", b"old", None, None),
        (b"new", b"old", b"new", None, None),
        (None, b"old", None, None, None),
    ],
)
def test_nothing_that_either_changed_is_lost(
    ours: bytes | None, base: bytes | None, theirs: bytes | None, how: How | None, content: bytes | None
) -> None:
    here = PurePosixPath("file")
    files = [{} if one is None else {here: one} for one in (ours, base, theirs)]

    assert [*merged(*files)] == ([] if how is None else [Merged(here, how, content)])


@pytest.mark.parametrize(
    ("change", "arguments", "why"),
    [
        ("dirty", AS_MADE, "commit what you have first"),
        ("", (), "does not say what the project was made with"),
        ("", AS_MADE[2:], "vendor/ has no wheel of the version before"),
        ("", ("--base", "nowhere", *AS_MADE[2:]), "there is no commit nowhere"),
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(
    copy: Path, wheel: Path, change: str, arguments: tuple[str, ...], why: str
) -> None:
    if change:
        (copy / change).write_text("")
    before = git(copy, "status", "--porcelain")
    done = ended("-m", CLI, "upgrade", *arguments, imports=(wheel,), cwd=copy)

    assert done.returncode == 1
    assert why in done.stderr
    assert "Traceback" not in done.stderr
    assert git(copy, "status", "--porcelain") == before


def test_a_project_says_how_it_was_made_and_its_wheel_what_of(wheel: Path, tmp_path: Path) -> None:
    """The version before is in `vendor/`: it has another Makefile, a file that is gone, and lacks one that is new."""
    old = shutil.copytree(wheel, tmp_path / "old")
    template = old / "andon/tools/templates/project"
    edited(template / "Makefile", "more:  ## list all verbs", "more:  ## say them")
    (template / "gone.cfg").write_text("of before")
    (template / ".npmrc").unlink()
    packed = tmp_path / "andon-0.0.9-py3-none-any.whl"
    with zipfile.ZipFile(packed, "w") as archive:
        for file in sorted(one for one in old.rglob("*") if one.is_file()):
            archive.write(file, file.relative_to(old))
    words = ("new", "project", "town", "Town", "--service", "stations", "--wheel", str(packed))
    python("-m", CLI, *words, imports=(old,), cwd=tmp_path)
    root = tmp_path / "town"
    git(root, "init", "--quiet")
    (root / "functions/odd.py").write_text("ODD={'as':'its owner likes it'}\n")
    committed(root)
    done = ended("-m", CLI, "upgrade", imports=(wheel,), cwd=root)

    assert (done.returncode, done.stderr) == (0, "")
    assert git(root, "status", "--porcelain", "functions") == "", "what has no old name is not written"
    changed = set(git(root, "status", "--porcelain", "--no-renames", "-uall").splitlines())
    assert {" M Makefile", " D gone.cfg", "?? .npmrc", " D vendor/andon-0.0.9-py3-none-any.whl"} <= changed
    assert json.loads(re.findall("made-with = (.*)", (root / "pyproject.toml").read_text())[0]) == [
        *("Town", "--service", "stations")
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "from andon.sync.crossing import Content\nkind = Content\n",
            "from andon.sync.crossing import EditedRow\nkind = EditedRow\n",
        ),
        (
            "import andon.sync.crossing\nkind = andon.sync.crossing.Content\n",
            "import andon.sync.crossing\nkind = andon.sync.crossing.EditedRow\n",
        ),
        (
            "from andon.http import problem\nkind = problem.Problem\n",
            "from andon.http import response\nkind = response.Problem\n",
        ),
    ],
)
def test_a_name_of_before_is_rewritten_however_it_is_imported(old: str, new: str) -> None:
    assert rewritten(old) == new


def test_only_a_text_with_all_parts_of_a_name_is_looked_at_closer(monkeypatch: pytest.MonkeyPatch) -> None:
    """One look costs a tenth of a second, and a project has hundreds of files beside dozens of names."""
    monkeypatch.setattr(rename, "RenameCommand", lambda _, name, __: pytest.fail(f"looked for {name}"))
    text = "from pathlib import Path\nfrom andon.http import parameters\nContent = Path('crossing')\n"

    assert rewritten(text) == text


@needs.PAGES
def test_each_page_that_is_named_is_there(kept: Path) -> None:
    named = {one.page for one in asked(kept)}

    assert len(named) >= 3
    assert [page for page in named if shown(pages(), page) is None] == []


def test_each_new_name_is_there() -> None:
    for one in RENAMED:
        module, _, name = one.new.rpartition(".")
        assert name in vars(__import__(module, fromlist=[name])), one


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_a_module_that_moved_is_found_by_its_old_name_with_a_warning(old: str, new: str) -> None:
    now = import_module(f"andon.{new}")

    with pytest.warns(DeprecationWarning, match=f"andon.{old} is now andon.{new}"):
        before = import_module(f"andon.{old}")

    assert all(getattr(before, name) is thing for name, thing in vars(now).items() if not name.startswith("__"))
