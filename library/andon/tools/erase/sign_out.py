"""The user of a person, signed out everywhere and deleted."""

import uuid
from typing import Any


def delete_user(cognito: Any, pool: str, id_: str) -> bool:  # noqa: ANN401  boto3's
    """Delete the user whose subject is an id; return False if there is none. A badge is no subject."""
    if not _is_subject(id_):
        return False
    users = cognito.list_users(UserPoolId=pool, Filter=f'sub = "{id_}"')["Users"]
    for user in users:
        cognito.admin_user_global_sign_out(UserPoolId=pool, Username=user["Username"])
        cognito.admin_delete_user(UserPoolId=pool, Username=user["Username"])
    return bool(users)


def _is_subject(id_: str) -> bool:
    try:
        return str(uuid.UUID(id_)) == id_
    except ValueError:
        return False
