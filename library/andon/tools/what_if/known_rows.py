"""Rows that rules know of beside events, for both trees alike: rosters and their like, which are in no event.

`ROSTERS=file` is JSON: the environment variable of a table -> a list of its rows, each with its primary key:

    {"THINGS_TABLE": [{"pk": "Place#1", "sk": "roster", "people": ["p-1", "p-2"]}]}
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from andon.dynamodb.attribute_values import Item
from andon.tools.stack.errors import ToolFailed

KnownRows = Mapping[str, Sequence[Item]]
"""The environment variable of a table -> rows of it."""


def rows_in(file: Path) -> KnownRows:
    """Read a file of rows.

    Raises:
        ToolFailed: there is none, or it is no such file.

    """
    try:
        read = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise ToolFailed(f"ROSTERS={file} cannot be read: {error}") from error
    if not isinstance(read, dict) or not all(isinstance(rows, list) for rows in read.values()):
        raise ToolFailed(f'ROSTERS={file} is no JSON like {{"THINGS_TABLE": [{{…}}]}}: a list of rows for each table')
    return read
