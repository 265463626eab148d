from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from andon.testing.create_table import create_table_request
from andon.testing.memory.meter import TableOrIndex, Used
from andon.tools.stack import emulator
from andon.tools.stack.aws import KEY, REGION
from andon.wire import aws
from bench import report_units, version_units
from bench.report_units import ON_PAPER, REPORTS
from bench.version_units import CONTENT_BYTES, DESIGNS, SCHEMAS, WriteUnits

READS = {"get_item", "query"}


@contextmanager
def metered() -> Iterator[list[float]]:
    """The write units that DynamoDB says it counted, of each request."""
    units, aws_call = list[float](), aws.call

    def call(service: str, operation: str, **request: Any) -> dict[str, Any]:  # noqa: ANN401
        response = aws_call(service, operation, **request, ReturnConsumedCapacity="TOTAL")
        consumed = [] if operation in READS else response["ConsumedCapacity"]
        units.extend(one["CapacityUnits"] for one in (consumed if isinstance(consumed, list) else [consumed]))
        return response

    with patch.object(aws, "call", call):
        yield units


@pytest.fixture
def emulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The tables of all designs, on an emulator, over the wire that moto does not hook into."""
    running = emulator.start(tmp_path, emulator.free_port(), lifeline=True)
    access = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": KEY, "AWS_DEFAULT_REGION": REGION}
    variables = {"AWS_ENDPOINT_URL": running.endpoint, "AWS_WIRE": "libcurl", "NO_PROXY": emulator.HOST, **access}
    for name, value in {**variables, **{name: name for name in SCHEMAS}}.items():
        monkeypatch.setenv(name, value)
    aws.forget()
    for name, schema in SCHEMAS.items():
        aws.call("dynamodb", "create_table", **create_table_request(name, schema))
    yield
    aws.forget()
    emulator.stop(tmp_path, running)


@pytest.mark.usefixtures("emulated")
def test_the_emulator_counts_as_many_units_of_each_design_as_our_counter() -> None:
    emulated = []
    for design in DESIGNS:
        for kb, size in CONTENT_BYTES.items():
            design.change(f"{design.name} {kb}", 1, "x" * size)
            with metered() as units:
                design.change(f"{design.name} {kb}", 2, "x" * size)
            emulated.append(sum(units))

    assert emulated == [figure.counted for figure in version_units.count()]


def test_every_way_of_keeping_versions_and_every_function_costs_what_it_does_on_paper() -> None:
    assert not any(figure.differs for figure in version_units.count())
    assert report_units.differing(report_units.count()) == []


def test_what_is_not_as_on_paper_is_pointed_at() -> None:
    def used(units: float) -> Used:
        return Used(writes=Counter({(TableOrIndex("T"), "p"): round(units)}))

    of_functions = {name: used(paper * REPORTS) for name, paper in ON_PAPER.items()}
    assert report_units.differing(of_functions) == []

    of_functions["dispatch sweep"] = used(ON_PAPER["dispatch sweep"] * REPORTS * 2)
    lines = report_units.report(of_functions).splitlines()
    assert [line.split("  ")[0] for line in lines if "<- differs" in line] == ["dispatch sweep"]

    text = version_units.report([WriteUnits("two tables", 1, 4.0, 4), WriteUnits("by time", 2, 3.0, 2)])
    assert [("differs" in line) for line in text.splitlines()] == [False, False, True]
