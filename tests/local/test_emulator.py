import json
import os
import socket
from pathlib import Path

import pytest

from local.stack import emulator, outputs
from local.stack.errors import NotRunning, PortBusy


def _note(home: Path, text: str) -> None:
    (home / "emulator.json").write_text(text)


def test_nothing_runs_in_an_empty_home(tmp_path: Path) -> None:
    assert emulator.running(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"pid": "x", "port": 1}', '{"pid": 999999999, "port": 1}'])
def test_a_note_that_names_no_process_is_no_emulator(tmp_path: Path, text: str) -> None:
    _note(tmp_path, text)

    assert emulator.running(tmp_path) is None


def test_somebody_elses_process_with_the_noted_id_is_not_taken_for_the_emulator(tmp_path: Path) -> None:
    _note(tmp_path, json.dumps({"pid": os.getpid(), "port": 4566}))

    assert emulator.running(tmp_path) is None


def test_a_busy_port_is_named_with_what_to_do(tmp_path: Path) -> None:
    with socket.create_server((emulator.HOST, 0)) as busy:
        port = busy.getsockname()[1]

        with pytest.raises(PortBusy, match=rf"port {port} is in use .* PORT={port + 1} make up"):
            emulator.start(tmp_path, port)

    assert not list(tmp_path.iterdir())


def test_outputs_are_those_of_a_running_stack_only(tmp_path: Path) -> None:
    outputs.write(tmp_path, {"ApiUrl": "http://127.0.0.1:4566"})

    with pytest.raises(NotRunning, match="make up"):
        outputs.of_running_stack(tmp_path)


def test_the_emulator_starts_is_found_again_and_leaves_nothing_but_its_log(tmp_path: Path) -> None:
    started = emulator.start(tmp_path, emulator.free_port(), lifeline=True)
    try:
        found = emulator.running(tmp_path)
        outputs.write(tmp_path, {"ApiUrl": started.url})

        assert found == emulator.Emulator(started.pid, started.port)
        assert outputs.of_running_stack(tmp_path) == {"ApiUrl": started.url}
    finally:
        emulator.stop(tmp_path, started)

    assert emulator.running(tmp_path) is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["emulator.log", "outputs.json"]
