"""The live connection of the board."""

from constructs import Construct

from infra.target import Target


def live_origin(scope: Construct) -> str:
    """Return the origin of the live connection, for a page's security policy."""
    local = "ws://data-ats.iot.us-east-1.localhost:4566"
    given: str | None = scope.node.try_get_context("liveOrigin")
    return given or (local if Target.of(scope).name == "local" else "wss://*.iot.amazonaws.com")
