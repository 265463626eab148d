"""A page's files, for a browser, from the same origin as the API that it calls."""

from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.event_hub import EventHub
from andon.cdk.live import live_origin
from andon.cdk.names import pascal
from andon.cdk.package_stack import tell
from andon.cdk.part import Part
from andon.cdk.target import Target
from andon.packages.package import Package


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
        tell(self.stack, f"{pascal(self.package.name)}Url", self.api.page_url, "a page")
