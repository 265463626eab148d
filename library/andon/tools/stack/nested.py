"""A deployed stack with its nested ones: each package has a template, and outputs, of its own."""

from collections.abc import Iterator
from typing import Any, Final

NESTED: Final = "AWS::CloudFormation::Stack"


def stacks_of(cloudformation: Any, name: str) -> Iterator[str]:  # noqa: ANN401  boto3's
    """Yield the name of a stack, and the ids of the stacks nested in it."""
    yield name
    yield from resources_of(cloudformation, name, NESTED)


def resources_of(cloudformation: Any, stack: str, kind: str) -> Iterator[str]:  # noqa: ANN401
    """Yield the physical ids of a stack's own resources of a type, as far as they are made."""
    for page in cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack):
        for resource in page["StackResourceSummaries"]:
            if resource["ResourceType"] == kind and resource.get("PhysicalResourceId"):
                yield resource["PhysicalResourceId"]


def outputs_of(cloudformation: Any, name: str) -> dict[str, str]:  # noqa: ANN401
    """Return the outputs of a stack and of its nested ones; those without a description are CDK's own, and left out."""
    found: dict[str, str] = {}
    for stack in stacks_of(cloudformation, name):
        [described] = cloudformation.describe_stacks(StackName=stack)["Stacks"]
        outputs = (output for output in described.get("Outputs", []) if output.get("Description"))
        found |= {output["OutputKey"]: output["OutputValue"] for output in outputs}
    return found
