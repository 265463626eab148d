"""One user per group in the stack's own user pool, and the tokens that they sign in for.

`python -m local.stack.users ROLE` (`make token ROLE=…`) prints an access token and nothing else.
"""

import contextlib
import sys
from collections.abc import Callable
from typing import Final

from contract import groups
from local.stack import aws, outputs
from local.stack.errors import Failed

# Of users that exist only in the memory of a process that listens on 127.0.0.1.
PASSWORD: Final = "Andon-on-this-machine-1"  # noqa: S105


def ensure(deployed: dict[str, str]) -> None:
    """Create one user per group, named like the group; what is already there stays."""
    pool, cognito = deployed["UserPoolId"], aws.client("cognito-idp", deployed["Endpoint"])
    for group in groups.ALL:
        _unless_there(cognito.exceptions.GroupExistsException, cognito.create_group, UserPoolId=pool, GroupName=group)
        _unless_there(
            cognito.exceptions.UsernameExistsException,
            cognito.admin_create_user,
            UserPoolId=pool,
            Username=group,
            MessageAction="SUPPRESS",
        )
        cognito.admin_set_user_password(UserPoolId=pool, Username=group, Password=PASSWORD, Permanent=True)
        cognito.admin_add_user_to_group(UserPoolId=pool, Username=group, GroupName=group)


def token(deployed: dict[str, str], role: str) -> str:
    """Sign in as the user of group `role`, and return an access token, which names the group.

    Raises:
        Failed: there is no such role.
    """
    if role not in groups.ALL:
        raise Failed(f"there is no role {role!r}; ROLE is one of: {', '.join(groups.ALL)}")
    signed_in = aws.client("cognito-idp", deployed["Endpoint"]).admin_initiate_auth(
        UserPoolId=deployed["UserPoolId"],
        ClientId=deployed["UserPoolClientId"],
        AuthFlow="ADMIN_USER_PASSWORD_AUTH",
        AuthParameters={"USERNAME": role, "PASSWORD": PASSWORD},
    )
    return str(signed_in["AuthenticationResult"]["AccessToken"])


def _unless_there(already: type[Exception], create: Callable[..., object], **arguments: str) -> None:
    with contextlib.suppress(already):
        create(**arguments)


def main(role: str = "") -> int:
    """Print a token, or why there is none."""
    try:
        print(token(outputs.of_running_stack(), role))
    except Failed as reason:
        print(f"make token: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
