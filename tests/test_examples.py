"""Examples of pages that leave out what would only be in the way: with that in front, they do what the page says."""

import os
import re
import subprocess
import sys
from pathlib import Path

from andon.dynamodb.attribute_values import Item
from andon.project import library_folder
from andon.rules.rule import History, Rule
from tests.support.course import blocks_of
from tests.support.samples import NOW, fact

ROOT = Path(__file__).parents[1]

IMPORTS = """
from collections.abc import Iterable
from http import HTTPStatus
from typing import Annotated

from andon.dynamodb.client import Table
from andon.dynamodb.client import ConditionFailed
from andon.dynamodb.expressions import Condition
from andon.dynamodb.schema import Keys, TableSchema
from andon.dynamodb.ttl import is_alive
from andon.events.actor import author_in
from andon.events.domain_event import DomainEvent
from andon.events.fact import Change, Fact, Facts
from andon.http.http_api import HttpApi
from andon.http.models import RequestModel
from andon.http.response import responses
from andon.http.parameters import Path
from andon.http.response import Response, respond
from andon.project import Actors, Groups, Project
from andon.runtime import clock
from andon.runtime.errors import Conflict, NotFound
from andon.views.view_update import ViewUpdate
"""
OF_FILE = {
    "functions/services/parcels/command.py": (
        "from services.parcels.tables import TABLE\n\n\nclass Handover(RequestModel):\n    holder: str\n"
    ),
    "functions/views/holders/query.py": "from views.holders.view import KEYS, TABLE\n",
    "infra/stack.py": """
from andon.cdk.api import Api
from andon.cdk.stores import Archive
from andon.cdk.stores import Drift
from andon.cdk.event_hub import EventHub
from andon.cdk.stores import FaultStore
from andon.cdk.lake import Lake
from andon.cdk.stores import Replays
from andon.cdk.part import RootStack
from andon.cdk.service import Service
from andon.cdk.view import View
""",
    "app.py": "from aws_cdk import App\nfrom infra.stack import Parcels\n",
}
TRIED = """
import infra.stack
from andon.testing.loop import Loop

with Loop() as loop:
    put = loop.request("PUT /parcels/{id}", path={"id": "p-1"}, body={"holder": "Ada"}, groups=("staff",))
    [event] = loop.run()
    got = loop.request("GET /parcels/{id}", path={"id": "p-1"}, groups=("staff",))
print(put.status, event["detail-type"], got.status, got.body)
"""

RULE = """
from collections.abc import Iterable

from andon.rules.rule import Decision, History, Rule
from andon.runtime.clock import MINUTE_MS
from contract.entities.alerts import AlertEntity
from contract.reports import REPORTED
from services.dispatch.alert import Alert
from services.dispatch.reports import is_abnormal as is_stop, partition_in, time_in

EQUIPMENT_STOPS = "equipment-stops"
"""


def examples(page: str) -> list[str]:
    """The blocks of Python of a page that quote no file, and print nothing."""
    return [block.text for block in blocks_of(ROOT / page) if (block.language, block.file) == ("python", "")]


def test_the_whole_project_of_the_librarys_readme_runs(tmp_path: Path) -> None:
    [example] = examples("library/README.md")
    parts = re.split(r"^# (\S+\.py)\n", example, flags=re.MULTILINE)[1:]
    for name, text in zip(parts[::2], parts[1::2], strict=True):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        (file.parent / "__init__.py").touch()
        file.write_text(IMPORTS + OF_FILE.get(name, "") + text)

    imports = (tmp_path / "functions", library_folder().parent, tmp_path)
    done = subprocess.run(  # noqa: S603  our own example
        [sys.executable, "-c", TRIED],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, imports))},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "204 parcel-handed-over 200 {'id': 'p-1', 'holder': 'Ada'}"


def test_the_rule_of_the_recipes_decides_at_the_second_stop() -> None:
    [example] = [one for one in examples("docs/recipes.md") if "RULE" in one]
    made: dict[str, object] = {}
    exec(compile(RULE + example, "recipes.md", "exec"), made)  # noqa: S102  our own example
    rule = made["RULE"]
    assert isinstance(rule, Rule)
    rule.require_sense()

    stops = tuple(fact("state-reported", at=NOW + minute * 60_000, state="ERROR") for minute in (0, 5, 10))
    decided = [[*rule.expression(History(anchor=upto[-1], events=upto))] for upto in (stops[:1], stops[:2], stops)]

    assert [len(decisions) for decisions in decided] == [0, 1, 0]
    assert decided[1][0].triggers == stops[:2]


def test_a_next_version_says_what_the_page_says() -> None:
    [example] = examples("docs/rebuild-a-view.md")
    made: dict[str, object] = {"Item": Item}
    exec(compile(example, "rebuild-a-view.md", "exec"), made)  # noqa: S102  our own example

    assert made["REPLACES"] == "board"
    assert callable(as_before := made["as_before"])
    assert as_before({"EquipmentID": "press-7"}) == {"EquipmentID": "press-7"}


OF_UPCASTER = """
from typing import TypedDict

from andon.events.upcast import Upcasters
from andon.http.said import Line
from andon.runtime.json_types import JsonMapping
from andon.runtime.marks import Annotated, Gained, Says
"""


def test_the_upcaster_of_the_recipes_reads_what_was_said_before() -> None:
    of_it = [one for one in examples("docs/recipes.md") if "of_before" in one]
    made: dict[str, object] = {}
    exec(compile("\n".join([OF_UPCASTER, *of_it]), "recipes.md", "exec"), made)  # noqa: S102  our own example
    test = made["test_a_thing_of_before_reads_as_today"]
    assert callable(test)

    test()

    assert made["UPCASTERS"] == {("things", "thing-moved"): (made["of_before"],)}
    template = library_folder() / "tools" / "templates" / "project"
    named = {path for one in of_it for path in re.findall(r"(?:functions|tests)/[\w/]+\.py", one.splitlines()[0])}
    assert [path for path in sorted(named) if not (template / path).parent.is_dir()] == []
