"""Rows that rules know beside events, of a running system."""

from typing import Any

from andon.cdk.names import pascal
from andon.dynamodb.attribute_values import Typed
from andon.packages.discovery import services
from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop
from andon.tools.views.deployed import Deployed
from andon.tools.what_if.asked import name_of
from andon.tools.what_if.replaying import known_of
from andon.tools.what_if.tree import tree_rules
from demo.people import LIZ, SUE
from tests.support.samples import NOW
from tests.support.services.reports import staff


class Scans:
    """boto3's client of DynamoDB, as far as it reads all rows."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop

    def get_paginator(self, _: str) -> "Scans":
        return self

    def paginate(self, *, TableName: str, **_: Any) -> list[dict[str, list[Typed]]]:  # noqa: ANN401, N803  boto3's
        return [{"Items": self._loop.typed_rows(TableName)}]


def test_each_service_is_read_from_the_table_of_its_rules_also_one_that_has_others() -> None:
    rules = tree_rules()
    tables = {rules["services"][one["service"]]["table"] for one in rules["rules"] if one["needs_context"]}
    assert any(len(one.tables) > 1 and tables & one.tables.keys() for one in services()), "one has others"
    with frozen_clock(NOW), Loop() as loop:
        staff(loop, "gdl-1", operators=[LIZ], supervisor=SUE)
        loop.run()
        outputs = {pascal(variable): variable for variable in loop.schemas}
        system = Deployed(None, outputs, lambda _: Scans(loop), settles_s=0)
        known = known_of(None, system.rows, [rules], frozenset(map(name_of, rules["rules"])), {})
    assert known.rows.keys() == tables
    assert [row["supervisor"] for row in known.rows["DISPATCH_TABLE"]] == [SUE]
