"""Zip files of an assembly are where `cdk deploy` looks for them, each packed once."""

import io
import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from andon.testing.memory.aws import AwsInMemory
from andon.tools.stack import assets
from andon.wire import aws

NAMES = st.text("ab.", min_size=1, max_size=3).filter(lambda name: set(name) != {"."})
FILES = st.dictionaries(NAMES.map(lambda name: f"folder/{name}"), st.binary(max_size=50))
EARLIEST = (1980, 1, 1, 0, 0, 0)


@pytest.fixture
def assembly(tmp_path: Path) -> Path:
    """Two stacks that share one folder, and a template."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.py").write_text("1")
    code = {"source": {"path": "code", "packaging": "zip"}, "destinations": {"here": {"objectKey": "code.zip"}}}
    template = {"source": {"path": "t.json", "packaging": "file"}, "destinations": {"here": {"objectKey": "t.json"}}}
    for stack, files in {"First": {"1": code, "2": template}, "Second": {"1": code}}.items():
        (tmp_path / f"{stack}.assets.json").write_text(json.dumps({"files": files}))
    return tmp_path


@given(FILES)
def test_a_zip_file_has_all_files_and_the_same_files_are_the_same_zip_file(content: dict[str, bytes]) -> None:
    packed = assets.packed(content)

    with zipfile.ZipFile(io.BytesIO(packed)) as opened:
        assert {name: opened.read(name) for name in opened.namelist()} == content
        assert {entry.date_time for entry in opened.infolist()} <= {EARLIEST}
    assert assets.packed(content) == packed


def test_folders_are_packed_where_they_are_looked_for_and_templates_are_not(assembly: Path) -> None:
    with AwsInMemory({}, [assets.BUCKET]) as memory:
        assets.upload(aws.client("s3"), assembly)

        [(key, packed)] = memory.store[assets.BUCKET].bodies.items()
    assert key == "code.zip"
    assert packed == assets.packed({"a.py": b"1"})


def test_what_is_there_is_not_packed_again(assembly: Path) -> None:
    with AwsInMemory({}, [assets.BUCKET]) as memory:
        memory.store[assets.BUCKET].bodies = {"code.zip": b"as it was"}

        assets.upload(aws.client("s3"), assembly)

        assert memory.store[assets.BUCKET].bodies == {"code.zip": b"as it was"}
