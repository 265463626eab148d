"""Names of AWS IoT's resources, as policies have them, and a condition that policies share."""

from typing import Final

from aws_cdk import Aws
from constructs import Construct

from andon.cdk.checks import nag

# The broker publishes a will when it likes, and names nobody as its principal.
WITHOUT_A_WILL: Final = {"ForAllValues:StringNotEquals": {"iot:ConnectAttributes": ["LastWill"]}}


def arn_of(resource: str) -> str:
    """Return the ARN of a resource of AWS IoT, as `topic/a/b`, of this account in this region."""
    return f"arn:{Aws.PARTITION}:iot:{Aws.REGION}:{Aws.ACCOUNT_ID}:{resource}"


def acknowledge_wildcard(scope: Construct, arn: str, reason: str) -> None:
    """Acknowledge a wildcard in a policy, by the ARN that it names."""
    named = arn.replace(Aws.PARTITION, "<AWS::Partition>").replace(Aws.REGION, "<AWS::Region>")
    nag.acknowledge_wildcard(scope, named.replace(Aws.ACCOUNT_ID, "<AWS::AccountId>"), reason)
