"""Settings of the board's page: those it reads in `session.js`, and the origins in its security policy."""

import os
from typing import Final, NamedTuple

from andon.runtime import strict_json

SCOPES: Final = "openid aws.cognito.signin.user.admin"
WALL_SCOPES: Final = "openid andon/read"  # what a screen on the wall may do: read


class Settings(NamedTuple):
    """The deployment, from the function's environment.

    issuer: the user pool's address, below which is its OpenID configuration; sign_in: the origin of its sign-in page;
    live: the origin of the live connection, `ws://…` or `wss://…`; push_key: the public key of messages to browsers;
    without one there are none.
    """

    issuer: str
    client_id: str
    wall_client_id: str
    sign_in: str
    live: str
    push_key: str | None = None

    @classmethod
    def of_environment(cls) -> "Settings":
        """Return the settings that the infrastructure wrote."""
        return cls(
            issuer=os.environ["ISSUER"],
            client_id=os.environ["CLIENT_ID"],
            wall_client_id=os.environ["WALL_CLIENT_ID"],
            sign_in=os.environ["SIGN_IN_ORIGIN"],
            live=os.environ["LIVE_ORIGIN"],
            push_key=os.environ.get("PUSH_KEY"),
        )

    def to_json(self) -> bytes:
        """Return the settings that the page reads, as JSON."""
        settings = {
            "issuer": self.issuer,
            "clientId": self.client_id,
            "wallClientId": self.wall_client_id,
            "scopes": SCOPES,
            "wallScopes": WALL_SCOPES,
        }
        return strict_json.dumps(settings | ({"pushKey": self.push_key} if self.push_key else {})).encode()
