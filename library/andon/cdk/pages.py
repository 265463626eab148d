"""Pages: their files, for a browser, from the origin of the API that they call; and the way of changes to them."""

from typing import Final

from aws_cdk import Aws
from aws_cdk import aws_iam as iam
from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.changes import CHANGED, NOTHING, failure_store, follow
from andon.cdk.checks import nag
from andon.cdk.event_hub import EventHub
from andon.cdk.function import Function
from andon.cdk.names import pascal
from andon.cdk.owned_table import OwnedTable
from andon.cdk.package_stack import add_output
from andon.cdk.part import Part
from andon.cdk.target import Target
from andon.cdk.things import arn_of
from andon.live import connection
from andon.packages.package import Package

# The way of changes to pages: topics of AWS IoT's broker, and the role with which a browser subscribes to them.

# Every screen reads all of it again within this time, so that what is older is of no use any more.
_PUSHED_WITHIN_SECONDS: Final = 300

# The SDKs' variable, and this wire's. Without it messages go to the region's common host, which is for trying out.
# https://docs.aws.amazon.com/sdkref/latest/guide/ss-endpoints-table.html
# https://docs.aws.amazon.com/general/latest/gr/iot-core.html#iot-core-data-plane-endpoints
BROKER: Final = "AWS_ENDPOINT_URL_IOT_DATA_PLANE"


def live_origin(scope: Construct) -> str:
    """Return the origin of the broker's WebSocket, as a page's Content-Security-Policy names it.

    AWS tells nobody the account's own host at synth; so it is any of the region, unless the stage's `liveOrigin` names
    that of `aws iot describe-endpoint --endpoint-type iot:Data-ATS`.
    """
    return Target.of(scope).stage.live_origin or f"wss://*.iot.{Aws.REGION}.{Aws.URL_SUFFIX}"


class Live(Construct):
    """Live updates from a table's changes to subscribers: push publishes, query lets browsers connect.

    speaks: False passes over the changes as they come, so that push begins with the newest one once it is True.
    """

    def __init__(
        self, scope: Construct, table: OwnedTable, *, push: Function, query: Function, speaks: bool = True
    ) -> None:
        super().__init__(scope, "Live")
        self._root = Target.of(self).stack_name  # for all of an account in a region share one broker
        self.role = self._browser(query)
        for function in (push, query):
            function.handler.add_environment(connection.ROOT, self._root)
        self._publishing(push)
        self._connecting(query)
        filters = CHANGED if speaks else NOTHING
        failures, batch = failure_store(self, push), Target.of(self).push_batch
        follow(table, push, failures, filters, batch=batch, within_seconds=_PUSHED_WITHIN_SECONDS)

    def _browser(self, query: Function) -> iam.Role:
        """Create the role that the query assumes for a browser: less than this, for one client id and one filter."""
        assumed_by = iam.ArnPrincipal(query.iam_role.role_arn)
        role = iam.Role(self, "Browser", assumed_by=assumed_by, description="A browser subscribes to changes")
        allowed = {
            "iot:Connect": arn_of(f"client/{self._root}-*"),
            "iot:Subscribe": arn_of(f"topicfilter/{self._root}/*"),
            "iot:Receive": arn_of(f"topic/{self._root}/*"),
        }
        for action, resource in allowed.items():
            role.add_to_policy(iam.PolicyStatement(actions=[action], resources=[resource]))
            nag.acknowledge_wildcard(role, resource, nag.LIVE_BROWSERS)
        return role

    def _publishing(self, push: Function) -> None:
        topics = arn_of(f"topic/{self._root}/*")
        push.grant(["iot:Publish"], [topics])
        if (origin := Target.of(self).stage.live_origin) and origin.startswith("wss://"):
            push.handler.add_environment(BROKER, origin.replace("wss://", "https://", 1))
        nag.acknowledge_wildcard(push, topics, nag.LIVE_TOPICS)

    def _connecting(self, query: Function) -> None:
        query.handler.add_environment(connection.ROLE, self.role.role_arn)
        # Not within the query's role: each of the two roles would have to exist before the other.
        assuming = iam.PolicyStatement(actions=["sts:AssumeRole"], resources=[self.role.role_arn])
        query.iam_role.add_to_principal_policy(assuming)
        if origin := Target.of(self).stage.live_origin:
            query.handler.add_environment(connection.ORIGIN, origin)
        else:
            query.grant(["iot:DescribeEndpoint"], ["*"])
            nag.acknowledge_wildcard(query, "*", nag.LIVE_ENDPOINT)


# A page's files, for a browser, from the same origin as the API that it calls.


class Page(Part):
    """A page, with its deployment's settings in its function's environment."""

    def __init__(self, scope: Construct, name: str, hub: EventHub, api: Api, *, formerly: str | None = None) -> None:
        # A view may have the same name.
        super().__init__(scope, Package("pages", name), hub, api, suffix="Page", formerly=formerly)

    def build(self) -> None:
        """Create its function, and serve its files to everybody."""
        sign_in, push_key = self.api.sign_in, Target.of(self.stack).stage.push_key
        functions = self.create_functions(
            {
                "ISSUER": sign_in.issuer,
                "CLIENT_ID": sign_in.people.user_pool_client_id,
                "WALL_CLIENT_ID": sign_in.walls.user_pool_client_id,
                "SIGN_IN_ORIGIN": sign_in.origin,
                "LIVE_ORIGIN": live_origin(self.stack),
                **({"PUSH_KEY": push_key} if push_key else {}),
            }
        )
        self.serve(functions)
        add_output(self.stack, f"{pascal(self.package.name)}Url", self.api.page_url, "a page")
