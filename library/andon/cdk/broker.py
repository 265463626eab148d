"""Names of AWS IoT's resources, as policies have them, and a condition that policies share."""

from typing import Final

from aws_cdk import Aws

# The broker publishes a will when it likes, and names nobody as its principal.
WITHOUT_A_WILL: Final = {"ForAllValues:StringNotEquals": {"iot:ConnectAttributes": ["LastWill"]}}


def arn_of(resource: str) -> str:
    """Return the ARN of a resource of AWS IoT, as `topic/a/b`, of this account in this region."""
    return f"arn:{Aws.PARTITION}:iot:{Aws.REGION}:{Aws.ACCOUNT_ID}:{resource}"
