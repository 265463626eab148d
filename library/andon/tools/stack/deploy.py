"""The real `cdk deploy` of the real stack, to the emulator."""

import json
import os
import re
from pathlib import Path
from typing import Any, Final

from andon.cdk.names import FIRST_STAGE, SENDER_HERE, SINK, stack_of
from andon.project import project
from andon.runtime.json_types import JsonObject
from andon.tools.called import install
from andon.tools.stack import assets, aws, processes, sign_in_paths, sink
from andon.tools.stack.emulator import Emulator, let_through
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.nested import outputs_of, stacks_of

_BOOTSTRAPPED: Final = f"/cdk-bootstrap/{assets.QUALIFIER}/version"
NEWEST: Final = "1000"  # the CDK asks for 6 and more, according to what is deployed
_UNCOPIED: Final = "aws:cdk:disable-asset-staging"  # what is deployed at once need not be copied
_SYNTH_LIMIT_S: Final = 300
# A custom resource that fails can hang a deployment for an hour.
_DEPLOY_LIMIT_S: Final = 300
CDK: Final = project().root / "node_modules" / ".bin" / "cdk"


def bootstrap(emulator: Emulator) -> None:
    """Create what a CDK deployment looks for in an account, unless it is there: a bucket of assets, and a version.

    `cdk bootstrap` makes roles, too, of which the emulator takes any.
    """
    if not _bootstrapped(emulator):
        aws.client("s3", emulator.endpoint).create_bucket(Bucket=assets.BUCKET)
        aws.client("ssm", emulator.endpoint).put_parameter(Name=_BOOTSTRAPPED, Value=NEWEST, Type="String")


def synthesise(home: Path, emulator: Emulator) -> None:
    """Write the cloud assembly into `home`, so that two stacks at a time do not share one.

    It runs the app as `cdk synth` does, whose own start and end take half as long as the app.
    """
    settings = json.loads((project().root / "cdk.json").read_text())
    context = settings["context"] | {
        _UNCOPIED: True,
        "target": "local",
        "origin": emulator.url,
        "liveOrigin": live_origin(emulator),
        SINK: f"{emulator.endpoint}{sink.PATH}",
    }
    processes.run(
        ["sh", "-c", f"exec env {settings['app']}"],
        cwd=project().root,
        env=_environment(emulator) | {"CDK_CONTEXT_JSON": json.dumps(context), "CDK_OUTDIR": str(home / "cdk.out")},
        log=home / "cdk-synth.log",
        limit_s=_SYNTH_LIMIT_S,
    )


def deploy(home: Path, emulator: Emulator) -> dict[str, str]:
    """Deploy the assembly in `home`; return the stack's outputs, flat, with an ApiUrl that answers here."""
    assets.upload(aws.client("s3", emulator.endpoint), home / "cdk.out")
    _cdk(
        # A change set would be compared with the templates, and described, for nobody.
        ["deploy", "--all", f"--app={home / 'cdk.out'}", "--require-approval=never", "--method=direct"],
        home=home,
        emulator=emulator,
        cwd=project().root,
        limit_s=_DEPLOY_LIMIT_S,
    )
    _verify_sender(emulator)
    flat = outputs_of(aws.client("cloudformation", emulator.endpoint), stack_of(FIRST_STAGE))
    let_through(home, {"/": api_path(flat["ApiUrl"])} | sign_in_paths.routes(flat["UserPoolId"]))
    return flat | {"ApiUrl": emulator.url, "Endpoint": emulator.endpoint}


def _verify_sender(emulator: Emulator) -> None:
    """Let mail come from the address of this machine, as whoever reads its mail does on AWS."""
    aws.client("ses", emulator.endpoint).verify_email_identity(EmailAddress=SENDER_HERE)


def live_origin(emulator: Emulator) -> str:
    """Return the browser's WebSocket origin of the broker; its host name tells the emulator the service."""
    return f"ws://data-ats.iot.{aws.REGION}.localhost:{emulator.port}"


