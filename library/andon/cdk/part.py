"""A part of the system: a line of the stack declares it, `EventHub.close` builds it."""

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Final

from aws_cdk import Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.event_hub import EventHub
from andon.cdk.function import Function, functions_of
from andon.cdk.names import pascal
from andon.cdk.operations.signals import Watched
from andon.cdk.owned_table import let_find_subjects
from andon.cdk.package_stack import PackageStack
from andon.cdk.target import Target
from andon.cdk.throttles import Throttle
from andon.http import places
from andon.packages.discovery import role_of
from andon.packages.package import Package

NOTHING: Final = (
    "functions/{folder} has no handler, so that its template would be empty: write command.py or query.py there, or "
    "what a handler follows from (see `andon/packages/package.py`), or take its line out of the stack."
)


class Part:
    """A package on the bus or behind the API, with a nested stack of its own.

    Nothing is created before all parts are declared, so that the order of the lines that declare them has no meaning:
    `build` creates what the part can create alone, in the order of names; then `connect` brings together what several
    have created, and `finish` does what needs all of it.

    formerly: the name that the package had when it was first deployed, by which CloudFormation knows its stack.
    """

    def __init__(
        self,
        scope: Construct,
        package: Package,
        hub: EventHub,
        api: Api,
        *,
        suffix: str = "",
        formerly: str | None = None,
    ) -> None:
        if not package.roles:
            raise ValueError(NOTHING.format(folder=package.folder))
        self.package, self.hub, self.api = package, hub, api
        self.name = f"{package.name}{suffix}"
        self._serving: Mapping[str, Function] = {}
        self._scope, self._logical_id = scope, f"{pascal(formerly or package.name)}{suffix}"
        hub.declare(self)

    @cached_property
    def stack(self) -> PackageStack:
        """The part's template."""
        description = f"{self._scope.node.id}: {self.package.side}/{self.package.name}"
        return PackageStack(self._scope, self.name, logical_id=self._logical_id, description=description)

    def build(self) -> None:
        """Create the resources that depend on no other part."""
        raise NotImplementedError

    def connect(self) -> None:
        """Connect the part's resources with those of other parts; here, with the view that says where subjects are."""
        let_find_subjects(self.package, self._serving, self.hub.tables)

    def finish(self) -> None:
        """Do the steps that need all constructs of the parts."""

    def signals(self) -> Iterator[Watched]:
        """Yield the watched things of no single resource of it."""
        yield from ()

    def widgets(self) -> Iterator[list[cloudwatch.ConcreteWidget]]:
        """Yield the rows of the dashboard about it, besides those of its functions."""
        yield from ()

    def create_functions(self, environment: Mapping[str, str], *, but: Collection[str] = ()) -> dict[str, Function]:
        """Create a function for each handler, by role, but for some."""
        return functions_of(self.stack, self.package, dict(environment), but=but)

    def serve(
        self,
        functions: Mapping[str, Function],
        *,
        throttles: Mapping[str, Throttle] | None = None,
    ) -> None:
        """Let the API call the functions behind the routes, and lead the routes to them, see `Api.serve`."""
        self.api.serve(self.package.routes, functions, public=self.package.public, throttles=throttles)
        for role in sorted({role_of(route) for route in self.package.routes}):
            self.api.admit(functions[role])
            if self.package.side != "pages" and Target.of(self._scope).stage.places_required:
                functions[role].handler.add_environment(places.VARIABLE, "1")
        self._serving = functions


# The root stack of a project.

_NOTES: Final = ("aws:cdk:disable-logicalId-metadata", "aws:cdk:disable-creation-stack-traces")
"""Context without which the CDK notes where each resource is declared."""


class RootStack(Stack):
    """Bus, API, and a nested stack for each package; a project's own says in `declare` which it has."""

    def __init__(self, scope: Construct) -> None:
        target = Target.of(scope)
        super().__init__(
            scope,
            target.stack_name,
            description=target.project.title,
            env=target.environment,
            synthesizer=target.synthesizer,
            termination_protection=target.protected,
        )
        if not target.annotated:
            for name in _NOTES:
                self.node.set_context(name, value=True)
        hub, api = EventHub(self), Api(self)
        self.declare(hub, api)
        hub.close()

    def declare(self, hub: EventHub, api: Api) -> None:
        """Declare the packages, in any order."""
        raise NotImplementedError
