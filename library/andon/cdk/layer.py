"""Third-party code, in one layer: built by pip on this machine, without Docker, from requirements with hashes."""

import hashlib
import platform
import shutil
import sys
from pathlib import Path
from typing import Final

from aws_cdk import AssetHashType
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from andon.cdk.built import build_once
from andon.cdk.bytecode import PYTHON, TAG, compile_all, compiler_for, run
from andon.cdk.package_stack import root_of
from andon.cdk.target import Target
from andon.project import project

REQUIREMENTS: Final = project().root / "requirements" / "runtime.txt"
NEEDED: Final = (
    "it pins what functions get, the library's own dependencies among it, as pip-compile --generate-hashes does"
)
LAYERS: Final = project().local / "layer"

# botocore describes more than 400 services, in a third of what the layer would weigh. These are what the functions call
# (a test reads it from the code), and what botocore itself calls for credentials.
BOTOCORE_DESCRIBES: Final = frozenset({"dynamodb", "events", "iot", "iot-data", "s3", "secretsmanager", "sqs", "sts"})
# `cryptography` needs one module of `cffi` alone, which is compiled and stands beside it; the others make such modules.
OF_CRYPTOGRAPHY: Final = ("cffi", "pycparser")
# What wheels bring besides what can be imported.
UNUSED: Final = ("bin", "include", "greenlet/tests", "certifi/tests", *OF_CRYPTOGRAPHY)


def third_party(scope: Construct) -> lambda_.ILayerVersion:
    """Return the one layer, in the root stack; its folder is built when it is missing or stale."""
    stack = root_of(scope)
    existing = stack.node.try_find_child("ThirdParty")
    if isinstance(existing, lambda_.LayerVersion):
        return existing
    # Tests set a folder of their own, so that they need neither pip nor a network.
    prepared = scope.node.try_get_context("layer")
    folder = Path(prepared) if prepared else build(Target.of(scope), compiler_for(scope))
    return lambda_.LayerVersion(
        stack,
        "ThirdParty",
        code=lambda_.Code.from_asset(str(folder), asset_hash_type=AssetHashType.CUSTOM, asset_hash=folder.name),
        description="requirements/runtime.txt",
    )


def build(target: Target, compiler: Path | None) -> Path:
    """Return the folder with the layer's content, which is built if it is missing.

    Raises:
        FileNotFoundError: the project does not say what its functions need.

    """

    def fill(content: Path) -> None:
        _install(content / "python", target.layer_platforms)
        _leave_out(content / "python")
        if compiler:
            compile_all(content, compiler, loaded_from="/opt")

    return build_once(place_of(target, compiler), fill)


def place_of(target: Target, compiler: Path | None) -> Path:
    """Return the folder for the layer's content; its name changes whenever the content would.

    Raises:
        FileNotFoundError: the project does not say what its functions need.

    """
    if not REQUIREMENTS.is_file():
        raise FileNotFoundError(f"there is no {REQUIREMENTS}: {NEEDED}")
    platforms = target.layer_platforms or (sys.platform, str(sys.implementation.cache_tag), platform.machine())
    parts = [REQUIREMENTS.read_text(), *platforms, *sorted(BOTOCORE_DESCRIBES), *UNUSED, TAG if compiler else "source"]
    return LAYERS / target.name / hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _install(folder: Path, platforms: tuple[str, ...]) -> None:
    exactly = ["--require-hashes", "--only-binary=:all:", "--requirement", str(REQUIREMENTS), "--target", str(folder)]
    for_lambda = ["--implementation", "cp", "--python-version", PYTHON] if platforms else []
    for_lambda += [argument for tag in platforms for argument in ("--platform", tag)]
    quietly = ["--quiet", "--disable-pip-version-check", "--no-compile"]
    run([sys.executable, "-m", "pip", "install", *quietly, *exactly, *for_lambda])


def _leave_out(folder: Path) -> None:
    described = folder.glob("botocore/data/*/")
    for unused in [*map(folder.joinpath, UNUSED), *(one for one in described if one.name not in BOTOCORE_DESCRIBES)]:
        shutil.rmtree(unused, ignore_errors=True)
