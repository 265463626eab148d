import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from aws_cdk import App, Stack
from aws_cdk.assertions import Annotations, Match

from andon.cdk import assets
from andon.cdk.assets import NoCompiler, compiler_for, compiler_here
from tests.support.infra.synthesised import STAGES


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A machine with one folder on its PATH, and without a Python that compiles for Lambda."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    compiler_here.cache_clear()
    yield folder
    compiler_here.cache_clear()


def program(file: Path, script: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return file


def lambdas_python(file: Path) -> Path:
    return program(file, f"echo {assets.TAG}")


def stack(**context: str) -> Stack:
    return Stack(App(context=STAGES | context), "Stack")


def test_a_shim_that_runs_no_interpreter_is_none(machine: Path) -> None:
    program(machine / "python3.13", "echo 'pyenv: python3.13: command not found' >&2; exit 127")

    assert compiler_here() is None


def test_another_python_of_that_name_is_none(machine: Path) -> None:
    program(machine / "python3.13", "echo pypy313")

    assert compiler_here() is None


def test_a_file_that_is_no_program_is_none(machine: Path) -> None:
    program(machine / "python3.13", "").write_bytes(b"\x7fELF of another processor")

    assert compiler_here() is None


def test_behind_a_shim_the_next_on_the_path_is_taken(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(machine / "python3.13", "exit 127")
    found = lambdas_python(machine.with_name("local") / "python3.13")
    monkeypatch.setenv("PATH", os.pathsep.join([str(machine), str(found.parent)]))

    assert compiler_here() == found


def test_behind_a_shim_a_version_of_pyenv_is_taken(machine: Path) -> None:
    program(machine / "python3.13", "exit 127")
    found = lambdas_python(machine.with_name("pyenv") / "versions" / "3.13.0" / "bin" / "python3.13")

    assert compiler_here() == found


def test_an_interpreter_can_be_named(machine: Path) -> None:
    found = lambdas_python(machine.with_name("elsewhere") / "python")

    assert compiler_for(stack(python=str(found))) == found


def test_without_an_interpreter_a_deployment_is_refused_with_how_to_go_on() -> None:
    with pytest.raises(NoCompiler, match=r"No Python 3\.13 runs .* .pyenv install .* -c bytecode=none"):
        compiler_for(stack())


def test_without_an_interpreter_the_assembly_can_be_looked_at_with_a_warning() -> None:
    looked_at = stack(bytecode="optional")

    assert compiler_for(looked_at) is None
    Annotations.from_stack(looked_at).has_warning("*", Match.string_like_regexp("do not deploy it"))


@pytest.mark.parametrize(
    "context", [{"target": "local"}, {"target": "local", "bytecode": "required"}, {"bytecode": "none"}]
)
def test_the_emulator_and_who_renounces_bytecode_need_no_interpreter(context: dict[str, str]) -> None:
    chosen = stack(**context)

    assert compiler_for(chosen) is None
    Annotations.from_stack(chosen).has_no_warning("*", Match.any_value())


def test_what_is_unknown_of_bytecode_is_refused() -> None:
    with pytest.raises(ValueError, match="bytecode=maybe: there is required, optional, none"):
        compiler_for(stack(bytecode="maybe"))