def api_path(on_aws: str) -> str:
    """Return the path at which the emulator serves the API whose address on AWS is `on_aws`, with a slash at its end.

    The stage `$default` need not be in it.
    """
    found = re.match(r"https?://([^./]+)\.execute-api\.", on_aws)
    if not found:
        raise ToolFailed(f"the stack's ApiUrl is not one of API Gateway: {on_aws}")
    return f"/_aws/execute-api/{found[1]}/"


def apply_what_was_dropped(emulator: Emulator) -> None:
    """Turn on each table's TTL, which the emulator's CloudFormation ignores."""
    cloudformation, dynamodb = (aws.client(service, emulator.endpoint) for service in ("cloudformation", "dynamodb"))
    for stack in stacks_of(cloudformation, stack_of(FIRST_STAGE)):
        template = cloudformation.get_template(StackName=stack)["TemplateBody"]
        if wanted := ttl_specifications(template if isinstance(template, dict) else json.loads(template)):
            for resource in cloudformation.describe_stack_resources(StackName=stack)["StackResources"]:
                if specification := wanted.get(resource["LogicalResourceId"]):
                    _enable_ttl(dynamodb, resource["PhysicalResourceId"], specification)


def ttl_specifications(template: JsonObject) -> JsonObject:
    """Return the TTL specification of each table in a template, by logical id."""
    return {
        logical_id: resource["Properties"]["TimeToLiveSpecification"]
        for logical_id, resource in template.get("Resources", {}).items()
        if resource["Type"] in {"AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable"}
        and "TimeToLiveSpecification" in resource["Properties"]
    }


def _enable_ttl(dynamodb: Any, table: str, specification: JsonObject) -> None:  # noqa: ANN401  a client
    described = dynamodb.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    if described["TimeToLiveStatus"] != "ENABLED":  # DynamoDB refuses to enable it twice
        dynamodb.update_time_to_live(
            TableName=table, TimeToLiveSpecification={"Enabled": True, "AttributeName": specification["AttributeName"]}
        )


def _bootstrapped(emulator: Emulator) -> bool:
    ssm = aws.client("ssm", emulator.endpoint)
    try:
        ssm.get_parameter(Name=_BOOTSTRAPPED)
    except ssm.exceptions.ParameterNotFound:
        return False
    return True


def _cdk(arguments: list[str], *, home: Path, emulator: Emulator, cwd: Path, limit_s: float) -> None:
    if not CDK.exists():
        raise ToolFailed(f"the CDK's command line is not installed, as {CDK}; {install()}")
    processes.run(
        [str(CDK), *arguments, "--no-notices", "--no-color"],
        cwd=cwd,
        env=_environment(emulator),
        log=home / f"cdk-{arguments[0]}.log",
        limit_s=limit_s,
    )


def _environment(emulator: Emulator) -> dict[str, str]:
    # The person's own, for pip builds the layer during a synth and may need proxies and certificates;
    # but nothing of AWS, so that a profile can never send this to a real account.
    own = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "CDK_"))}
    direct = ",".join(filter(None, ("127.0.0.1", own.get("NO_PROXY"), own.get("no_proxy"))))
    return own | {
        "AWS_ENDPOINT_URL": emulator.endpoint,
        "AWS_ACCESS_KEY_ID": aws.KEY,
        "AWS_SECRET_ACCESS_KEY": aws.KEY,
        "AWS_REGION": aws.REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "CDK_DEFAULT_ACCOUNT": aws.ACCOUNT,
        "CDK_DEFAULT_REGION": aws.REGION,
        "CDK_DISABLE_CLI_TELEMETRY": "true",
        "CDK_DISABLE_STACK_TRACE": "true",  # of the metadata, which each event of a deployment has read again
        "CDK_DISABLE_VERSION_CHECK": "true",
        "CDK_VALIDATION": "false",  # rules of AWS for templates, half of a synth's time
        "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "20",
        "NODE_NO_WARNINGS": "1",  # or they crowd out what went wrong
        "NO_PROXY": direct,
        "no_proxy": direct,
    }
