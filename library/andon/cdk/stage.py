"""A stage: one deployment of the stack to AWS, by its settings under `stages` in cdk.json; `-c stage=prod` chooses.

A setting stands here once: its name, what it means, what it may be. `read` checks by that, `schema` says it to editors,
and the table in `docs/deploy.md` is written from it (`make figures`). What contradicts another setting, or the region,
`refuse_contradictions` says. Settings are no flags: a flag that somebody forgets the next time would turn off what it
turned on.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, Final, NamedTuple

from aws_cdk import aws_codedeploy as codedeploy
from aws_cdk.aws_logs import RetentionDays
from aws_cdk.region_info import RegionInfo
from constructs import Node

from andon.cdk.capacity import MODES, ON_DEMAND, QUOTA_OF_ACCOUNT
from andon.cdk.names import FIRST_STAGE
from andon.cdk.throttles import Quotas
from andon.outbound.addresses import ENTRY_PATTERN, MAIL_PATTERN, MOST_CHARACTERS_OF_MAIL
from andon.outbound.variables import DEFAULT_LINK_HOURS
from andon.rules import micro_event_store

# The settings that may be flags, too: where one is needed there is no synth without it, so that nobody forgets it.
# An ARN has the number of an account in it, and the broker's host its name: neither belongs into a repository.
FLAGS: Final = ("alarmTopic", "liveOrigin")

MOST_LOCK_DAYS: Final = 28
_DEPLOYMENTS: Final = tuple(
    sorted(name for name in dir(codedeploy.LambdaDeploymentConfig) if name.startswith(("ALL_", "CANARY_", "LINEAR_")))
)


class Setting(NamedTuple):
    """Meaning of a setting for the page about deployments, the JSON Schema of its values, and that in words."""

    means: str
    may_be: Mapping[str, object]
    should: str


def _setting(means: str, default: Any = MISSING, *, should: str = "", **may_be: Any) -> Any:  # noqa: ANN401
    return field(default=default, metadata={"setting": Setting(means, may_be, should)})


_HOSTS: Final = {"items": {"type": "string", "pattern": f"^{ENTRY_PATTERN}$"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The settings of a stage; those without a default stand in cdk.json, in every stage."""

    name: str
    customer_key: bool = _setting("tables are encrypted with a key of the account, one for all")
    termination_protection: bool = _setting("nobody deletes the stack by accident")
    deployment: str = _setting(
        "how traffic moves to new code: a name of CDK's `LambdaDeploymentConfig`",
        enum=_DEPLOYMENTS,
        should=f"one of CDK's LambdaDeploymentConfig: {', '.join(_DEPLOYMENTS)}",
    )
    log_retention: str = _setting(
        "a name of CDK's `RetentionDays`",
        enum=tuple(RetentionDays.__members__),
        should=f"one of CDK's RetentionDays: {', '.join(RetentionDays.__members__)}",
    )
    reports_per_second: int = _setting(
        "what all devices together are planned to report, of which [throttles](#throttles), capacity and the number of "
        "sweeps follow"
    )
    reports_per_second_of_one: int = _setting(
        "what each caller may report one by one, from each worker of the command: its [share](#throttles)"
    )
    requests_per_second: int = _setting("what each other route is planned to take, of which its throttle follows")
    capacity: str = _setting(
        "of the tables that reports fill: `PROVISIONED` [once their load is known](#capacity); without it: on demand",
        ON_DEMAND,
        enum=MODES,
        should=" or ".join(MODES),
    )
    lake_lock_days: int | None = _setting(
        "so long S3 locks what is written into the lake; at most 28, so that [what was erased](erase-a-person.md) goes",
        None,
        maximum=MOST_LOCK_DAYS,
        should=f"at most {MOST_LOCK_DAYS}: what is replaced, because a person in it was erased, has to go after so "
        "many days",
    )
    traced: bool = _setting("whether X-Ray has [a sample](#traces) of the invocations", default=False)
    data_trail: bool = _setting("CloudTrail writes down [who reads what is recorded](#who-read-it)", default=False)
    provisioned_by_claim: tuple[str, ...] = _setting(
        "the kinds of things that get their certificates [by a claim](how-do-i.md#take-messages-from-things), as "
        '`["sensor"]`; without it: none',
        (),
    )
    second_factor: bool = _setting("who has [a second factor](#a-second-factor) is asked for it", default=False)
    places_required: bool = _setting("who is in no group of [a place](#places) is nowhere", default=False)
    alarms: bool = _setting("whether there are alarms; without it: yes", default=True)
    alarm_topic: str | None = _setting(
        "the SNS topic for alarms, where there are any: its name, if it is in the same account and region, or its ARN",
        None,
    )
    runbooks: str = _setting(
        "where the pages that alarms name can be read, if not in `docs/runbooks/`", "docs/runbooks"
    )
    account: str | None = _setting(
        "where it belongs; with other credentials the CDK then refuses. Without it: where the credentials are", None
    )
    region: str | None = _setting("as `account`", None)
    qualifier: str | None = _setting(
        "of the roles of `cdk bootstrap`, where stages share an account, see [the pipeline](#the-pipeline)", None
    )
    live_origin: str | None = _setting(
        "the account's own broker, `wss://<host>`, and the only one that pages may connect to. Without it the region's "
        "common host, [which is for trying out]"
        "(https://docs.aws.amazon.com/general/latest/gr/iot-core.html#iot-core-data-plane-endpoints)",
        None,
    )
    origin: str | None = _setting("where people see the page", None)
    hold_back_seconds: int = _setting(
        "how long a decision waits for events on their way", micro_event_store.DEFAULT_SECONDS
    )
    replica_region: str | None = _setting(
        "lake and archive are copied there, see [a region is lost](region-lost.md); it needs `region`, too", None
    )
    mail_from: str | None = _setting(
        "the address that messages to people come from, see [telling people](#telling-people); without it: no mail, no "
        "push",
        None,
        pattern=MAIL_PATTERN,
        maxLength=MOST_CHARACTERS_OF_MAIL,
        should="an e-mail address",
    )
    sms_per_day: int = _setting(
        "so many SMS a day (UTC), at most $0.25 each, for all people together; without it 0: no SMS",
        0,
        minimum=0,
        should="0 (no SMS) or more",
    )
    webhook_hosts: tuple[str, ...] = _setting(
        'the hosts that webhooks may be at, as `["events.pagerduty.com", "*.logic.azure.com"]`; without it: none',
        (),
        **_HOSTS,
        should="names of hosts, or *.name",
    )
    push_hosts: tuple[str, ...] = _setting(
        'the services of browsers, as `["fcm.googleapis.com"]`; without it: no push',
        (),
        **_HOSTS,
        should="names of hosts, or *.name",
    )
    push_key: str | None = _setting("the public key of push", None)
    link_hours: int = _setting(
        f"so long a link in a message counts, at most 24; without it {DEFAULT_LINK_HOURS}",
        DEFAULT_LINK_HOURS,
        minimum=1,
        maximum=24,
        should="1 to 24",
    )
    put_events_per_second: int | None = _setting("a quota of EventBridge, if AWS has raised it for the account", None)
    invocations_per_second: int | None = _setting("as `putEventsPerSecond`", None)
    api_requests_per_second: int | None = _setting("a quota of API Gateway, if AWS has raised it for the account", None)
    table_units_per_second: int = _setting(
        "the quota of DynamoDB's provisioned tables, of the whole account, if AWS has raised it", QUOTA_OF_ACCOUNT
    )

    @property
    def deployed_account(self) -> str | None:
        """The account: its own, or that of the credentials with which the CDK runs."""
        return self.account or os.environ.get("CDK_DEFAULT_ACCOUNT")

    @property
    def deployed_region(self) -> str | None:
        """The region: its own, or that of the credentials with which the CDK runs."""
        return self.region or os.environ.get("CDK_DEFAULT_REGION")

    @property
    def quotas(self) -> Quotas:
        """The quotas of the account: the region's, or those that AWS has raised."""
        usual = Quotas.of(self.deployed_region)
        return Quotas(
            self.put_events_per_second or usual.put_events,
            self.invocations_per_second or usual.invocations,
            self.api_requests_per_second or usual.api,
        )


