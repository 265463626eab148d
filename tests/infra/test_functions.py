from pathlib import Path
from typing import Any, cast

import pytest

from andon.handlers.declared import PACKAGE
from andon.http import places
from andon.packages.discovery import apis, role_of, source
from andon.packages.package import Package, Side
from andon.testing.synthesised import Synthesised, text
from tests.support.infra.synthesised import CONTROL, FILES, IN_ALL_STAGES, PROJECT, STREAM_FIRST


def function(synthesised: Synthesised, file: str) -> dict[str, Any]:
    return synthesised.functions()[file]


def test_where_places_are_required_each_function_with_routes_knows_it_and_no_other(
    aws: Synthesised, varied: Synthesised
) -> None:
    serving = {f"{package.folder}/{role_of(route)}" for package in apis() for route in package.routes}

    knowing = [
        {file for file, made in one.functions().items() if places.VARIABLE in made["Environment"]["Variables"]}
        for one in (aws, varied)
    ]
    assert knowing == [set(), serving]


def test_every_handler_of_every_package_is_one_function(aws: Synthesised) -> None:
    assert sorted(aws.functions()) == sorted(FILES)


@pytest.mark.parametrize("file", FILES)
def test_a_function_runs_its_handler_on_arm_and_knows_its_package_and_writes_json_to_a_log_that_ends(
    aws: Synthesised, file: str
) -> None:
    folder, _, role = file.rpartition("/")
    side, _, name = folder.partition("/")
    made = function(aws, file)
    environment, logging = made["Environment"]["Variables"], made["LoggingConfig"]

    assert made["Handler"] == Package(cast("Side", side), name).handler_name(role)
    assert (made["Runtime"], made["Architectures"]) == ("python3.13", ["arm64"])
    assert (environment[PACKAGE], environment["POWERTOOLS_SERVICE_NAME"], environment["STAGE"]) == (folder, name, "dev")
    assert logging["LogFormat"] == "JSON"
    assert aws.of_type("AWS::Logs::LogGroup")[logging["LogGroup"]["Ref"]]["RetentionInDays"] == 30


@pytest.mark.parametrize("file", IN_ALL_STAGES)
def test_a_stage_says_whether_lambda_traces_a_function_and_only_then_it_may_write_traces(
    aws: Synthesised, prod: Synthesised, file: str
) -> None:
    traced = not file.endswith(("/sweep", "/recompute"))  # those run by a schedule, and follow nothing

    for stack, mode in ((aws, "Active" if traced else None), (prod, None)):  # Lambda's default: PassThrough
        assert function(stack, file).get("TracingConfig", {}).get("Mode") == mode
        assert any(action.startswith("xray:") for action, _ in stack.allowed(file)) == (mode is not None)


def test_no_code_imports_the_tracer() -> None:
    # It costs 330 ms of CPU at a cold start.
    assert not [file for file, _ in source().files() if file.suffix == ".py" and "Tracer" in file.read_text()]


@pytest.mark.parametrize("file", FILES)
def test_a_function_may_feed_itself_if_it_is_meant_to_and_lambda_stops_any_other(aws: Synthesised, file: str) -> None:
    """https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html."""
    queues = {text(one["EventSourceArn"]) for one in aws.mappings(file)}
    sends = {resource for action, resource in aws.allowed(file) if action == "sqs:SendMessage"}

    assert function(aws, file).get("RecursiveLoop") == ("Allow" if queues & sends else None)


@pytest.mark.parametrize("file", FILES)
def test_only_who_publishes_knows_the_bus(aws: Synthesised, file: str) -> None:
    environment = function(aws, file)["Environment"]["Variables"]

    # The store publishes nothing: a fault of a fault would never end.
    roles = {"ingest", "trigger", "listener", "push", "sweep", "recompute"}
    publishes = Path(file).stem in roles and not file.startswith("stores/")
    publishes |= file in STREAM_FIRST
    assert environment.get("BUS_NAME") == ({"Ref": aws.output("BusName")} if publishes else None)


@pytest.mark.parametrize("file", FILES)
def test_who_decides_knows_how_long_to_hold_back_and_nobody_else(
    aws: Synthesised, local: Synthesised, file: str
) -> None:
    decides = file in {
        f"services/{service.name}/{role}" for service in CONTROL for role in ("listener", "trigger", "sweep")
    }

    on_aws, on_the_emulator = (hold_back(synthesised, file) for synthesised in (aws, local))

    assert on_aws == ("30" if decides else None)
    assert on_the_emulator == ("2" if decides else None)


def test_the_hold_back_is_a_setting_of_the_stage_and_the_same_for_all_who_decide(varied: Synthesised) -> None:
    assert {hold_back(varied, file) for file in FILES} == {"0", None}


def hold_back(synthesised: Synthesised, file: str) -> str | None:
    seconds: str | None = function(synthesised, file)["Environment"]["Variables"].get("HOLD_BACK_SECONDS")
    return seconds


def test_the_functions_of_a_package_share_one_asset_and_those_that_import_powertools_alone_have_a_second_layer(
    aws: Synthesised,
) -> None:
    assets: dict[str, set[str]] = {}
    for file, made in aws.functions().items():
        assets.setdefault(file.rpartition("/")[0], set()).add(made["Code"]["S3Key"])

    assert [len(keys) for keys in assets.values()] == [1] * len(assets)
    assert len(set.union(*assets.values())) == len(assets)
    names = {id_: made["Description"] for id_, made in aws.of_type("AWS::Lambda::LayerVersion").items()}
    layers = {file: {names[one["Ref"]] for one in made["Layers"]} for file, made in aws.functions().items()}
    of_two = {"services/dispatch2/command", "services/dispatch2/query"}
    shared, beside = "requirements/runtime.txt", "requirements/powertools.txt"
    assert layers == {file: {shared, beside} if file in of_two else {shared} for file in layers}


def test_nothing_in_the_repository_names_an_account_or_a_machine(aws: Synthesised) -> None:
    assert str(PROJECT) not in str([made.get("Properties") for made in aws.resources.values()])
    assert str(PROJECT) not in (PROJECT / "cdk.json").read_text()
