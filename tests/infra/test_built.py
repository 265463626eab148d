import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from andon.cdk.assets import STALE_S, build_once
from andon.tools.stack.processes import PATIENCE_S


def fill(content: Path) -> None:
    content.mkdir()
    (content / "file").write_text("built")


def test_what_another_synth_asked_for_stays(tmp_path: Path) -> None:
    """Two synths of one project at once: with bytecode and without."""
    compiled = build_once(tmp_path / "code" / "compiled", fill)
    source = build_once(tmp_path / "code" / "source", fill)

    assert (compiled / "file").read_text() == (source / "file").read_text() == "built"


@pytest.mark.parametrize(("unasked_s", "stays"), [(STALE_S - 60, True), (STALE_S + 1, False)])
def test_what_nobody_asks_for_any_more_is_removed(tmp_path: Path, unasked_s: int, *, stays: bool) -> None:
    other, folder = tmp_path / "code" / "other", tmp_path / "code" / "folder"
    for each in (other, folder):
        build_once(each, fill)
        os.utime(each, (time.time() - unasked_s,) * 2)

    build_once(folder, fill)
    build_once(tmp_path / "code" / "third", fill)

    assert other.exists() == stays
    assert folder.exists()


def test_of_several_that_ask_at_once_one_builds(tmp_path: Path) -> None:
    built = []

    def slowly(content: Path) -> None:
        built.append(content)
        time.sleep(0.05)  # so that the others do ask meanwhile
        fill(content)

    all_are_there = Barrier(4)

    def ask() -> Path:
        all_are_there.wait(timeout=PATIENCE_S)
        return build_once(tmp_path / "code" / "folder", slowly)

    with ThreadPoolExecutor(4) as pool:
        folders = {pool.submit(ask) for _ in range(4)}

    assert {folder.result() for folder in folders} == {tmp_path / "code" / "folder"}
    assert len(built) == 1


def test_what_could_not_be_built_is_not_there(tmp_path: Path) -> None:
    def fails(content: Path) -> None:
        fill(content)
        raise OSError("no space left on device")

    with pytest.raises(OSError, match="no space left"):
        build_once(tmp_path / "code" / "folder", fails)

    assert not (tmp_path / "code" / "folder").exists()
    assert [each.name for each in tmp_path.iterdir()] == ["code"]
