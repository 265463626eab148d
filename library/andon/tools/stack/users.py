"""One user per group in the stack's own user pool, more by name, and the tokens that they sign in for.

`python -m andon.tools.stack.users ROLE [USER]` (`make token ROLE=… AS=…`) prints an access token and nothing else. A
user's name matters where a project reads it out of the token.
"""

import contextlib
import sys
from collections.abc import Callable
from typing import Final

from andon.project import project
from andon.tools.called import as_called
from andon.tools.stack import aws, outputs
from andon.tools.stack.errors import ToolFailed

# Of users that exist only in the memory of a process that listens on 127.0.0.1.
PASSWORD: Final = "Andon-on-this-machine-1"  # noqa: S105


def ensure(deployed: dict[str, str]) -> None:
    """Create one user per group, named like the group; what is already there stays."""
    pool, cognito = deployed["UserPoolId"], aws.client("cognito-idp", deployed["Endpoint"])
    for group in project().groups.all:
        _unless_there(cognito.exceptions.GroupExistsException, cognito.create_group, UserPoolId=pool, GroupName=group)
        _ensure_user(deployed, group, group)


def token(deployed: dict[str, str], role: str, user: str | None = None) -> str:
    """Sign in as the user of group `role`, or as `user`, who is added to it; return an access token.

    Raises:
        Failed: there is no such role.
    """
    if role not in project().groups.all:
        raise ToolFailed(f"there is no role {role!r}; ROLE is one of: {', '.join(project().groups.all)}")
    if user is not None:
        _ensure_user(deployed, role, user)
    signed_in = aws.client("cognito-idp", deployed["Endpoint"]).admin_initiate_auth(
        UserPoolId=deployed["UserPoolId"],
        ClientId=deployed["UserPoolClientId"],
        AuthFlow="ADMIN_USER_PASSWORD_AUTH",
        AuthParameters={"USERNAME": user or role, "PASSWORD": PASSWORD},
    )
    return str(signed_in["AuthenticationResult"]["AccessToken"])


def _ensure_user(deployed: dict[str, str], group: str, name: str) -> None:
    pool, cognito = deployed["UserPoolId"], aws.client("cognito-idp", deployed["Endpoint"])
    _unless_there(
        cognito.exceptions.UsernameExistsException,
        cognito.admin_create_user,
        UserPoolId=pool,
        Username=name,
        MessageAction="SUPPRESS",
    )
    cognito.admin_set_user_password(UserPoolId=pool, Username=name, Password=PASSWORD, Permanent=True)
    cognito.admin_add_user_to_group(UserPoolId=pool, Username=name, GroupName=group)


def _unless_there(already: type[Exception], create: Callable[..., object], **arguments: str) -> None:
    with contextlib.suppress(already):
        create(**arguments)


def main(role: str = "", user: str | None = None) -> int:
    """Print a token, or why there is none."""
    try:
        print(token(outputs.of_running_stack(), role, user))
    except ToolFailed as reason:
        print(f"{as_called('token')}: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
