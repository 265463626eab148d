"""Bytecode: compiled on this machine by the Python that Lambda runs, so that no cold start compiles anything."""

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from aws_cdk import Annotations, Stack
from constructs import Construct

from andon.cdk.target import OPTIONAL, REQUIRED, Target

PYTHON: Final = "3.13"  # what Lambda runs: RUNTIME in function.py
TAG: Final = "cpython-313"  # what its bytecode is named by

# Another implementation or release prints something else; a shim without an interpreter fails.
ASKED: Final = "import sys; print(sys.implementation.cache_tag)"

MISSING: Final = (
    f"No Python {PYTHON} runs on this machine, and only it can compile what Lambda is to load; without bytecode a cold "
    f"start takes several times as long. Install it and put it on the PATH (with pyenv: `pyenv install {PYTHON}`; with "
    f"uv: `uv python install {PYTHON}`), or name it: -c python=/path/to/python{PYTHON}. "
)
INSTEAD: Final = "To go on without: -c bytecode=none."
UNCOMPILED: Final = "This assembly has no bytecode in it: look at it, but do not deploy it."


class NoCompiler(Exception):
    """Bytecode is required, and nothing here can compile it."""


def compiler_for(scope: Construct) -> Path | None:
    """Return the interpreter that compiles what a stack's functions load; None: nothing is compiled.

    Raises:
        NoCompiler: the target requires bytecode, and there is none.

    """
    bytecode = Target.of(scope).bytecode
    if bytecode not in {REQUIRED, OPTIONAL}:
        return None
    found = compiler_here(scope.node.try_get_context("python"))
    if found is None and bytecode == REQUIRED:
        raise NoCompiler(MISSING + INSTEAD)
    if found is None:
        Annotations.of(Stack.of(scope)).add_warning_v2("andon:bytecode", MISSING + UNCOMPILED)
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
    """Return the interpreter at a path, or the first of this machine, that compiles what Lambda loads."""
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
