"""The nested stack of a package, the order of several, the root stack around them, outputs under their own names."""

from collections.abc import Mapping

from aws_cdk import CfnOutput, NestedStack, Stack
from constructs import Construct, IConstruct

from andon.packages.discovery import deployed_first, subscriptions_among
from andon.packages.package import Package


class PackageStack(NestedStack):
    """A template of a package's own, within the one deployment of the root stack.

    CloudFormation takes 500 resources, 200 parameters and 200 outputs in a template.
    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
    """

    def __init__(self, scope: Construct, name: str, *, logical_id: str, description: str) -> None:
        super().__init__(scope, name, description=description)
        # It begins the names of all resources in it: CDK's own is 48 characters long.
        made = self.nested_stack_resource
        if made is None:
            raise TypeError(f"{name} is no nested stack")
        made.override_logical_id(logical_id)


def order(stacks: Mapping[Package, Stack]) -> None:
    """Let the stack of a fact's publisher wait for its subscribers' stacks, where that makes no circle."""
    for publisher, subscribers in deployed_first(subscriptions_among(stacks)).before.items():
        for subscriber in sorted(subscribers, key=lambda one: one.folder):
            stacks[publisher].add_stack_dependency(stacks[subscriber], "subscribes to its facts")


def root_of(scope: IConstruct) -> Stack:
    """Return the stack that is deployed, whichever nested one a scope is in."""
    stack = Stack.of(scope)
    while stack.nested_stack_parent:
        stack = stack.nested_stack_parent
    return stack


def add_output(scope: Construct, name: str, value: str, description: str) -> None:
    """Make a value an output of the scope's template, under exactly this name.

    description: tells it apart from the outputs that CDK writes for other templates, which have none.
    """
    stack = Stack.of(scope)
    outputs = stack.node.try_find_child("Outputs") or Construct(stack, "Outputs")
    CfnOutput(outputs, name, value=value, description=description).override_logical_id(name)  # type: ignore[arg-type]
