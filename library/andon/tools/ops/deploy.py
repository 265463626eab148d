"""`make deploy`: a stage to AWS. It says which quota is too small, deploys, and protects what keeps data afterwards.

What is new is taken back by CloudFormation if the deployment fails. It cannot delete what refuses deletion: a stack
would end in ROLLBACK_FAILED, a table would be left behind without one. So each table and stack is deployed without
protections first, and once more with them. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/WorkingWithTables.Basics.html
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from math import ceil
from typing import Any, Final, TypeVar

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from andon.cdk import stage as stages
from andon.cdk.function import ALIAS
from andon.cdk.names import FIRST_STAGE, pascal, stack_of
from andon.cdk.stage import Stage
from andon.cdk.target import ALL, REPAIR, UNPROTECTED
from andon.cdk.throttles import Throttle
from andon.packages.discovery import packages
from andon.project import project
from andon.runtime import clock
from andon.tools.called import as_called, install
from andon.tools.ops import catch_up, kept
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.nested import outputs_of, resources_of, stacks_of
from andon.tools.views.deployed import Deployed

CDK: Final = project().root / "node_modules" / ".bin" / "cdk"

# A stack that was never created as a whole. `cdk deploy` deletes it before it tries again.
_NEVER_CREATED: Final = frozenset(
    {"CREATE_FAILED", "DELETE_COMPLETE", "REVIEW_IN_PROGRESS", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED"}
)
ABSENT: Final = "does not exist"

# Of all functions of an account in a region. New accounts have less until AWS raises it, or somebody asks.
# https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
_USUAL_WORKERS: Final = 1_000
_WORKERS_QUOTA: Final = "L-B99A9384"
TOO_FEW: Final = """\
Lambda runs at most {limit:,} functions at a time in this account and region; this stage is made for {needed:,}.
Until there are so many, requests get 503, and listeners lose attempts. To ask for them:
  aws service-quotas request-service-quota-increase --service-code lambda \\
      --quota-code {quota} --desired-value {needed}"""

Read = TypeVar("Read")

# Of each function with a canary: to go back by hand beyond the last deployment.
_KEPT_VERSIONS: Final = 5


def is_created(cloudformation: Any, stack: str) -> bool:  # noqa: ANN401  boto3's
    """Return True if a stack has been deployed with success before."""
    try:
        [described] = cloudformation.describe_stacks(StackName=stack)["Stacks"]
    except ClientError as error:
        if ABSENT in error.response["Error"].get("Message", ""):
            return False
        raise
    return described["StackStatus"] not in _NEVER_CREATED


def deployed_in(cloudformation: Any, stack: str) -> frozenset[str] | None:  # noqa: ANN401
    """Return the outputs of a stack and those nested in it; None: it was never created."""
    return frozenset(outputs_of(cloudformation, stack)) if is_created(cloudformation, stack) else None


def deployments(declared: AbstractSet[str], deployed: AbstractSet[str] | None) -> list[list[str]]:
    """Return the arguments of each deployment in turn; the last one protects.

    declared: the outputs of all tables. deployed: the outputs of the stack; None: it was never created.
    """
    new = ALL if deployed is None else ",".join(sorted(declared - deployed))
    return [[f"--context={UNPROTECTED}={new}"], []] if new else [[]]


def declared_tables() -> frozenset[str]:
    """Return the outputs of the tables of all packages."""
    return frozenset(pascal(variable) for package in packages() for variable in package.tables)


def workers_needed(stage: Stage) -> int:
    """Return the functions that may have to run at a time: each report of a burst takes a worker."""
    burst = Throttle.of(stage.reports_per_second).burst
    return max(_USUAL_WORKERS, ceil(burst / _USUAL_WORKERS) * _USUAL_WORKERS)


def advice(limit: int, needed: int) -> str:
    """Return advice on a quota to ask AWS for; empty if the limit is large enough."""
    return "" if limit >= needed else TOO_FEW.format(limit=limit, needed=needed, quota=_WORKERS_QUOTA)


def outdated(versions: Sequence[str], aliased: frozenset[str]) -> list[str]:
    """Return the numbers of a function's versions that can go: all but the newest ones and those that are called."""
    numbers = sorted((one for one in versions if one.isdecimal()), key=int)
    return [one for one in numbers[:-_KEPT_VERSIONS] if one not in aliased]


def forget_old_versions(lambda_: Any, functions: Iterable[str]) -> int:  # noqa: ANN401  boto3's
    """Delete the versions of functions that are too old to go back to; return their number.

    CloudFormation leaves them: it would delete the version before with each deployment.
    """
    deleted = 0
    for function in functions:
        listed = [*_listed(lambda_, "list_versions_by_function", "Versions", function)]
        aliases = _listed(lambda_, "list_aliases", "Aliases", function)
        called = frozenset(number for alias in aliases for number in _called(alias))
        for number in outdated([one["Version"] for one in listed], called):
            lambda_.delete_function(FunctionName=function, Qualifier=number)
            deleted += 1
    return deleted


