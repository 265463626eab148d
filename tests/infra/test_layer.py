import ast
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from andon.cdk import assets
from andon.cdk.assets import BOTOCORE_DESCRIBES, compiler_here
from andon.cdk.target import AWS, LOCAL
from andon.packages.discovery import source
from andon.wire import aws

MAX_MB: Final = 70
BINARY: Final = "_pycurl.cpython-313-aarch64-linux-gnu.so"


@pytest.fixture
def layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(assets, "LAYERS", tmp_path / "layer")
    return tmp_path / "layer"


@pytest.fixture
def requirements(layers: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Requirements that need no network: none."""
    monkeypatch.setattr(assets, "REQUIREMENTS", layers.parent)
    file = layers.with_name(assets.RUNTIME)
    file.write_text("# nothing\n")
    return file


@pytest.mark.usefixtures("requirements")
def test_a_layer_is_built_once() -> None:
    folder = assets.build(LOCAL, None)
    assert folder == assets.place_of(LOCAL, None)
    assert folder.is_dir()
    (folder / "mark").touch()

    assert assets.build(LOCAL, None) == folder
    assert (folder / "mark").exists()


def test_a_change_of_the_requirements_makes_another_layer(requirements: Path) -> None:
    before = assets.place_of(LOCAL, None)

    requirements.write_text("# nothing else\n")

    assert assets.place_of(LOCAL, None) != before


@pytest.mark.usefixtures("requirements")
def test_each_target_has_a_layer_of_its_own() -> None:
    here = assets.place_of(LOCAL, None)
    elsewhere = assets.place_of(replace(LOCAL, name="elsewhere", layer_platforms=("manylinux2014_aarch64",)), None)

    assert here.parent != elsewhere.parent
    assert here.name != elsewhere.name


@pytest.mark.usefixtures("requirements")
def test_a_layer_without_bytecode_is_never_taken_for_one_with_it() -> None:
    assert assets.place_of(AWS, None).name != assets.place_of(AWS, Path(sys.executable)).name


@pytest.mark.parametrize(
    ("tag", "named"),
    [(AWS.layer_platforms[0], "aarch64-manylinux_2_28"), ("manylinux2014_x86_64", "x86_64-manylinux2014")],
)
def test_uv_installs_for_the_platform_that_pip_has_a_tag_for(tag: str, named: str) -> None:
    assert assets.uv_options((tag, "manylinux1_aarch64"))[-2:] == ["--python-platform", named]


@pytest.mark.usefixtures("requirements")
def test_where_uv_fails_pip_installs(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(assets, "UV", Path("/bin/false"))
    monkeypatch.setattr(assets, "run", asked.append)

    assets.build(LOCAL, None)

    [command] = asked
    assert command[:4] == [sys.executable, "-m", "pip", "install"]


def test_botocore_describes_each_service_that_the_functions_call() -> None:
    called = {
        service
        for file, _ in source().files()
        if file.suffix == ".py"
        for service in _called(ast.parse(file.read_text()))
    }

    assert called
    assert called <= BOTOCORE_DESCRIBES


def test_the_layer_for_aws_is_small_and_brings_libcurl_for_its_processor() -> None:
    """With bytecode, as it is deployed, if this machine has the Python that compiles it."""
    folder = assets.build(AWS, compiler_here())

    megabytes = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1_000_000
    print(f"the layer: {megabytes:.0f} MB")  # noqa: T201  `pytest -rP` shows it
    assert megabytes < MAX_MB
    assert [file.name for file in folder.glob("python/pycurl/*.so")] == [BINARY]


def _called(tree: ast.AST) -> Iterator[str]:
    """The services that a module calls, as `aws.call("s3", …)`, `aws.client("s3")` or `aws.call(aws.IOT_DATA, …)`."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="aws"), attr="call" | "client"), args=[service, *_]):
                yield from _named(service)


def _named(service: ast.expr) -> Iterator[str]:
    match service:
        case ast.Constant(value=name):
            yield str(name)
        case ast.Attribute(value=ast.Name(id="aws"), attr=constant):
            yield getattr(aws, constant)
