"""Code of functions: the asset of a package, bytecode by the Python that Lambda runs, layers of third-party code.

All of it is built on this machine, without Docker, from requirements with hashes. One layer is for all functions;
Powertools is in a second one, for the functions that import it.
"""

import fcntl
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from aws_cdk import Annotations, AssetHashType, Stack
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from andon.cdk.package_stack import root_of
from andon.cdk.target import OPTIONAL, REQUIRED, Target
from andon.packages.discovery import Source, source
from andon.packages.package import Package
from andon.project import project

# Bytecode: compiled on this machine by the Python that Lambda runs, so that no cold start compiles anything.

PYTHON: Final = "3.13"  # what Lambda runs: RUNTIME in function.py
TAG: Final = "cpython-313"  # what its bytecode is named by

# Another implementation or release prints something else; a shim without an interpreter fails.
ASKED: Final = "import sys; print(sys.implementation.cache_tag)"

MISSING: Final = (
    f"No Python {PYTHON} runs on this machine, and only it can compile what Lambda is to load; without bytecode a cold "
    f"start takes several times as long. Install it and put it on the PATH (with pyenv: `pyenv install {PYTHON}`; with "
    f"uv: `uv python install {PYTHON}`), or name it: -c python=/path/to/python{PYTHON}. "
)
_INSTEAD: Final = "To go on without: -c bytecode=none."
_UNCOMPILED: Final = "This assembly has no bytecode in it: look at it, but do not deploy it."


class NoCompiler(Exception):
    """Bytecode is required, and nothing here can compile it."""


def compiler_for(scope: Construct) -> Path | None:
    """Return the interpreter that compiles the code of a stack's functions; None: nothing is compiled.

    Raises:
        NoCompiler: the target requires bytecode, and there is none.

    """
    bytecode = Target.of(scope).bytecode
    if bytecode not in {REQUIRED, OPTIONAL}:
        return None
    found = compiler_here(scope.node.try_get_context("python"))
    if found is None and bytecode == REQUIRED:
        raise NoCompiler(MISSING + _INSTEAD)
    if found is None:
        Annotations.of(Stack.of(scope)).add_warning_v2("andon:bytecode", MISSING + _UNCOMPILED)
    return found


def compile_all(folder: Path, compiler: Path, *, loaded_from: str) -> None:
    """Compile every module in a folder, for an interpreter that will find the folder at `loaded_from`.

    Ordinary bytecode is checked by modification times, which do not survive the packing of an asset. This is never
    checked, and says nothing of the machine or the time.
    """
    unchecked = ["--invalidation-mode", "unchecked-hash", "-s", str(folder), "-p", loaded_from]
    run([str(compiler), "-I", "-m", "compileall", "-q", *unchecked, str(folder)])


def run(command: list[str]) -> None:
    """Run a program with its output kept out of that of `cdk synth`."""
    # Its parts are constants and programs of this machine.
    subprocess.run(command, check=True, stdout=sys.stderr)  # noqa: S603


@cache
def compiler_here(named: str | None = None) -> Path | None:
    """Return the interpreter at a path, or the first of this machine, that compiles for Lambda."""
    candidates = iter([Path(named)]) if named else _candidates()
    return next((candidate for candidate in candidates if _runs(candidate)), None)


def _candidates() -> Iterator[Path]:
    """Yield interpreters to try. The first on the PATH may be a shim of pyenv, behind which there is none."""
    yield Path(sys.executable)
    for folder in os.get_exec_path():
        yield Path(folder) / f"python{PYTHON}"
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    yield from (folder / "bin" / f"python{PYTHON}" for folder in sorted(versions.glob(f"{PYTHON}.*")))


def _runs(candidate: Path) -> bool:
    if not candidate.is_file():
        return False
    try:
        # As in `run`.
        asked = subprocess.run([candidate, "-I", "-c", ASKED], capture_output=True, text=True, check=True, timeout=60)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return False
    return asked.stdout.strip() == TAG


# The code that a package's Lambda functions get.

# Folders that are built once: each is named by what it is built from, the same on every machine.

STALE_S: Final = 60 * 60  # longer than any synth takes: what was not asked for since then, nobody reads


