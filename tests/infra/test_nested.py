"""One root stack, and a nested one for each package: built in one order, with room for many."""

import ast
import inspect
import json
import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest
from aws_cdk import App, Stack

from andon.cdk.api import Api
from andon.cdk.event_hub import EventHub
from andon.cdk.lake import Lake
from andon.cdk.names import pascal
from andon.cdk.stores import Archive, Drift, FaultStore, Replays
from andon.cdk.view import View
from andon.testing.synthesised import Properties, Synthesised
from andon.tools.stack.nested import NESTED
from infra import stack
from tests.support.infra.cloned import MADE_UP, Cloned
from tests.support.infra.synthesised import PACKAGES, SERVICES, STAGES, Declare, synthesise

ROOM = 50
FUNCTION = "AWS::Lambda::Function"
NAME_BY_HASH = re.compile(r"/[0-9a-f]{64}\.json")
LONGEST = "x" * 150  # of a role of a nested stack: its name has at most 64 characters


def test_each_package_has_a_template_of_its_own(aws: Synthesised) -> None:
    assert len(aws.templates) == len(PACKAGES) + 1


VERSIONS = {("Dispatch", "Dispatch2"), ("Equipment", "Equipment2")}
"""Each subscribes to the facts of the other."""


def test_who_subscribes_is_deployed_before_who_publishes_but_for_two_versions_of_a_service(aws: Synthesised) -> None:
    root = aws.templates["Andon.template.json"]["Resources"]
    nested = {name: made for name, made in root.items() if made["Type"] == NESTED}
    publishes = {package.name: pascal(package.name) for package in SERVICES}

    late = {
        (publishes[source], name)
        for name, made in nested.items()
        for source in sources(aws.templates[Path(made["Metadata"]["aws:asset:path"]).name]) & publishes.keys()
        if name not in {publishes[source], *made_before(publishes[source], nested)}
    }

    assert late == VERSIONS | {(one, other) for other, one in VERSIONS}


def sources(template: Properties) -> set[str]:
    """The sources of the events that a template's rules take."""
    rules = [made["Properties"] for made in template["Resources"].values() if made["Type"] == "AWS::Events::Rule"]
    return {source for rule in rules for source in rule.get("EventPattern", {}).get("source", [])}


def made_before(name: str, nested: Properties) -> set[str]:
    """The nested stacks that one waits for, and those that they wait for."""
    named = json.dumps([nested[name].get("DependsOn", []), nested[name]["Properties"].get("Parameters", {})])
    first = {other for other in nested if f'"{other}"' in named}
    return first.union(*(made_before(one, nested) for one in first))


@pytest.fixture(scope="module")
def many(of_clone: Cloned) -> Mapping[str, Properties]:
    """The templates of a project with some more views, each a copy of one that there is."""
    return of_clone.many


def turned_round() -> tuple[int, Declare]:
    """Return how many lines declare the stack, and what declares it from the last of them to the first."""
    read = ast.parse(textwrap.dedent(inspect.getsource(stack.Andon.declare)))
    [function] = read.body
    assert isinstance(function, ast.FunctionDef)
    function.body.reverse()
    scope = dict(vars(stack))
    exec(compile(read, "stack.py", "exec"), scope)  # noqa: S102  our own
    return len(function.body), scope["declare"]


def content(made: Synthesised) -> str:
    """Write the templates without the hashes of nested ones: members of a file lie by CDK's tokens, which go on."""
    return NAME_BY_HASH.sub("", json.dumps(made.templates, sort_keys=True))


def test_the_order_of_the_lines_means_nothing(aws: Synthesised, layer: Path) -> None:
    """Turned round, each line stands on the other side of each other one."""
    lines, declare = turned_round()

    turned = synthesise(layer, declare=declare, alarms=True)

    assert lines > len(PACKAGES)  # one is a docstring
    assert content(turned) == content(aws)
    assert len(NAME_BY_HASH.findall(json.dumps(aws.templates))) == len(PACKAGES)


def with_fifty_more(now: int, with_some: int) -> float:
    """Return how much would be taken of a quota, by what is taken now and with some more views."""
    return now + (with_some - now) * ROOM / MADE_UP


