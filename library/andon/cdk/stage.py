"""A stage: one deployment of the stack to AWS, by its settings under `stages` in cdk.json; `-c stage=prod` chooses.

Settings are no flags: a flag that somebody forgets the next time would turn off what it turned on.
"""

import os
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, Final

from constructs import Node

from andon.cdk.capacity import ON_DEMAND
from andon.cdk.names import FIRST_STAGE
from andon.outbound.variables import DEFAULT_LINK_HOURS

# The settings that may be flags, too: where one is needed there is no synth without it, so that nobody forgets it.
# An ARN has the number of an account in it, and the broker's host its name: neither belongs into a repository.
FLAGS: Final = ("alarmTopic", "liveOrigin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The settings of a stage; those without a default stand in cdk.json, in every stage.

    account, region: where it is deployed; None: wherever the credentials are. qualifier: of the roles and the bucket
    of `cdk bootstrap`; None: CDK's own, which all stages of an account share.
    live_origin: the account's own broker; a protected stage has to name it.
    log_retention: a name of CDK's RetentionDays. deployment: one of CDK's LambdaDeploymentConfig.
    alarms: there are any; they cost more than all else of a stage in which nothing happens. alarm_topic: the SNS topic
    for them, by its ARN, or by its name if it is in the same account and region.
    runbooks: where the pages that alarms name can be read, if not in this repository.
    reports_per_second: of all callers together; reports_per_second_of_one: of each, from one worker of the command.
    capacity: of the tables that reports fill, ON_DEMAND or PROVISIONED. traced: Lambda samples traces for X-Ray.
    replica_region: lake and archive are copied there; None: nothing is left if the stage's region is lost.
    put_events_per_second, invocations_per_second: quotas of EventBridge, where AWS has raised them;
    api_requests_per_second: that of API Gateway; table_units_per_second: that of DynamoDB's provisioned tables.
    data_trail: CloudTrail writes down who reads what is recorded.
    provisioned_by_claim: the kinds of things that whoever has a claim may become, see `andon.cdk.provisioning`.
    second_factor: users may have a second factor, who has one is asked for it. places_required: who is in no group of
    a place is nowhere, see `andon.http.places`.
    mail_from: the address that mail comes from, which SES has verified; None: there is no mail. sms_per_day: of all
    recipients together, 0: there is no SMS. webhook_hosts, push_hosts: the hosts that messages may go to, as
    `andon.outbound.addresses` writes them; push_key: the public key of push. link_hours: so long a link counts.
    """

    name: str
    customer_key: bool
    termination_protection: bool
    log_retention: str
    deployment: str
    reports_per_second: int
    reports_per_second_of_one: int
    requests_per_second: int
    capacity: str = ON_DEMAND
    traced: bool = False
    alarms: bool = True
    alarm_topic: str | None = None
    runbooks: str | None = None
    account: str | None = None
    region: str | None = None
    qualifier: str | None = None
    origin: str | None = None
    live_origin: str | None = None
    replica_region: str | None = None
    hold_back_seconds: int | None = None
    lake_lock_days: int | None = None
    put_events_per_second: int | None = None
    invocations_per_second: int | None = None
    api_requests_per_second: int | None = None
    table_units_per_second: int | None = None
    data_trail: bool = False
    provisioned_by_claim: tuple[str, ...] = ()
    second_factor: bool = False
    places_required: bool = False
    mail_from: str | None = None
    sms_per_day: int = 0
    webhook_hosts: tuple[str, ...] = ()
    push_hosts: tuple[str, ...] = ()
    push_key: str | None = None
    link_hours: int = DEFAULT_LINK_HOURS

    @property
    def deployed_account(self) -> str | None:
        """The account: its own, or that of the credentials with which the CDK runs."""
        return self.account or os.environ.get("CDK_DEFAULT_ACCOUNT")

    @property
    def deployed_region(self) -> str | None:
        """The region: its own, or that of the credentials with which the CDK runs."""
        return self.region or os.environ.get("CDK_DEFAULT_REGION")


def chosen(node: Node) -> Stage:
    """Return the stage that the app's context chooses.

    Raises:
        ValueError: there is none of that name, a setting is missing, misspelt or of another kind, or was given as a
            flag.

    """
    stages = node.try_get_context("stages") or {}
    name = node.try_get_context("stage") or FIRST_STAGE
    if name not in stages:
        raise ValueError(f"-c stage={name}: cdk.json has {' and '.join(stages) or 'no stages'}")
    if alike := [one for one in stages if one != name and (name.startswith(one) or one.startswith(name))]:
        raise ValueError(
            f"stages of cdk.json: {name} and {alike[0]} begin alike, so that a right to one could be one to both"
        )
    for setting in _SETTINGS:
        if setting not in FLAGS and node.try_get_context(setting) is not None:
            raise ValueError(f"{setting} is no flag but a setting: put it into stages.{name} of cdk.json")
    flags = {flag: node.try_get_context(flag) for flag in FLAGS}
    return read(name, stages[name] | {flag: value for flag, value in flags.items() if value})


def read(name: str, settings: Mapping[str, object]) -> Stage:
    """Return a stage from its settings in cdk.json.

    Raises:
        ValueError: a setting is missing, misspelt or of another kind.

    """
    if unknown := settings.keys() - _SETTINGS.keys():
        raise ValueError(f"stages.{name} of cdk.json: nobody knows the setting {', '.join(sorted(unknown))}")
    needed = {setting for setting, field in _SETTINGS.items() if field.default is MISSING}
    if missing := needed - settings.keys():
        raise ValueError(f"stages.{name} of cdk.json: {', '.join(sorted(missing))} is missing")
    return Stage(name=name, **{_SETTINGS[key].name: _checked(name, key, value) for key, value in settings.items()})


def _checked(stage: str, setting: str, value: object) -> Any:  # noqa: ANN401  as the field says
    kind = _SETTINGS[setting].type
    is_of_texts = not isinstance(value, list) or all(isinstance(one, str) for one in value)
    if type(value) not in _KINDS[str(kind)] or not is_of_texts:
        raise ValueError(f"stages.{stage} of cdk.json: {setting} is {value!r}, but should be {kind}")
    return tuple(value) if isinstance(value, list) else value


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


_SETTINGS: Final[Mapping[str, Field[Any]]] = {_camel(one.name): one for one in fields(Stage) if one.name != "name"}
_KINDS: Final = {
    str(kind): kinds
    for kind, kinds in (
        (bool, {bool}),
        (str, {str}),
        (int, {int}),
        (str | None, {str, type(None)}),
        (int | None, {int, type(None)}),
        (tuple[str, ...], {list}),
    )
}
