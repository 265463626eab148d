from dataclasses import replace
from pathlib import Path

import pytest

from infra import layer
from infra.target import LOCAL


@pytest.fixture(autouse=True)
def requirements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Requirements that need no network: none."""
    file = tmp_path / "runtime.txt"
    file.write_text("# nothing\n")
    monkeypatch.setattr(layer, "REQUIREMENTS", file)
    monkeypatch.setattr(layer, "LAYERS", tmp_path / "layer")
    return file


def test_a_layer_is_built_once() -> None:
    folder = layer.build(LOCAL)
    (folder / "mark").touch()

    assert layer.build(LOCAL) == folder
    assert (folder / "mark").exists()


def test_a_change_of_the_requirements_makes_another_layer_and_removes_the_stale_one(requirements: Path) -> None:
    stale = layer.build(LOCAL)

    requirements.write_text("# nothing else\n")
    fresh = layer.build(LOCAL)

    assert fresh.is_dir()
    assert not stale.exists()


def test_each_target_has_a_layer_of_its_own() -> None:
    here = layer.build(LOCAL)
    elsewhere = layer.build(replace(LOCAL, name="elsewhere", layer_platform="manylinux2014_aarch64"))

    assert here.is_dir()
    assert here.name != elsewhere.name
