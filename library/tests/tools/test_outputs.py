"""Outputs of a stack: one that it lacks says which part to add, and where."""

import importlib
import re

import pytest

from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.outputs import PARTS, Outputs, lacking


@pytest.mark.parametrize(("module", "part"), sorted(set(PARTS.values())))
def test_each_part_is_a_construct_of_the_module_that_is_named(module: str, part: str) -> None:
    assert hasattr(importlib.import_module(f"andon.cdk.{module}"), part)


def test_what_is_missing_is_said_with_the_lines_to_add() -> None:
    lines = "from andon.cdk.eraser import Eraser, and Eraser(self, hub, api)"
    words = re.escape(f"add its lines to infra/stack.py, {lines}")

    with pytest.raises(ToolFailed, match=f"the stack has no Eraser: {words}"):
        Outputs({"ApiUrl": "x"})["SweptBuckets"]
    assert Outputs({"ApiUrl": "x"})["ApiUrl"] == "x"


def test_an_output_of_no_part_asks_for_a_deployment() -> None:
    assert lacking("PeopleTable").startswith("the stack has no output PeopleTable: it was deployed before")
