"""Third-party code, in layers: built by uv or pip on this machine, without Docker, from requirements with hashes.

One layer is for all functions; Powertools is in a second one, for the functions that import it.
"""

import hashlib
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from aws_cdk import AssetHashType
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from andon.cdk.asset import build_once
from andon.cdk.bytecode import PYTHON, TAG, compile_all, compiler_for, run
from andon.cdk.package_stack import root_of
from andon.cdk.target import Target
from andon.packages.package import Package
from andon.project import project

REQUIREMENTS: Final = project().root / "requirements"
RUNTIME: Final = "runtime.txt"
POWERTOOLS: Final = "powertools.txt"
NEEDED: Final = {
    RUNTIME: "it pins what functions get, the library's own dependencies among it",
    POWERTOOLS: "it pins aws-lambda-powertools, which a function imports",
}
UV: Final = Path(sys.executable).with_name("uv")
TAG_OF_PIP: Final = re.compile(r"(\w+)_(aarch64|x86_64)")  # manylinux_2_28_aarch64
LAYERS: Final = project().local / "layer"

# botocore describes more than 400 services, in a third of what the layer would weigh. These are what the functions call
# (a test reads it from the code), and what botocore itself calls for credentials.
BOTOCORE_DESCRIBES: Final = frozenset({"dynamodb", "events", "iot", "iot-data", "s3", "secretsmanager", "sqs", "sts"})
# `cryptography` needs one module of `cffi` alone, which is compiled and stands beside it; the others make such modules.
OF_CRYPTOGRAPHY: Final = ("cffi", "pycparser")
# What wheels bring besides what can be imported.
UNUSED: Final = ("bin", "include", "greenlet/tests", "certifi/tests", *OF_CRYPTOGRAPHY)


def layers_of(scope: Construct, package: Package, role: str) -> list[lambda_.ILayerVersion]:
    """Return the layers of a handler's function, in the root stack."""
    layers = [_layer(scope, "ThirdParty", RUNTIME)]
    return [*layers, _layer(scope, "Powertools", POWERTOOLS)] if role in package.powertools else layers


def _layer(scope: Construct, name: str, requirements: str) -> lambda_.ILayerVersion:
    """Return the one layer of that name; its folder is built when it is missing or stale."""
    stack = root_of(scope)
    existing = stack.node.try_find_child(name)
    if isinstance(existing, lambda_.LayerVersion):
        return existing
    # Tests set a folder of their own, so that they need neither pip nor a network.
    prepared = scope.node.try_get_context("layer")
    folder = Path(prepared) if prepared else build(Target.of(scope), compiler_for(scope), requirements)
    return lambda_.LayerVersion(
        stack,
        name,
        code=lambda_.Code.from_asset(str(folder), asset_hash_type=AssetHashType.CUSTOM, asset_hash=folder.name),
        description=f"requirements/{requirements}",
    )


def build(target: Target, compiler: Path | None, requirements: str = RUNTIME) -> Path:
    """Return the folder with the layer's content, which is built if it is missing.

    Raises:
        FileNotFoundError: the project does not say what its functions need.

    """

    def fill(content: Path) -> None:
        _install(content / "python", target.layer_platforms, REQUIREMENTS / requirements)
        _leave_out(content / "python")
        if compiler:
            compile_all(content, compiler, loaded_from="/opt")

    return build_once(place_of(target, compiler, requirements), fill)


def place_of(target: Target, compiler: Path | None, requirements: str = RUNTIME) -> Path:
    """Return the folder for the layer's content; its name changes whenever the content would.

    Raises:
        FileNotFoundError: the project does not say what its functions need.

    """
    file = REQUIREMENTS / requirements
    if not file.is_file():
        raise FileNotFoundError(f"there is no {file}: {NEEDED[requirements]}, as pip-compile --generate-hashes does")
    platforms = target.layer_platforms or (sys.platform, str(sys.implementation.cache_tag), platform.machine())
    parts = [file.read_text(), *platforms, *sorted(BOTOCORE_DESCRIBES), *UNUSED, TAG if compiler else "source"]
    return LAYERS / target.name / hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _install(folder: Path, platforms: tuple[str, ...], requirements: Path) -> None:
    """Install what is pinned, with uv if it is installed here: it takes a fifteenth of pip's time.

    It has no way to an index that is in pip's own settings alone; there pip goes it.
    """
    folder.mkdir(parents=True)
    exactly = ["--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:"]
    exactly += ["--requirement", str(requirements), "--target", str(folder)]
    if UV.is_file() and _succeeds([str(UV), "pip", "install", *exactly, *uv_options(platforms)]):
        (folder / ".lock").unlink(missing_ok=True)  # uv's own
        return
    for_lambda = ["--implementation", "cp", "--python-version", PYTHON] if platforms else []
    for_lambda += [argument for tag in platforms for argument in ("--platform", tag)]
    quietly = ["--disable-pip-version-check", "--no-compile"]
    run([sys.executable, "-m", "pip", "install", *quietly, *exactly, *for_lambda])


def uv_options(platforms: tuple[str, ...]) -> list[str]:
    """Return uv's options for pip's platform tags, of which the first includes the others; none: this interpreter."""
    if not platforms:
        return ["--python", sys.executable]
    return ["--python-version", PYTHON, "--python-platform", TAG_OF_PIP.sub(r"\2-\1", platforms[0])]


def _succeeds(command: list[str]) -> bool:
    """Run a program of this machine; what it says is for nobody."""
    return subprocess.run(command, check=False, capture_output=True).returncode == 0  # noqa: S603  see `run`


def _leave_out(folder: Path) -> None:
    described = folder.glob("botocore/data/*/")
    for unused in [*map(folder.joinpath, UNUSED), *(one for one in described if one.name not in BOTOCORE_DESCRIBES)]:
        shutil.rmtree(unused, ignore_errors=True)
