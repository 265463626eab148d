"""The real handlers, or the library itself, in this process on the tables of the deployed stack."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest

from andon.testing.environment import ENVIRONMENT
from andon.tools.stack.stack import Stack
from andon.wire import aws

TABLES: Final = {
    "EQUIPMENT_TABLE": "EquipmentTable",
    "EQUIPMENT_HISTORY_TABLE": "EquipmentHistoryTable",
    "DISPATCH_TABLE": "DispatchTable",
    "STATE_LOG_TABLE": "StateLogTable",
}
"""Environment variable -> the stack's output that names the table."""


@contextmanager
def in_this_process(stack: Stack) -> Iterator[None]:
    """Connect this process's clients to the emulator and its tables."""
    names = {variable: stack.outputs[output] for variable, output in TABLES.items()}
    endpoint = {"AWS_ENDPOINT_URL": stack.outputs["Endpoint"], "NO_PROXY": "*"}
    with pytest.MonkeyPatch.context() as environment:
        for name, value in (ENVIRONMENT | names | endpoint).items():
            environment.setenv(name, value)
        aws.forget()
        yield
    aws.forget()
