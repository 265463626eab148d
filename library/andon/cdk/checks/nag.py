"""cdk-nag, and the reasons for its rules that do not apply here."""

from typing import Final

from aws_cdk import Acknowledgment, App, Aws, CfnElement, Names, Stack, Validations
from cdk_nag import AwsSolutionsChecks
from constructs import IConstruct

from andon.cdk.target import Target

RUNTIME: Final = "Python 3.13 is supported until 2029; the layer's compiled code is built for exactly this version"
TRACES: Final = "X-Ray has no resources to name: PutTraceSegments takes only *"
ALARMS: Final = "DescribeAlarms has no resources to name: CodeDeploy asks for the state of the alarms of a group"
NOT_ITSELF: Final = "this is a dead-letter queue; another one behind it would only hide messages"
REBUILT: Final = "a view: its events are in the lake, and `make fill` writes it again from them"
TRAIL_READS: Final = "the trail itself, which few read: a log of its readers would need one, too"
ANSWERS: Final = "answers to queries, gone after a month: Athena's history says who asked what"
ANSWER_KEYS: Final = "Athena chooses the key of an answer, in a bucket that holds nothing else"
COPY_READS: Final = "read by nobody until a region is lost: CloudTrail data events say more than S3's logs"
COPIED_KEYS: Final = "S3 copies every object of one bucket to one other bucket, whatever its key"
SWEPT_KEYS: Final = "who erases a person looks for the name in every object of the bucket, whatever its key"
PUBLIC_PAGE: Final = "the page's files are the same for everybody and hold no data; what it reads asks for a token"
PUBLIC_DEED: Final = "what is sent is signed by us, says itself what it may do, and is throttled apart from all else"
LIVE_TOPICS: Final = "the topics of this stack are below its name; each level is a digest of what a row says"
LIVE_BROWSERS: Final = "each session has a policy of its own, for one client id and one filter; this is all of theirs"
LIVE_ENDPOINT: Final = "DescribeEndpoint has no resources to name; a stage with a liveOrigin does without it"
OWN_THINGS: Final = "the things of this stack are named below it; which of them are there, people and claims decide"
NEW_CERTIFICATES: Final = "AWS IoT names a certificate by its digest, when it signs one for whoever has a claim"
MAIL: Final = "its From is fixed by a condition; recipients of the sandbox and a default configuration set are anyone's"
PHONES: Final = "a phone number is no resource: SNS takes only * for it, and each topic is denied"
SECRETS: Final = "links and browsers' subscriptions count while its value does: an admin decides when it is rotated"
DEVICES: Final = "devices and scripts sign in too, and cannot answer a second factor; nobody can sign up by themselves"
PLUS_TIER: Final = (
    "threat protection is priced per active user, which for a fleet of devices is a decision of its owner"
)


def audit(app: App) -> None:
    """Make the synth fail on every finding that is not acknowledged."""
    if Target.of(app).audited:
        Validations.of(app).add_plugins(AwsSolutionsChecks(app))


def acknowledge(scope: IConstruct, **reasons: str) -> None:
    """Acknowledge findings on a construct and all below it, by rule: `acknowledge(queue, SQS3="the reason")`."""
    found = [Acknowledgment(id=f"AwsSolutions-{rule}", reason=reason) for rule, reason in reasons.items()]
    Validations.of(scope).acknowledge(*found)


def acknowledge_wildcard(scope: IConstruct, resource: str, reason: str) -> None:
    """Acknowledge one wildcard in a policy, by the resource that it names; AWS's pseudo parameters may be tokens."""
    for name, token in (("Partition", Aws.PARTITION), ("Region", Aws.REGION), ("AccountId", Aws.ACCOUNT_ID)):
        resource = resource.replace(token, f"<AWS::{name}>")
    Validations.of(scope).acknowledge(Acknowledgment(id=f"AwsSolutions-IAM5[Resource::{resource}]", reason=reason))


def acknowledge_keys(scope: IConstruct, bucket: IConstruct, folder: str, reason: str) -> None:
    """Acknowledge the wildcard for the keys below a folder of a bucket."""
    acknowledge_wildcard(scope, f"<{arn_of(bucket, seen_from=scope)}>/{folder}/*", reason)


def arn_of(made: IConstruct, *, seen_from: IConstruct) -> str:
    """Return cdk-nag's name for the ARN of a construct's resource.

    From the template around its own it is that of an output, from another one that of a parameter.
    """
    resource, stack = made.node.default_child, Stack.of(made)
    if not isinstance(resource, CfnElement):
        raise TypeError(f"{made.node.path} is not one resource")
    nested, name = stack.nested_stack_resource, Names.node_unique_id(resource.node)
    seen_path = Stack.of(seen_from).node.path
    if stack.node.path == seen_path:
        return f"{stack.get_logical_id(resource)}.Arn"
    if isinstance(nested, CfnElement) and Stack.of(nested).node.path == seen_path:
        return f"{stack.resolve(nested.logical_id)}.Outputs.{name}Arn"
    output = f"{Names.node_unique_id(nested.node)}Outputs" if nested else ""
    return f"referenceto{output}{name}Arn"
