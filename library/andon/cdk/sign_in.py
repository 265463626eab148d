"""People's sign-in to the page: on Cognito's page, by code and PKCE (RFC 7636)."""

from math import ceil
from typing import Final

from aws_cdk import Aws, Duration, Fn
from aws_cdk import aws_cognito as cognito
from constructs import Construct

from andon.cdk.package_stack import tell
from andon.cdk.target import Target

READ: Final = "read"

# A shift with overtime. The page keeps a person's tokens no longer than its tab is open.
PERSON: Final = Duration.hours(12)
# A screen on the wall restarts at night and nobody is there to sign in. It may only read, so a quarter of a year.
WALL: Final = Duration.days(90)
ACCESS: Final = Duration.hours(1)  # a withdrawn right is gone after this, at the latest

# Requests for tokens a second, of all user pools of an account in a region; half of them is for who signs in.
# https://docs.aws.amazon.com/cognito/latest/developerguide/quotas.html
TOKENS_PER_SECOND: Final = 120
SHARE_OF_DEVICES: Final = 0.5
LONGEST_HOURS: Final = 24  # that Cognito allows
REPORTS_EACH_SECONDS: Final = 300  # of a device; a stage is planned for twice as many
GRACE: Final = Duration.seconds(60)  # the most: a refresh whose response was lost can be tried again

# Who signs in through Cognito's API gets the scope of people, whatever the client's scopes are; only its page heeds
# them. So this API is left to whoever has AWS credentials. Not empty: that would be SRP and others, by default.
# https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html
# https://docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_CreateUserPoolClient.html
FLOWS: Final = cognito.AuthFlow(admin_user_password=True)


class SignIn(Construct):
    """Cognito's page, the app client of people, and the one of screens on the wall, who may only read."""

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
        tell(self, "PageClientId", self.people.user_pool_client_id, "the app client of the page")

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
            refresh_token_rotation_grace_period=GRACE,
        )


def hours_of_device(planned_reports: float) -> int:
    """Return the life of a device's token: an hour, or more if Cognito could not renew those of all devices so often.

    planned_reports: a second, of the stage.
    """
    devices = planned_reports / 2 * REPORTS_EACH_SECONDS
    return min(LONGEST_HOURS, max(1, ceil(devices / (TOKENS_PER_SECOND * SHARE_OF_DEVICES * 3600))))


def _prefix(project: str) -> str:
    """Return the prefix of the sign-in page's domain, unique in the region: it has this stack's id."""
    return f"{project}-{Fn.select(2, Fn.split('/', Aws.STACK_ID))}"
