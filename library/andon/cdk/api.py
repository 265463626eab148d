"""The HTTP API. It checks the caller's token; each handler checks the caller's groups against those of its route.

Only a page's own files, and routes that are declared public, are there for everybody.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from math import ceil
from typing import Final

from aws_cdk import Aws, Duration, Fn, RemovalPolicy
from aws_cdk import aws_apigatewayv2 as gateway
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cognito as cognito
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk.aws_apigatewayv2_authorizers import HttpUserPoolAuthorizer
from aws_cdk.aws_apigatewayv2_integrations import HttpLambdaIntegration
from constructs import Construct

from andon.cdk.checks import nag
from andon.cdk.function import Function, rollback_alarm
from andon.cdk.package_stack import add_output
from andon.cdk.target import Target
from andon.cdk.throttles import Throttle
from andon.packages.discovery import role_of
from andon.project import project
from andon.runtime.log import STAGE

# People's sign-in to the page: on Cognito's page, by code and PKCE (RFC 7636).

READ: Final = "read"

# A shift with overtime. The page keeps a person's tokens no longer than its tab is open.
PERSON: Final = Duration.hours(12)
# A screen on the wall restarts at night and nobody is there to sign in. It may only read, so a quarter of a year.
WALL: Final = Duration.days(90)
ACCESS: Final = Duration.hours(1)  # a withdrawn right is gone after this, at the latest

# Requests for tokens a second, of all user pools of an account in a region; half of them is for who signs in.
# https://docs.aws.amazon.com/cognito/latest/developerguide/quotas.html
_TOKENS_PER_SECOND: Final = 120
_SHARE_OF_DEVICES: Final = 0.5
_LONGEST_HOURS: Final = 24  # that Cognito allows
_REPORTS_EACH_SECONDS: Final = 300  # of a device; a stage is planned for twice as many
_GRACE: Final = Duration.seconds(60)  # the most: a refresh whose response was lost can be tried again

# Who signs in through Cognito's API gets the scope of people, whatever the client's scopes are; only its page heeds
# them. So this API is left to whoever has AWS credentials. Not empty: that would be SRP and others, by default.
# https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html
# https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateUserPoolClient.html
FLOWS: Final = cognito.AuthFlow(admin_user_password=True)


class SignIn(Construct):
    """Cognito's page, the app client of people, and the read-only one of screens on the wall."""

    def __init__(self, scope: Construct, pool: cognito.UserPool, *, page: str) -> None:
        super().__init__(scope, "SignIn")
        self.pool, self._page = pool, page
        target = Target.of(self)
        name = target.project.name.lower()
        self.read_scope = f"{name}/{READ}"
        read = cognito.ResourceServerScope(scope_name=READ, scope_description="Read what the API answers")
        server = pool.add_resource_server("Read", identifier=name, scopes=[read])
        self.people = self._client("People", PERSON, cognito.OAuthScope.COGNITO_ADMIN)
        self.walls = self._client("Walls", WALL, cognito.OAuthScope.resource_server(server, read))
        domain = pool.add_domain("Domain", cognito_domain=cognito.CognitoDomainOptions(domain_prefix=_prefix(name)))
        self.origin, self.issuer = domain.base_url(), pool.user_pool_provider_url
        if target.stage.origin and target.serves_sign_in:
            self.origin, self.issuer = target.stage.origin, f"{target.stage.origin}/{pool.user_pool_id}"
        add_output(self, "PageClientId", self.people.user_pool_client_id, "the app client of the page")

    def _client(self, name: str, lasts: Duration, scope: cognito.OAuthScope) -> cognito.UserPoolClient:
        return self.pool.add_client(
            name,
            generate_secret=False,
            auth_flows=FLOWS,
            o_auth=cognito.OAuthSettings(
                flows=cognito.OAuthFlows(authorization_code_grant=True),
                scopes=[cognito.OAuthScope.OPENID, scope],
                callback_urls=[self._page],
                logout_urls=[self._page],
            ),
            supported_identity_providers=[cognito.UserPoolClientIdentityProvider.COGNITO],
            prevent_user_existence_errors=True,
            enable_token_revocation=True,
            access_token_validity=ACCESS,
            id_token_validity=ACCESS,
            refresh_token_validity=lasts,
            refresh_token_rotation_grace_period=_GRACE,
        )


def hours_of_device(planned_reports: float) -> int:
    """Return the life of a device's token: an hour, or more if Cognito could not renew those of all devices so often.

    planned_reports: a second, of the stage.
    """
    devices = planned_reports / 2 * _REPORTS_EACH_SECONDS
    return min(_LONGEST_HOURS, max(1, ceil(devices / (_TOKENS_PER_SECOND * _SHARE_OF_DEVICES * 3600))))