def sizes(template: Properties) -> dict[str, int]:
    counts = {part: len(template.get(part, {})) for part in ("Resources", "Parameters", "Outputs")}
    return counts | {"bytes": len(json.dumps(template))}


def test_there_is_room_for_fifty_more_views(aws: Synthesised, many: Mapping[str, Properties]) -> None:
    """https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html."""
    quotas = {"Resources": 500, "Parameters": 200, "Outputs": 200, "bytes": 1_000_000}
    assert len(many) == len(aws.templates) + MADE_UP
    grown = dict[str, dict[str, float]]()
    for name, template in many.items():
        before = sizes(aws.templates.get(name, template))
        grown[name] = {part: with_fifty_more(before[part], size) for part, size in sizes(template).items()}

    assert grown["Andon.template.json"]["Resources"] >= len(many) + ROOM - MADE_UP
    assert {name: size for name, size in grown.items() if any(size[part] > most for part, most in quotas.items())} == {}


def test_fifty_more_views_leave_room_in_the_environment_of_every_function(
    aws: Synthesised, many: Mapping[str, Properties]
) -> None:
    """4 KB: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html."""
    now, some = environments(aws.templates), environments(many)
    grown = {file: with_fifty_more(now.get(file, size), size) for file, size in some.items()}

    assert len(some) > len(now)
    assert max(grown.values()) > max(some.values()), "nobody knows of the views"
    assert {file: size for file, size in grown.items() if size > 4_096} == {}


def environments(templates: Mapping[str, Properties]) -> dict[str, int]:
    """Return the bytes of each function's environment."""
    functions = [
        one["Properties"]
        for template in templates.values()
        for one in template["Resources"].values()
        if one["Type"] == FUNCTION
    ]
    return {one["Description"]: environment_bytes(one) for one in functions}


def environment_bytes(function: Properties) -> int:
    """Return the bytes of names and values; a reference is as long as the longest address or ARN."""
    variables = function.get("Environment", {}).get("Variables", {})
    return sum(len(name) + len(value if isinstance(value, str) else LONGEST) for name, value in variables.items())


def test_a_stack_needs_no_service_and_no_view(layer: Path) -> None:
    """Whoever replaces the domain begins with the stores."""
    app = App(context=STAGES | {"layer": str(layer), "bytecode": "none"})
    stack = Stack(app, "Empty")
    hub, api = EventHub(stack), Api(stack)
    for store in (FaultStore, Lake, Archive, Drift, Replays):
        store(stack, hub, api)
    hub.close()

    folder = Path(app.synth().directory)

    made = [json.loads(file.read_text()) for file in folder.glob("*.template.json")]
    roles = [one for template in made for one in template["Resources"].values() if one["Type"] == "AWS::IAM::Role"]
    policies = [one for role in roles for one in role["Properties"].get("Policies", [])]
    assert policies
    assert all(said["Resource"] for one in policies for said in one["PolicyDocument"]["Statement"])


def test_a_stack_whose_hub_nobody_closes_is_refused(layer: Path) -> None:
    app = App(context=STAGES | {"layer": str(layer), "bytecode": "none"})
    stack = Stack(app, "Open")
    View(stack, "board", EventHub(stack), Api(stack))

    with pytest.raises(RuntimeError, match=r"call hub\.close\(\)"):
        app.synth()


def test_a_part_that_comes_too_late_or_twice_is_refused(layer: Path) -> None:
    stack = Stack(App(context=STAGES | {"layer": str(layer), "bytecode": "none"}), "Twice")
    hub, api = EventHub(stack), Api(stack)
    Lake(stack, hub, api)

    with pytest.raises(ValueError, match="lake: declared twice"):
        Lake(stack, hub, api)
    hub.close()
    with pytest.raises(ValueError, match="replays: the hub is closed"):
        Replays(stack, hub, api)


def test_a_store_that_needs_another_one_says_which(layer: Path) -> None:
    stack = Stack(App(context=STAGES | {"layer": str(layer), "bytecode": "none"}), "Alone")
    hub = EventHub(stack)
    Replays(stack, hub, Api(stack))

    with pytest.raises(ValueError, match="no store with a LAKE_BUCKET"):
        hub.close()