def build_once(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Return a folder, filled if it is missing.

    The folders beside it are removed once they are stale, and not before: another synth may be reading them, which
    was asked for something else (with bytecode, say). Of several that ask at once, one builds.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone(folder.parent):
        if not folder.is_dir():
            with tempfile.TemporaryDirectory(dir=folder.parent.parent) as unfinished:
                content = Path(unfinished) / "content"
                fill(content)
                content.rename(folder)
        os.utime(folder)
        for other in folder.parent.iterdir():
            if other.is_dir() and time.time() - other.stat().st_mtime > STALE_S:
                shutil.rmtree(other, ignore_errors=True)
    return folder


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    """Hold a lock among the processes (and threads) of this machine; it ends with its holder."""
    with (place / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


ASSETS: Final = project().local / "code"
TASK: Final = "/var/task"  # where Lambda unpacks it


def code_of(package: Package, compiler: Path | None, folders: Source | None = None) -> lambda_.AssetCode:
    """Pack the source without every other package; with `compiler`, bytecode is added."""
    files = list((folders or source()).files_of(package))

    def fill(content: Path) -> None:
        for file, place in files:
            copied = content / place
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copied)
        if compiler:
            compile_all(content, compiler, loaded_from=TASK)

    packed = hash_of(files, is_compiled=compiler is not None)
    folder = build_once(ASSETS / f"{package.side}.{package.name}" / packed, fill)
    return lambda_.Code.from_asset(str(folder), asset_hash_type=AssetHashType.CUSTOM, asset_hash=packed)


def hash_of(files: Iterable[tuple[Path, Path]], *, is_compiled: bool) -> str:
    """Return the hash of an asset, the same on every machine: touching one package changes one asset."""
    digest = hashlib.sha256((TAG if is_compiled else "source").encode())
    for file, place in files:
        found = file.stat()
        digest.update(f"\n{place.as_posix()} {_digest_of(file, found.st_size, found.st_mtime_ns)}".encode())
    return digest.hexdigest()


@lru_cache(maxsize=4_000)
def _digest_of(file: Path, size: int, changed_ns: int) -> str:  # noqa: ARG001  another size or time is another file
    """Return the digest of a file; most files are in each package's asset, and a process reads them once."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


# Third-party code, in layers: built by uv or pip on this machine, without Docker, from requirements with hashes.

REQUIREMENTS: Final = project().root / "requirements"
RUNTIME: Final = "runtime.txt"
POWERTOOLS: Final = "powertools.txt"
NEEDED: Final = {
    RUNTIME: "it pins what functions get, the library's own dependencies among it",
    POWERTOOLS: "it pins aws-lambda-powertools, which a function imports",
}
UV: Final = Path(sys.executable).with_name("uv")
_TAG_OF_PIP: Final = re.compile(r"(\w+)_(aarch64|x86_64)")  # manylinux_2_28_aarch64
LAYERS: Final = project().local / "layer"

# botocore describes more than 400 services, in a third of what the layer would weigh. These are what the functions call
# (a test reads it from the code), and what botocore itself calls for credentials.
BOTOCORE_DESCRIBES: Final = frozenset({"dynamodb", "events", "iot", "iot-data", "s3", "secretsmanager", "sqs", "sts"})
# `cryptography` needs one module of `cffi` alone, which is compiled and stands beside it; the others make such modules.
_OF_CRYPTOGRAPHY: Final = ("cffi", "pycparser")
# What wheels bring besides what can be imported.
UNUSED: Final = ("bin", "include", "greenlet/tests", "certifi/tests", *_OF_CRYPTOGRAPHY)


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
    """Install the pinned packages, with uv if it is installed here: it takes a fifteenth of pip's time.

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
    return ["--python-version", PYTHON, "--python-platform", _TAG_OF_PIP.sub(r"\2-\1", platforms[0])]


def _succeeds(command: list[str]) -> bool:
    """Run a program of this machine; its output is dropped."""
    return subprocess.run(command, check=False, capture_output=True).returncode == 0  # noqa: S603  see `run`


def _leave_out(folder: Path) -> None:
    described = folder.glob("botocore/data/*/")
    for unused in [*map(folder.joinpath, UNUSED), *(one for one in described if one.name not in BOTOCORE_DESCRIBES)]:
        shutil.rmtree(unused, ignore_errors=True)