def camel(name: str) -> str:
    """Write `customer_key` as `customerKey`."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


SETTINGS: Final[Mapping[str, Field[Any]]] = {camel(one.name): one for one in fields(Stage) if one.name != "name"}
NEEDED: Final = frozenset(setting for setting, one in SETTINGS.items() if one.default is MISSING)

_KINDS: Final[Mapping[str, tuple[type, ...]]] = {  # of a field's type -> of its value, of which a boolean is no integer
    str(bool): (bool,),
    str(str): (str,),
    str(int): (int,),
    str(str | None): (str, type(None)),
    str(int | None): (int, type(None)),
    str(tuple[str, ...]): (list,),
}
_TYPES: Final = {bool: "boolean", str: "string", int: "integer", list: "array", type(None): "null"}
_ALLOWS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {  # a keyword of JSON Schema -> the value, what it says
    "enum": lambda value, names: value in names,
    "minimum": lambda value, least: value >= least,
    "maximum": lambda value, most: value <= most,
    "maxLength": lambda value, most: len(value) <= most,
    "pattern": lambda value, pattern: re.fullmatch(pattern, value) is not None,
    "items": lambda values, items: all(re.fullmatch(items["pattern"], value) for value in values),
}


def said_of(one: Field[Any]) -> Setting:
    """Return the meaning of a field, and its bounds."""
    said: Setting = one.metadata["setting"]
    return said


def schema() -> dict[str, object]:
    """Return the JSON Schema of a stage's settings, without contradictions with another one or the region."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {setting: _schema_of(one) for setting, one in SETTINGS.items()},
        "required": sorted(NEEDED),
        "additionalProperties": False,
    }


