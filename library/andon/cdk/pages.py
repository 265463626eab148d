"""What a browser gets: a page's files, from the same origin as the API that it calls."""

from aws_cdk import CfnOutput, Stack
from constructs import Construct

from andon.cdk.api import Api
from andon.cdk.function import functions_of
from andon.cdk.live import live_origin
from andon.cdk.names import pascal
from andon.packages.package import Package


class Page(Construct):
    """A page, with what it has to know of the deployment in its function's environment."""

    def __init__(self, scope: Construct, name: str, api: Api) -> None:
        super().__init__(scope, f"{name}Page")  # a view may have the same name
        package, sign_in = Package("pages", name), api.sign_in
        environment = {
            "ISSUER": sign_in.issuer,
            "CLIENT_ID": sign_in.people.user_pool_client_id,
            "WALL_CLIENT_ID": sign_in.walls.user_pool_client_id,
            "SIGN_IN_ORIGIN": sign_in.origin,
            "LIVE_ORIGIN": live_origin(self),
        }
        api.serve(package.routes, functions_of(self, package, environment), public=True)
        CfnOutput(Stack.of(self), f"{pascal(name)}Url", value=api.page_url)
