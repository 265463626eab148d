"""The template against what the handlers do: nothing is called that is not allowed, or allowed that is not called."""

from fnmatch import fnmatchcase

import pytest

from andon.packages.discovery import services, views
from andon.testing.permissions import UsedPermission, is_allowed, named_resources
from andon.testing.synthesised import Synthesised
from tests.support.infra.called import by_file
from tests.support.infra.synthesised import FILES, TAKES

# What Lambda does with a function's role before and behind the handler.
OF_LAMBDA = (
    "logs:",
    "xray:",
    *(f"sqs:{action}" for action in TAKES),
    "dynamodb:DescribeStream",
    "dynamodb:GetRecords",
    "dynamodb:GetShardIterator",
    "dynamodb:ListStreams",
)

# Batches that a trigger gave up on: Lambda keeps them, with the trigger's role.
OF_FAILURES = ("s3:ListBucket", "s3:PutObject")

# No sample is sent: channels in memory take the place of those of a deployment, see test_outbound.
OF_SECRETS = ("secretsmanager:GetSecretValue",)

# Granted to the roles of a package that does not say in GRANTS what they need.
NOT_NARROWED = ("dynamodb:", "sqs:SendMessage")

# Granted without a call: with it, S3 answers 404 for an object that does not exist, and 403 without. Several rows are
# one BatchGetItem, and one is a GetItem: the list of the sample has one.
NEVER_CALLED = {
    **{view.path(role): ("s3:ListBucket",) for view in views() if view.objects for role in view.roles},
    "stores/faults/command": ("s3:ListBucket",),
    "services/anomalies/sweep": ("s3:ListBucket",),
    "services/anomalies/trigger": ("s3:ListBucket",),
    "stores/archive/listener": ("s3:ListBucket",),
    "views/board/query": ("dynamodb:BatchGetItem",),
    "services/dispatch2/command": ("dynamodb:BatchGetItem",),  # for callers at some places, and samples are everywhere
    # A client uploads and reads by addresses that these sign; the laws of samples call for what is there.
    **{one.path("command"): ("s3:",) for one in services() if one.contents},
    **{one.path("query"): ("s3:GetObject", "s3:ListBucket") for one in services() if one.contents},
}

SIGNING = {one.path(role) for one in services() for roles in one.secrets.values() for role in roles}


@pytest.fixture(scope="module")
def asked() -> dict[str, set[UsedPermission]]:
    return by_file()


@pytest.mark.parametrize("file", [file for file in FILES if not file.startswith("pages/")])
def test_what_a_handler_calls_it_is_allowed_to(
    aws: Synthesised, asked: dict[str, set[UsedPermission]], file: str
) -> None:
    assert asked[file], "no sample reaches this handler"

    assert [one for one in asked[file] if not is_allowed(aws, file, one)] == []


def test_the_check_finds_what_is_not_allowed(aws: Synthesised) -> None:
    file, table = "views/state_log/query", "STATE_LOG_TABLE"

    assert is_allowed(aws, file, UsedPermission("dynamodb:Query", table, "/index/GSI1"))
    assert not is_allowed(aws, file, UsedPermission("dynamodb:Query", table, "/index/GSI9"))
    assert not is_allowed(aws, file, UsedPermission("dynamodb:PutItem", table))
    assert not is_allowed(aws, file, UsedPermission("dynamodb:Query", "BOARD_TABLE"))
    entry = (("events:detail-type", "state-reported"), ("events:source", "state_log"))
    assert not is_allowed(
        aws, "views/state_log/listener", UsedPermission("events:PutEvents", "BUS_NAME", conditions=entry)
    )


@pytest.mark.parametrize("file", FILES)
def test_what_a_handler_is_allowed_to_it_calls(
    aws: Synthesised, asked: dict[str, set[UsedPermission]], file: str
) -> None:
    """If it fails: declare what the role calls in GRANTS of the package, or let a sample lead to the call.

    A package without GRANTS is new: it has what its construct grants to any.
    """
    failures = OF_FAILURES if file.endswith(("/trigger", "/push")) else ()
    secrets = OF_SECRETS if file in SIGNING else ()
    wide = () if is_narrowed(file) else NOT_NARROWED
    known = OF_LAMBDA + failures + secrets + wide + NEVER_CALLED.get(file, ())

    assert [pair for pair in idle(aws, file, asked[file]) if not pair[0].startswith(known)] == []


def test_the_check_finds_what_is_never_used(aws: Synthesised) -> None:
    called = {UsedPermission("dynamodb:Query", "STATE_LOG_TABLE", f"/index/GSI{number}") for number in (1, 3)}

    [never] = {on.partition(".Arn")[2] for action, on in idle(aws, "views/state_log/query", called) if "/" in on}

    assert never == "/index/GSI2"


def is_narrowed(file: str) -> bool:
    return all(package.folder != file.rpartition("/")[0] or package.grants for package in services() + views())


def idle(aws: Synthesised, file: str, asked: set[UsedPermission]) -> list[tuple[str, str]]:
    """List the pairs of action and resource that a function is granted and never asks for."""
    environment = named_resources(aws, file)
    used = {(one.action, one.resource(environment)) for one in asked}
    return sorted(
        (action, on)
        for action, on in aws.allowed(file)
        if not any(action == called and fnmatchcase(resource, on) for called, resource in used)
    )