def _schema_of(one: Field[Any]) -> dict[str, object]:
    types, said = [_TYPES[kind] for kind in _KINDS[str(one.type)]], said_of(one)
    texts = {"items": {"type": "string"}} if types == ["array"] else {}
    may_be = {name: [*value] if isinstance(value, tuple) else value for name, value in said.may_be.items()}
    return {"description": said.means, "type": types[0] if len(types) == 1 else types, **texts, **may_be}


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
    for setting in SETTINGS:
        if setting not in FLAGS and node.try_get_context(setting) is not None:
            raise ValueError(f"{setting} is no flag but a setting: put it into stages.{name} of cdk.json")
    flags = {flag: node.try_get_context(flag) for flag in FLAGS}
    return read(name, stages[name] | {flag: value for flag, value in flags.items() if value})


def read(name: str, settings: Mapping[str, object]) -> Stage:
    """Return a stage from its settings in cdk.json.

    Raises:
        ValueError: a setting is missing, misspelt, of another kind, or none that it may be.

    """
    where = f"stages.{name} of cdk.json"
    if unknown := settings.keys() - SETTINGS.keys():
        raise ValueError(f"{where}: nobody knows the setting {', '.join(sorted(unknown))}")
    if missing := NEEDED - settings.keys():
        raise ValueError(f"{where}: {', '.join(sorted(missing))} is missing")
    for setting, value in settings.items():
        if should := _unlike(SETTINGS[setting], value):
            raise ValueError(f"{where}: {setting} is {value!r}, but should be {should}")
    given: Any = {
        SETTINGS[key].name: tuple(value) if isinstance(value, list) else value for key, value in settings.items()
    }
    return Stage(name=name, **given)