def _prefix(project: str) -> str:
    """Return the prefix of the sign-in page's domain, unique in the region: it has this stack's id."""
    return f"{project}-{Fn.select(2, Fn.split('/', Aws.STACK_ID))}"


# Ids and outcomes. Not paths and queries: they name people.
# A throttled request has no function's log line: only these lines say it.
LOGGED: Final = {
    "requestId": "$context.requestId",
    "routeKey": "$context.routeKey",
    "status": "$context.status",
    "functionStatus": "$context.integration.status",  # of the function; none if it was not called
    "responseLatency": "$context.responseLatency",
    "subject": "$context.authorizer.claims.sub",
    "authorizerError": "$context.authorizer.error",
    "integrationError": "$context.integrationErrorMessage",
}
# Cognito writes it into each access token of who signs in through its API, and into no ID token.
# https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html
ACCESS_SCOPE: Final = "aws.cognito.signin.user.admin"
THROTTLED: Final = "throttled"  # the metric of 429 responses

_PASSWORDS: Final = cognito.PasswordPolicy(
    min_length=12, require_lowercase=True, require_uppercase=True, require_digits=True, require_symbols=True
)


class Api(Construct):
    """One API for all services, views and stores."""

    def __init__(self, scope: Construct) -> None:
        super().__init__(scope, "Api")
        self._target = Target.of(self)
        self.http = gateway.HttpApi(self, "Http", create_default_stage=False)
        self._throttles: dict[str, dict[str, float]] = {}
        self._routes = 0
        self._stage = self._deployed()
        self._failing = self._failing_alarm() if self._target.deployment and self._target.stage.alarms else None
        self.page_origin = self._target.stage.origin or self.http.api_endpoint
        self.page_url = f"{self.page_origin}/"
        pool = self._users()
        client = self._client(pool)
        self.sign_in = SignIn(self, pool, page=self.page_url)
        clients = [client, self.sign_in.people, self.sign_in.walls]
        self._authorizer = HttpUserPoolAuthorizer("Users", pool, user_pool_clients=clients)

    def serve(
        self,
        routes: Mapping[str, frozenset[str]],
        functions: Mapping[str, Function],
        *,
        public: Collection[str] = (),
        throttles: Mapping[str, Throttle] | None = None,
    ) -> None:
        """Send a package's routes to its functions: reads to the query, all else to the command.

        routes: the groups that may call each; those on which devices report are throttled apart from those of people.
        throttles: of single routes. public: those that ask for no token.

        Routes stand in the root stack: a switch to a view's next version changes which function they lead to. In the
        templates of the two versions, each would be created in one before it is deleted in the other.

        Raises:
            ValueError: a route needs a handler file that does not exist.

        """
        integrations: dict[str, HttpLambdaIntegration] = {}
        for route, callers in routes.items():
            role = role_of(route)
            if role not in functions:
                raise ValueError(f"{route} needs a handler file {role}.py")
            if role not in integrations:
                self._roll_back(functions[role])
                integrations[role] = self._integration(functions[role])
            made = self._add_route(route, integrations[role], public=route in public)
            throttle = (throttles or {}).get(route)
            if project().groups.reporting & callers:
                throttle = throttle or self._target.reports
            if throttle:
                self._throttle(route, made, throttle)
            self._routes += 1

    @property
    def per_second(self) -> float:
        """The requests a second that all routes take together."""
        own = [one["ThrottlingRateLimit"] for one in self._throttles.values()]
        return sum(own) + (self._routes - len(own)) * self._target.requests.per_second

    def admit(self, function: Function) -> None:
        """Let the API call a function, by a permission that stands beside it.

        The query of each version of a view has one, whether it serves or not: while a switch goes on, either may be
        called.
        """
        principal = iam.ServicePrincipal("apigateway.amazonaws.com")
        # For the whole API: with one for each route, the function's policy would get too long.
        any_route = self.http.arn_for_execute_api()
        function.called.add_permission("FromApi", principal=principal, source_arn=any_route)

    def _add_route(self, route: str, integration: HttpLambdaIntegration, *, public: bool) -> list[gateway.HttpRoute]:
        method, path = route.split(" ")
        made = self.http.add_routes(
            path=path,
            methods=[gateway.HttpMethod(method)],
            integration=integration,
            authorizer=gateway.HttpNoneAuthorizer() if public else self._authorizer,
            authorization_scopes=None if public else self._scopes(method),
        )
        if public:
            for one in made:
                nag.acknowledge(one, APIG4=nag.PUBLIC_PAGE if method == "GET" else nag.PUBLIC_DEED)
        return made

    def _integration(self, function: Function) -> HttpLambdaIntegration:
        """Name the function by its ARN: CDK would put the permission here, see `admit`."""
        named = lambda_.Function.from_function_attributes(
            self,
            f"{function.package.side}-{function.package.name}-{function.role}",
            function_arn=function.called.function_arn,
            skip_permissions=True,
        )
        return HttpLambdaIntegration(function.role, named)

    def _roll_back(self, function: Function) -> None:
        """Roll back when callers get 5xx, too: to Lambda, such a response is no error."""
        if function.canary and self._failing:
            function.canary.group.add_alarm(self._failing)

    def _failing_alarm(self) -> cloudwatch.Alarm:
        minute = Duration.minutes(1)
        failed = self.http.metric_server_error(period=minute, statistic="Sum")
        among = self.http.metric_count(period=minute, statistic="Sum")
        return rollback_alarm(self, "Rollback", failed, among=among, of="Callers get 5xx")

    def _throttle(self, route: str, made: Iterable[gateway.HttpRoute], throttle: Throttle) -> None:
        """Throttle a route apart from all others."""
        settings = {"ThrottlingRateLimit": throttle.per_second, "ThrottlingBurstLimit": throttle.burst}
        self._throttles[route] = settings
        self._stage.route_settings = self._throttles
        # API Gateway refuses the settings of a route that does not exist yet.
        self._stage.node.add_dependency(*made)

    def _deployed(self) -> gateway.CfnStage:
        target = self._target
        log_group = logs.LogGroup(self, "Access", retention=target.log_retention, removal_policy=RemovalPolicy.DESTROY)
        self._count_throttled(log_group)
        add_output(self, "ApiUrl", self.http.api_endpoint, "the HTTP API")
        return gateway.CfnStage(
            self,
            "Stage",
            api_id=self.http.api_id,
            stage_name="$default",
            auto_deploy=True,
            access_log_settings=gateway.CfnStage.AccessLogSettingsProperty(
                destination_arn=log_group.log_group_arn, format=json.dumps(LOGGED | {STAGE: target.stage.name})
            ),
            # Each route has as much for itself.
            default_route_settings=gateway.CfnStage.RouteSettingsProperty(
                throttling_rate_limit=target.requests.per_second, throttling_burst_limit=target.requests.burst
            ),
        )

    def _count_throttled(self, log_group: logs.LogGroup) -> None:
        """Count the requests that were throttled: of the API's own metrics, `4xx` counts them with all refusals."""
        log_group.add_metric_filter(
            "Throttled",
            filter_pattern=logs.FilterPattern.string_value("$.status", "=", "429"),
            metric_namespace=self._target.project.name,
            metric_name=THROTTLED,
            metric_value="1",
            dimensions={STAGE: f"$.{STAGE}"},
        )

    def _users(self) -> cognito.UserPool:
        target = self._target
        pool = cognito.UserPool(
            self,
            "Users",
            self_sign_up_enabled=False,
            password_policy=_PASSWORDS,
            # Not required: devices are in the same pool, and cannot answer it.
            mfa=cognito.Mfa.OPTIONAL if target.stage.second_factor else None,
            mfa_second_factor=cognito.MfaSecondFactor(otp=True, sms=False) if target.stage.second_factor else None,
            deletion_protection=target.refuses_deletion,
            removal_policy=target.removal_policy,
        )
        for name in project().groups.all:
            pool.add_group(name.capitalize(), group_name=name)
        add_output(self, "UserPoolId", pool.user_pool_id, "the users")
        nag.acknowledge(pool, COG2=nag.DEVICES, COG8=nag.PLUS_TIER)
        return pool

    def _client(self, pool: cognito.UserPool) -> cognito.UserPoolClient:
        # For tokens of devices and scripts. Not by SRP: who signs in through Cognito's API may write, and a password of
        # a screen on the wall would be enough. So it takes AWS credentials, too; see FLOWS.
        flows = cognito.AuthFlow(admin_user_password=True, user_password=self._target.takes_passwords)
        # The shortest that Cognito and CDK take for a refresh: an hour, and no less than the token that it renews.
        # https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_TokenValidityUnitsType.html
        lasts = Duration.hours(hours_of_device(self._target.reports.per_second))
        client = pool.add_client(
            "Client",
            auth_flows=flows,
            disable_o_auth=True,
            prevent_user_existence_errors=True,
            enable_token_revocation=True,
            access_token_validity=lasts,
            refresh_token_validity=lasts,
        )
        add_output(self, "UserPoolClientId", client.user_pool_client_id, "the app client of scripts")
        return client

    def _scopes(self, method: str) -> list[str]:
        """Return the scopes of which a token needs one: a screen on the wall can read, and do nothing else."""
        is_read = method == gateway.HttpMethod.GET.value
        return [ACCESS_SCOPE, self.sign_in.read_scope] if is_read else [ACCESS_SCOPE]
