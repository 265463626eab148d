from pathlib import Path

import pytest

from andon.tools.stack import outputs
from andon.tools.stack.errors import NotRunning
from andon_gateway.config import read
from andon_gateway.nodes import NodeName
from andon_gateway.north import ByHttps
from andon_gateway.testing.opcua_press import NAMESPACE, TAGS
from demo.factory import FACTORY, MACHINES
from demo.plc import sample


def test_the_sample_reads_each_value_of_the_press_and_reports_for_a_machine_of_the_demo(tmp_path: Path) -> None:
    found = read(sample.configured(tmp_path, "https://api.example", 4840))

    [machine] = found.machines.values()
    names = {NodeName.parse(tag) for tag in machine.tags.values()}
    assert names == {NodeName(NAMESPACE, tag.node) for tag in TAGS.values()}
    assert machine.id in {one.id for one in MACHINES}
    assert isinstance(found.north, ByHttps)
    assert found.north.token_command[-2:] == ("gateway", FACTORY)


def test_without_a_running_system_it_is_said_how_to_start_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def of_running_stack() -> dict[str, str]:
        raise NotRunning("nothing is running here; start it with: make up")

    monkeypatch.setattr(outputs, "of_running_stack", of_running_stack)

    assert sample.main(["run"]) == 1
    assert "make up" in capsys.readouterr().err
