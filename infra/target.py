"""Where the stack goes: AWS, or the emulator on this machine. Every difference between the two is in this one value."""

from dataclasses import dataclass, replace
from typing import Final

from aws_cdk import RemovalPolicy
from aws_cdk.aws_logs import RetentionDays
from constructs import IConstruct

from patterns.rules import hold_back


@dataclass(frozen=True, slots=True)
class Target:
    """What differs: `-c target=local` chooses the emulator.

    `-c stage=…`, `-c customerKey=true`, `-c alarmTopic=<ARN>` and `-c holdBackSeconds=…` vary either.
    """

    name: str
    keeps_data: bool  # tables, users and failures survive the stack; deletion protection, point-in-time recovery
    audited: bool  # cdk-nag has a say
    traced: bool
    takes_passwords: bool  # sign-in may send a password, as a script does
    archive_days: int | None  # the bus can replay what went over it
    record_age_seconds: int  # a trigger retries a batch so long before it becomes a failure
    filters_expiries: bool  # the stream mapping drops rows that TTL removed
    listeners: int  # of one queue, at a time
    hold_back_seconds: int  # a decision waits so long for events that are still on their way
    layer_platform: str | None  # pip's platform tag; None is the running interpreter
    log_retention: RetentionDays
    stage: str = "dev"
    customer_key: bool = False  # tables are encrypted with a key of this account instead of DynamoDB's own
    alarm_topic: str | None = None  # the ARN of the SNS topic that hears of alarms

    @classmethod
    def of(cls, scope: IConstruct) -> "Target":
        """Return the target that the context of the app chose.

        Raises:
            ValueError: there is none of that name, or the hold-back is no number.

        """
        context = scope.node.try_get_context
        name = context("target") or AWS.name
        if name not in TARGETS:
            raise ValueError(f"-c target={name}: there is {' and '.join(TARGETS)}")
        chosen, hold_back_seconds = TARGETS[name], context("holdBackSeconds")
        return replace(
            chosen,
            stage=context("stage") or "dev",
            customer_key=context("customerKey") in {True, "true"},
            alarm_topic=context("alarmTopic"),
            hold_back_seconds=chosen.hold_back_seconds if hold_back_seconds is None else int(hold_back_seconds),
        )

    @property
    def removal_policy(self) -> RemovalPolicy:
        """Tell what becomes of data when its stack goes."""
        return RemovalPolicy.RETAIN if self.keeps_data else RemovalPolicy.DESTROY


AWS: Final = Target(
    name="aws",
    keeps_data=True,
    audited=True,
    traced=True,
    takes_passwords=False,
    archive_days=365,
    record_age_seconds=23 * 3600,  # an hour before the stream itself forgets the record
    filters_expiries=True,
    listeners=10,
    hold_back_seconds=hold_back.DEFAULT_SECONDS,
    layer_platform="manylinux2014_aarch64",
    log_retention=RetentionDays.ONE_MONTH,
)

LOCAL: Final = Target(
    name="local",
    keeps_data=False,
    audited=False,
    traced=False,
    takes_passwords=True,
    archive_days=None,  # the emulator refuses a template with an archive in it
    record_age_seconds=60,  # the least there is: the emulator cannot bisect, one bad record holds up all behind it
    filters_expiries=False,  # TTL leaves no record there, and "exists": false needs the parent to be present
    listeners=2,  # the least that SQS takes: the emulator starts all of them at once, as processes
    hold_back_seconds=2,  # nothing is long on its way there, and somebody wants to see decisions
    layer_platform=None,
    log_retention=RetentionDays.ONE_DAY,
)

TARGETS: Final = {target.name: target for target in (AWS, LOCAL)}
