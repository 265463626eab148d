import re
from pathlib import Path

import pytest

from andon.project import project
from andon.tools.stack.errors import ToolFailed
from andon.tools.views import new_version
from andon.tools.views.new_version import next_name, renamed
from tests.support.clone import Clone, with_next_version

VIEW = "state_log"  # the tests of infra and of the cutover have the other one


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    return with_next_version(VIEW, tmp_path_factory.mktemp(VIEW))


def names_in(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.glob("*.py"))


def test_versions_are_numbered() -> None:
    assert [next_name(name) for name in ("board", "board_v2", "board_v9", "state_log")] == [
        "board_v2",
        "board_v3",
        "board_v10",
        "state_log_v2",
    ]


def test_names_of_a_view_become_those_of_its_next_version_and_nothing_else_does() -> None:
    before = 'from views.board.row import X\nTable("BOARD_TABLE"), View(name="board"), "/board/{x}", views.board2'

    assert renamed(before, "board", "board_v2") == (
        'from views.board_v2.row import X\nTable("BOARD_V2_TABLE"), View(name="board_v2"), "/board/{x}", views.board2'
    )


def test_faults_of_a_view_become_those_of_its_next_version() -> None:
    before = '("board", "fault"), "board.push", sample("push", "board")'

    assert renamed(before, "board", "board_v2") == '("board_v2", "fault"), "board_v2.push", sample("push", "board")'


def test_a_version_is_a_copy_with_a_table_of_its_own(clone: Clone) -> None:
    folder = clone.file("functions", "views", f"{VIEW}_v2")

    assert names_in(folder) == names_in(clone.file("functions", "views", VIEW))
    assert not [file for file in folder.glob("*.py") if re.search(rf"views\.{VIEW}\b", file.read_text())]
    assert f'Table("{VIEW.upper()}_V2_TABLE"' in (folder / "view.py").read_text()


def test_a_version_passes_the_checks_as_it_is_written(clone: Clone) -> None:
    for check in (["check"], ["format", "--check"]):
        clone.done("-m", "ruff", *check, "functions/views", "tests/views", "infra/stack.py")


def test_a_version_says_that_its_rows_are_as_before(clone: Clone) -> None:
    code = f"from views.{VIEW}_v2.view import REPLACES, as_before as f; print(REPLACES, f({{'a': 1}}))"

    assert clone.done("-c", code).strip() == f"{VIEW} {{'a': 1}}"


def test_only_the_version_that_serves_has_routes_and_only_one_that_served_has_rows_that_expire(clone: Clone) -> None:
    code = (
        "from andon.packages.package import Package as P\n"
        f"for name in ('{VIEW}', '{VIEW}_v2'):\n"
        "    one = P('views', name)\n"
        "    print(bool(one.routes), [table.expires for table in one.tables.values()][0])"
    )

    def stand() -> list[str]:
        return clone.done("-c", code).split("\n")[:2]

    assert stand() == ["True True", "False False"]
    clone.file("infra", "serving.json").write_text(f'{{"{VIEW}": {{"serves": "{VIEW}_v2", "before": "{VIEW}"}}}}')
    assert stand() == ["False True", "True True"]
    clone.file("infra", "serving.json").write_text(f'{{"{VIEW}": {{"serves": "{VIEW}", "before": "{VIEW}_v2"}}}}')
    assert stand() == ["True True", "False True"]
    clone.file("infra", "serving.json").unlink()


def test_a_third_version_is_refused(clone: Clone) -> None:
    run = clone.python("-m", "andon.tools.cli", "new-view-version", VIEW)

    assert run.returncode == 1
    assert f"there are {VIEW} and {VIEW}_v2 already" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_view_that_is_not_there_is_refused() -> None:
    with pytest.raises(ToolFailed, match="there is no view bored; there is agenda, agenda_days, board"):
        new_version.write("bored", project().root)


def test_a_view_in_objects_is_in_one_version() -> None:
    with pytest.raises(ToolFailed, match="agenda_days is in objects, and so in one version: name another bucket"):
        new_version.write("agenda_days", project().root)
