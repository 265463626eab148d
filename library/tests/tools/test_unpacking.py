import io
import tempfile
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from andon.tools.stack.unpacking import FOLDER, SharedZip, open_file


@pytest.fixture
def unpack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, dict[str, str]], Path]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def unpack(worker: str, files: dict[str, str]) -> Path:
        """Unpack a zip of files as the emulator does for a worker; return the folder."""
        archive, folder, content = tmp_path / f"{worker}.zip", tmp_path / worker, io.BytesIO()
        with zipfile.ZipFile(content, "w") as made:
            for name, text in files.items():
                made.writestr(zipfile.ZipInfo(name), text)
        folder.mkdir()
        with open_file(str(archive), "wb") as written:
            written.write(content.getvalue())
        with SharedZip(str(archive)) as shared:
            shared.extractall(folder)
        return folder

    return unpack


def test_workers_of_one_code_share_one_folder(unpack: Callable[[str, dict[str, str]], Path], tmp_path: Path) -> None:
    first, second = (unpack(worker, {"a/b.py": "1"}) for worker in ("first", "second"))
    other = unpack("other", {"a/b.py": "2"})

    (first / "a" / "compiled").write_text("once")

    assert (second / "a" / "compiled").read_text() == "once"
    assert [(folder / "a" / "b.py").read_text() for folder in (first, second, other)] == ["1", "1", "2"]
    assert len([*(tmp_path / FOLDER).iterdir()]) == 2 * len(("root", "a"))
    assert [*tmp_path.glob("*.zip")] == []


def test_codes_share_the_folders_that_are_the_same_in_them(unpack: Callable[[str, dict[str, str]], Path]) -> None:
    library = {"a/__init__.py": "", "a/b/c.py": "1"}
    first = unpack("first", {**library, "own/d.py": "2", "own/b/c.py": "3"})
    second = unpack("second", {**library, "a/e/f.py": "4", "own/d.py": "5", "own/b/c.py": "3"})

    (first / "a" / "b" / "compiled").write_text("once")

    assert (second / "a" / "b" / "compiled").read_text() == "once"
    assert (first / "own" / "b").samefile(second / "own" / "b")
    assert [(one / "own" / "d.py").read_text() for one in (first, second)] == ["2", "5"]
    assert [sorted(file.name for file in (one / "a").iterdir()) for one in (first, second)] == [
        ["__init__.py", "b"],
        ["__init__.py", "b", "e"],
    ]


def test_binaries_find_what_lies_beside_their_folder(unpack: Callable[[str, dict[str, str]], Path]) -> None:
    layer = unpack("layer", {"python/curl/_curl.so": "", "python/curl.libs/libcurl.so": ""})

    beside = (layer / "python" / "curl" / "_curl.so").resolve().parent / ".." / "curl.libs" / "libcurl.so"

    assert beside.is_file()


def test_nothing_is_unpacked_elsewhere(unpack: Callable[[str, dict[str, str]], Path], tmp_path: Path) -> None:
    folder = unpack("worker", {"../../outside.py": "1", "/a.py": "2"})

    assert sorted(file.name for file in folder.iterdir()) == ["a.py", "outside.py"]
    assert not [*tmp_path.parent.glob("outside.py")]


def test_other_files_are_opened_as_ever(tmp_path: Path) -> None:
    with open_file(str(tmp_path / "worker.py"), "w") as written:
        written.write("1")

    assert (tmp_path / "worker.py").read_text() == "1"


def test_workers_that_start_at_once_find_all_of_it(unpack: Callable[[str, dict[str, str]], Path]) -> None:
    files = {f"{number}.py": str(number) for number in range(300)}
    seen = list[int]()
    threads = [
        threading.Thread(target=lambda name=str(number): seen.append(len([*unpack(name, files).iterdir()])))
        for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert seen == [300] * 8