def _functions_with_alias(cloudformation: Any, stack: str) -> Iterator[str]:  # noqa: ANN401
    """Yield the functions of a stack that have a canary."""
    for one in stacks_of(cloudformation, stack):
        for alias in resources_of(cloudformation, one, "AWS::Lambda::Alias"):
            yield alias.removesuffix(f":{ALIAS}")


def _listed(lambda_: Any, operation: str, members: str, function: str) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    for page in lambda_.get_paginator(operation).paginate(FunctionName=function):
        yield from page[members]


def _called(alias: Mapping[str, Any]) -> list[str]:
    return [alias["FunctionVersion"], *alias.get("RoutingConfig", {}).get("AdditionalVersionWeights", {})]


def _stage(name: str) -> Stage:
    settings = json.loads((project().root / "cdk.json").read_text())["context"]["stages"]
    if name not in settings:
        raise ToolFailed(f"there is no stage {name} in cdk.json; there is {', '.join(settings)}")
    return stages.read(name, settings[name])


def asked(about: str, ask: Callable[[], Read], otherwise: Read) -> Read:
    """Return AWS's answer; a deployment does not fail for want of it."""
    try:
        return ask()
    except (BotoCoreError, ClientError) as error:
        print(f"{about} could not be read: {error}", file=sys.stderr)
        return otherwise


def _deploy(arguments: Sequence[str]) -> None:
    if not CDK.exists():
        raise ToolFailed(f"the CDK's command line is not installed, as {CDK}; {install()}")
    subprocess.run([str(CDK), "deploy", "--all", *arguments], cwd=project().root, check=True)


def _foreseen(session: boto3.Session, stage: str) -> list[str]:
    """Return lines about facts that subscribers would miss, and about data left behind, if a stage is deployed again.

    Raises:
        ToolFailed: it would lose something that it keeps, and that nobody named.

    """
    cloudformation, stack = session.client("cloudformation"), stack_of(stage)
    if not asked(f"the stack {stack}", lambda: is_created(cloudformation, stack), otherwise=False):
        return []
    now_ms, unknown = clock.now_ms(), list[str]()
    left = asked("what is deployed", lambda: [*kept.of_deployment(cloudformation, stack, stage)], unknown)

    def missed() -> list[str]:
        there = Deployed(stack, outputs_of(cloudformation, stack), session.client, settles_s=0)
        return [*catch_up.of_deployment(there, now_ms=now_ms)]

    return left + asked("the rules of the bus", missed, unknown)


def deploy(stage: Stage, arguments: Sequence[str], *, repair: bool = False) -> None:
    """Deploy a stage with more arguments for `cdk deploy`; what is new first without protections, then with them.

    repair: even while a roll-back alarm rings.
    """
    session, stack = boto3.Session(region_name=stage.deployed_region), stack_of(stage.name)
    lambda_, cloudformation = session.client("lambda"), session.client("cloudformation")
    for words in _foreseen(session, stage.name):
        print(words)
    needed = workers_needed(stage)
    limit = asked(
        "the quota of Lambda",
        lambda: int(lambda_.get_account_settings()["AccountLimit"]["ConcurrentExecutions"]),
        needed,
    )
    if few := advice(limit, needed):
        print(few)
    declared, mending = declared_tables(), [f"--context={REPAIR}=true"] if repair else []
    known: frozenset[str] | None = declared
    deployed = asked(f"the stack {stack}", lambda: deployed_in(cloudformation, stack), otherwise=known)
    for context in deployments(declared, deployed):
        _deploy([f"--context=stage={stage.name}", *mending, *context, *arguments])
    functions = _functions_with_alias(cloudformation, stack)
    if gone := asked("old versions", lambda: forget_old_versions(lambda_, functions), 0):
        print(f"{gone} old versions of functions deleted")


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(prog=as_called("deploy"), description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--stage", default=FIRST_STAGE, help="a stage of cdk.json")
    parser.add_argument("--repair", action="store_true", help="even while a roll-back alarm rings")
    parser.add_argument("--settings", action="store_true", help="print the JSON Schema of a stage's settings instead")
    asked, others = parser.parse_known_args()
    if asked.settings:
        print(json.dumps(stages.schema(), indent=2))
        return
    try:
        deploy(_stage(asked.stage), others, repair=asked.repair)
    except subprocess.CalledProcessError as failed:
        sys.exit(failed.returncode)


if __name__ == "__main__":
    main()
