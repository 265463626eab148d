"""A smoke test of a stage: one fact goes through all of it, from a command to a view, and is taken back.

`python -m demo.smoke --stage prod` (without a stage: what `make up` has started). It signs in as a user of its own,
whom it creates and deletes, so that no password is kept anywhere. The fact is equipment of a company of its own, which
no screen shows. On AWS it also checks that somebody has subscribed to the alarms.
"""

import argparse
import secrets
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from andon.cdk.names import stack_of
from andon.tools.stack.api import ApiClient, HttpResponse, path_of
from andon.tools.stack.errors import ToolFailed
from andon.tools.views.deployed import Deployed, deployed
from contract import groups
from contract.levels import LEVELS

SEEN_WITHIN_S: Final = 60
COMPANY: Final = "Smoke test"


def smoke(stage: Deployed) -> Iterator[str]:
    """Check a deployed stack; yield what held.

    Raises:
        Failed: something did not.

    """
    machine = f"smoke-{secrets.token_hex(4)}"
    url, path = stage.outputs["ApiUrl"], path_of("equipment", machine)
    yield _held("the page is there", ApiClient(url).get("/"), HTTPStatus.OK)
    yield _held("nobody reads without a token", ApiClient(url).get(path), HTTPStatus.UNAUTHORIZED)
    with _signed_in(stage, machine) as api:
        yield from _written_and_taken_back(api, machine)
    if topic := stage.outputs.get("AlarmTopicArn"):
        yield _subscribed(stage.client("sns"), topic)


def _written_and_taken_back(api: ApiClient, machine: str) -> Iterator[str]:
    path = path_of("equipment", machine)
    created = api.put(path, _equipment())
    yield _held("a command is taken", created, HTTPStatus.CREATED)
    try:
        yield _held("what it wrote is read", api.get(path), HTTPStatus.OK)
        yield _held("its event reaches a view", _seen(api, machine, created), HTTPStatus.OK)
    finally:
        deleted = api.request("DELETE", path, headers={"if-match": '"1"'})
    yield _held("it is taken back", deleted, HTTPStatus.NO_CONTENT)
    yield _held("so is what the view shows", _seen(api, machine, deleted), HTTPStatus.NOT_FOUND)


def _held(what: str, answer: HttpResponse, status: HTTPStatus) -> str:
    if answer.status != status:
        raise ToolFailed(f"{what}: expected {int(status)}, got {answer.status}: {answer.body[:300]!r}")
    return what


def _seen(api: ApiClient, machine: str, written: HttpResponse) -> HttpResponse:
    """Read the machine's row of the view once it has seen a write."""
    path, until = f"{path_of('equipment', machine, 'board')}?after={written.headers['x-after']}", time.monotonic()
    while (answer := api.get(path)).status == HTTPStatus.ACCEPTED and time.monotonic() < until + SEEN_WITHIN_S:
        time.sleep(float(answer.headers.get("retry-after", "1")))
    return answer


def _equipment() -> dict[str, Any]:
    place = dict.fromkeys(LEVELS, "-")
    return {"name": "Smoke test", "factoryId": "smoke", "lineId": "smoke", "location": {"company": COMPANY, **place}}


@contextmanager
def _signed_in(stage: Deployed, user: str) -> Iterator[ApiClient]:
    """Sign in as an operator who exists only meanwhile."""
    cognito, pool = stage.client("cognito-idp"), stage.outputs["UserPoolId"]
    password = f"aA1-{secrets.token_urlsafe(24)}"
    cognito.admin_create_user(UserPoolId=pool, Username=user, MessageAction="SUPPRESS")
    try:
        cognito.admin_set_user_password(UserPoolId=pool, Username=user, Password=password, Permanent=True)
        cognito.admin_add_user_to_group(UserPoolId=pool, Username=user, GroupName=groups.OPERATOR)
        signed_in = cognito.admin_initiate_auth(
            UserPoolId=pool,
            ClientId=stage.outputs["UserPoolClientId"],
            AuthFlow="ADMIN_USER_PASSWORD_AUTH",
            AuthParameters={"USERNAME": user, "PASSWORD": password},
        )
        yield ApiClient(stage.outputs["ApiUrl"], signed_in["AuthenticationResult"]["AccessToken"])
    finally:
        cognito.admin_delete_user(UserPoolId=pool, Username=user)


def _subscribed(sns: Any, topic: str) -> str:  # noqa: ANN401  a client
    confirmed = int(sns.get_topic_attributes(TopicArn=topic)["Attributes"]["SubscriptionsConfirmed"])
    if not confirmed:
        raise ToolFailed(f"nobody has subscribed to the alarms: {topic}")
    return f"{confirmed} subscribed to the alarms"


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog="python -m demo.smoke", description=__doc__)
    parser.add_argument("--stage", help="the stage on AWS (default: what runs on this machine)")
    stage = parser.parse_args().stage
    try:
        for held in smoke(deployed(stage and stack_of(stage))):
            print(f"  held  {held}", flush=True)
    except (ToolFailed, OSError, BotoCoreError, ClientError) as reason:
        print(f"smoke test of {stage or 'this machine'}: {reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