def _unlike(one: Field[Any], value: object) -> str | None:
    """Return the words for a value that is none of the field's; None: it is one."""
    said = said_of(one)
    is_of_texts = not isinstance(value, list) or all(isinstance(text, str) for text in value)
    if type(value) not in _KINDS[str(one.type)] or not is_of_texts:
        return str(one.type)
    is_allowed = value is None or all(_ALLOWS[keyword](value, limit) for keyword, limit in said.may_be.items())
    return None if is_allowed else said.should


# What contradicts another setting, or the region.

_AWS_PARTITION: Final = "aws"
"""Of AWS's public regions: the hosts of functions' own wire, and policies on `kms:ViaService`, end in amazonaws.com."""

# The SDKs' variables: https://docs.aws.amazon.com/sdkref/latest/guide/feature-endpoints.html
_ENDPOINTS: Final = {"AWS_USE_FIPS_ENDPOINT": "FIPS", "AWS_USE_DUALSTACK_ENDPOINT": "dual-stack"}


def refuse_contradictions(stage: Stage) -> None:
    """Refuse settings that do not go together, or with the region.

    Raises:
        ValueError: alarms would wake nobody, a protected stage has no broker of its own, one caller's share is none,
            the region cannot be deployed to, is that of its copies or takes less than is planned, or nobody answers
            for what is pushed.

    """
    for why in _contradictions(stage):
        raise ValueError(why)


def _contradictions(stage: Stage) -> Iterator[str]:
    where, planned = f"stages.{stage.name} of cdk.json", stage.reports_per_second
    if stage.alarms and stage.alarm_topic is None:
        yield (
            f"stage {stage.name}: alarms would wake nobody. Create an SNS topic, subscribe to it (docs/deploy.md), and "
            f"name it: alarmTopic in stages.{stage.name} of cdk.json, or -c alarmTopic=<name or ARN>. A stage without "
            'alarms has "alarms": false.'
        )
    if stage.termination_protection and stage.live_origin is None:
        # https://docs.aws.amazon.com/general/latest/gr/iot-core.html#iot-core-data-plane-endpoints
        yield (
            f"stage {stage.name}: name the account's own broker, for the region's common one is for trying out: "
            f"liveOrigin in stages.{stage.name} of cdk.json, or -c liveOrigin=wss://<host>, with the host that `aws "
            "iot describe-endpoint --endpoint-type iot:Data-ATS` answers."
        )
    yield from _foreign(stage.deployed_region)
    if planned > (quota := stage.quotas.api):
        yield (
            f"reportsPerSecond is {planned:,}, but API Gateway takes {quota:,} requests a second of an account in "
            f"{stage.deployed_region or 'a region'}. Ask AWS for more (quota L-8A5B8E43 of apigateway), and write it "
            f"down: apiRequestsPerSecond in {where}"
        )
    if not 1 <= stage.reports_per_second_of_one <= planned:
        share = stage.reports_per_second_of_one
        yield f"reportsPerSecondOfOne is {share}, but should be from 1 to reportsPerSecond, {planned}"
    # Without a region of its own nobody knows that it is another one.
    if stage.replica_region is not None and stage.region in {None, stage.replica_region}:
        yield f"replicaRegion is {stage.replica_region}: {where} needs another one as its region"
    if stage.push_hosts and stage.mail_from is None:
        yield f"{where}: pushHosts needs a mailFrom, by which push services reach who sends"


def _foreign(region: str | None) -> Iterator[str]:
    """Yield the settings that functions would not use: regions of China, GovCloud and other clouds, other endpoints."""
    partition = RegionInfo.get(region).partition if region else None
    if partition not in {None, _AWS_PARTITION}:
        only = f"only {_AWS_PARTITION} is supported, see docs/deploy.md"
        yield f"{region} is a region of the partition {partition}: {only}"
    for variable, kind in _ENDPOINTS.items():
        if os.environ.get(variable, "").lower() == "true":
            yield f"{variable}: functions do not use {kind} endpoints, see docs/deploy.md; unset it"
