"""Third-party code, in one layer: built by pip on this machine, without Docker, from requirements with hashes."""

import contextlib
import hashlib
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from aws_cdk import AssetHashType, Stack
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.target import Target

PROJECT: Final = Path(__file__).parents[1]
REQUIREMENTS: Final = PROJECT / "requirements" / "runtime.txt"
LAYERS: Final = PROJECT / ".local" / "layer"
PYTHON: Final = "3.13"  # what Lambda runs: RUNTIME in function.py


def third_party(scope: Construct) -> lambda_.ILayerVersion:
    """Return the stack's one layer; its folder is built when it is missing or stale."""
    stack = Stack.of(scope)
    existing = stack.node.try_find_child("ThirdParty")
    if isinstance(existing, lambda_.LayerVersion):
        return existing
    # Tests set a folder of their own, so that they need neither pip nor a network.
    prepared = scope.node.try_get_context("layer")
    folder = Path(prepared) if prepared else build(Target.of(scope))
    return lambda_.LayerVersion(
        stack,
        "ThirdParty",
        code=lambda_.Code.from_asset(str(folder), asset_hash_type=AssetHashType.CUSTOM, asset_hash=folder.name),
        description="requirements/runtime.txt",
    )


def build(target: Target) -> Path:
    """Return the folder with the layer's content; its name changes whenever the content would."""
    compiler = _interpreter_of_lambda() if target.layer_platform else None
    platform_tag = target.layer_platform or f"{sys.platform} {sys.implementation.cache_tag} {platform.machine()}"
    described = "\n".join([REQUIREMENTS.read_text(), platform_tag, "compiled" if compiler else "as it is"])
    home = LAYERS / target.name
    folder = home / hashlib.sha256(described.encode()).hexdigest()
    if not folder.is_dir():
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=LAYERS) as unfinished:
            content = Path(unfinished) / "layer"
            _install(content / "python", target.layer_platform)
            if compiler:
                _compile(content, compiler)
            _finish(content, folder)
    return folder


def _install(folder: Path, platform_tag: str | None) -> None:
    exactly = ["--require-hashes", "--only-binary=:all:", "--requirement", str(REQUIREMENTS), "--target", str(folder)]
    for_lambda = ["--implementation", "cp", "--python-version", PYTHON, "--platform", str(platform_tag)]
    quietly = ["--quiet", "--disable-pip-version-check", "--no-compile"]
    _run([sys.executable, "-m", "pip", "install", *quietly, *exactly, *(for_lambda if platform_tag else [])])


def _compile(folder: Path, interpreter: str) -> None:
    # boto3 without .pyc files costs 3.6 times the CPU at a cold start. Ordinary .pyc files are checked by modification
    # times, which do not survive the packing of an asset; unchecked ones are always used.
    unchecked = ["--invalidation-mode", "unchecked-hash", "-s", str(folder), "-p", "/opt"]
    _run([interpreter, "-m", "compileall", "-q", *unchecked, str(folder)])


def _finish(content: Path, folder: Path) -> None:
    """Rename complete content in one step, and remove what it replaces."""
    with contextlib.suppress(OSError):  # another synth built the same content first
        content.rename(folder)
    for stale in folder.parent.iterdir():
        if stale != folder:
            shutil.rmtree(stale, ignore_errors=True)


def _interpreter_of_lambda() -> str | None:
    """Return an interpreter whose .pyc files Lambda can load. Without one the layer works, but starts more slowly."""
    candidates = filter(None, [sys.executable, shutil.which(f"python{PYTHON}")])
    return next((candidate for candidate in candidates if _version(candidate) == PYTHON), None)


def _version(interpreter: str) -> str:
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    # Its parts are constants and programs on this machine's PATH.
    return subprocess.run([interpreter, "-c", code], capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603


def _run(command: list[str]) -> None:
    # Not to standard output, which `cdk synth` uses.
    subprocess.run(command, check=True, stdout=sys.stderr)  # noqa: S603  as above
