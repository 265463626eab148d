"""One user per group in the stack's own user pool, more by name, and the tokens that they sign in for.

`python -m andon.tools.stack.users ROLE [USER] [--at PLACE,…]` (`make token ROLE=… AS=… AT=…`) prints an access token
and nothing else. A user's name matters where a project reads it out of the token.
"""

import argparse
import contextlib
import sys
from collections.abc import Callable, Collection
from typing import Final
from urllib.parse import quote

from andon.http.places import PREFIX
from andon.project import project
from andon.tools.called import as_called
from andon.tools.stack import aws, outputs
from andon.tools.stack.errors import ToolFailed

# Of users that exist only in the memory of a process that listens on 127.0.0.1.
PASSWORD: Final = "Andon-on-this-machine-1"  # noqa: S105


# In the name of a place, beside what is safe anywhere; a group's name has no space.
_SAFE: Final = ":*"


def ensure(deployed: dict[str, str]) -> None:
    """Create one user per group, named like the group; what is already there stays."""
    pool, cognito = deployed["UserPoolId"], aws.client("cognito-idp", deployed["Endpoint"])
    for group in project().groups.all:
        _unless_there(cognito.exceptions.GroupExistsException, cognito.create_group, UserPoolId=pool, GroupName=group)
        _ensure_user(deployed, group, group)


def token(deployed: dict[str, str], role: str, user: str | None = None, at: Collection[str] = ()) -> str:
    """Sign in as the user of group `role`, or as `user`, who is added to it; return an access token.

    at: names of the places that the user is limited to, and of no others; without, a `user` is limited to none. The
    user of a role never is: who is limited has a user of their own.

    Raises:
        Failed: there is no such role.
    """
    if role not in project().groups.all:
        raise ToolFailed(f"there is no role {role!r}; ROLE is one of: {', '.join(project().groups.all)}")
    wanted = sorted(f"{PREFIX}{quote(name, safe=_SAFE)}" for name in at)
    if wanted and user is None:
        user = "-".join([role, *wanted])
    if user is not None:
        _ensure_user(deployed, role, user)
        _limit(deployed, user, wanted)
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


def _limit(deployed: dict[str, str], name: str, wanted: Collection[str]) -> None:
    """Let a user be in these groups of places and in no others; groups that are missing are created."""
    pool, cognito = deployed["UserPoolId"], aws.client("cognito-idp", deployed["Endpoint"])
    found = cognito.admin_list_groups_for_user(UserPoolId=pool, Username=name)["Groups"]
    groups = {one["GroupName"] for one in found if one["GroupName"].startswith(PREFIX)}
    for group in sorted(groups.difference(wanted)):
        cognito.admin_remove_user_from_group(UserPoolId=pool, Username=name, GroupName=group)
    for group in sorted(set(wanted) - groups):
        _unless_there(cognito.exceptions.GroupExistsException, cognito.create_group, UserPoolId=pool, GroupName=group)
        cognito.admin_add_user_to_group(UserPoolId=pool, Username=name, GroupName=group)


def _unless_there(already: type[Exception], create: Callable[..., object], **arguments: str) -> None:
    with contextlib.suppress(already):
        create(**arguments)


def main(*arguments: str) -> None:
    """Print a token."""
    parser = argparse.ArgumentParser(prog=as_called("token"), description="Print an access token.")
    parser.add_argument("role", nargs="?", default="")
    parser.add_argument("user", nargs="?")
    parser.add_argument(
        "--at", default="", metavar="PLACE,…", help="limited to these places, as gdl-1,Acme,gdl-2:line-3"
    )
    asked = parser.parse_args(arguments)
    places = [name for name in asked.at.split(",") if name]
    print(token(outputs.of_running_stack(), asked.role, asked.user, places))


if __name__ == "__main__":
    main(*sys.argv[1:])
