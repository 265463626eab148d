"""The target of a deployment: AWS, or the emulator on this machine. All differences are in this one value."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Final
from weakref import WeakKeyDictionary

from aws_cdk import DefaultStackSynthesizer, Environment, RemovalPolicy
from aws_cdk.aws_logs import RetentionDays
from constructs import IConstruct, Node

from andon.cdk import stage as stages
from andon.cdk.capacity import Capacity
from andon.cdk.names import FIRST_STAGE, PUSH_HOST_HERE, SENDER_HERE, SINK, stack_of
from andon.cdk.stage import Stage, refuse_contradictions
from andon.cdk.throttles import ACCOUNT_PER_SECOND, LEAST_INVOCATIONS, LEAST_PUT_EVENTS, Quotas, Throttle
from andon.project import Project, project
from andon.rules.sweep import ALL_SHARDS

REQUIRED: Final = "required"  # without the Python that compiles it there is no synth
OPTIONAL: Final = "optional"  # there is one, with a warning: for looking at it
NONE: Final = "none"
_BYTECODE: Final = (REQUIRED, OPTIONAL, NONE)

# A sweep could serve many times as many (docs/rules.md): the more there are, the earlier a minute's decisions are made.
REPORTS_OF_SWEEP: Final = 400
_FEWEST_SWEEPS: Final = 5  # one rule's

# The flag of the first deployment of a stage ("true"), or of some tables (their outputs, by commas), which `make
# deploy` sets: what CloudFormation could not delete, were it to fail, is protected by the deployment after it. Who
# forgets it has the protections.
UNPROTECTED: Final = "unprotected"
ALL: Final = "true"

# The flag of a deployment that mends what a roll-back alarm rings about: CodeDeploy would refuse it.
REPAIR: Final = "repair"


@dataclass(frozen=True, slots=True)
class Target:
    """The settings that differ; `-c target=local` chooses the emulator.

    On AWS `stage` has those of cdk.json, see `andon/cdk/stage.py`; `-c bytecode=…` changes what is compiled. Of the
    emulator `-c origin=…` and `-c liveOrigin=…` say the addresses, `-c sink=…` what takes the requests to hosts of
    others.
    """

    name: str
    stage: Stage
    keeps_data: bool  # tables, users and failures survive the stack; point-in-time recovery
    refuses_deletion: bool  # tables and users: nobody deletes them, neither does the end of a failed deployment
    audited: bool  # cdk-nag checks it
    annotated: bool  # the assembly notes of each resource where it was declared, for the events of a deployment
    takes_passwords: bool  # sign-in may send a password, as a script does
    moves_traffic: bool  # to new code as the stage says, by aliases; without: at once
    archive_days: int | None  # the bus keeps its events so long, for replays
    record_age_seconds: int  # a trigger retries a batch so long, then it is a failure
    filters_absent: bool  # a stream mapping's `exists: false` passes what lacks the parent, too
    resumes_batches: bool  # a stream goes on within a batch, behind what its function says
    listeners: int  # of one queue, at a time
    logged_share: float  # of requests that went well; the API's own log has them all
    queue_batch: tuple[int, int]  # messages, at most, that a listener gets at once, and the seconds to wait for them
    publish_batch: tuple[int, int]  # the same of changes that a trigger gets: their facts share entries of the bus
    push_batch: tuple[int, int]  # the same of changes that a push gets
    lake_batch: tuple[int, int]  # messages, at most, that become one object, and the seconds that it waits for them
    sweeps_shards_apart: bool  # several invocations of a sweep share the shards of what is due
    grace_seconds: int  # a thing that is back within so long was never gone
    layer_platforms: tuple[str, ...]  # pip's platform tags, the best first; without any it is the running interpreter
    bytecode: str  # REQUIRED, OPTIONAL or NONE: whether functions get their modules compiled
    asks_by_athena: bool  # there is a table of the lake, and a work group in which to ask it
    learns_usual: bool  # an alarm may compare a metric with what CloudWatch has learnt of it
    serves_sign_in: bool = False  # Cognito's page is at the API's own origin
    any_claim: bool = False  # whatever kinds of things are declared can be made by a claim
    new_tables: Sequence[str] = ()  # whose first deployment this is, by their outputs
    heeds_alarms: bool = True  # a deployment that a roll-back alarm rings for is refused, or rolled back
    sink: str | None = None  # takes the requests to hosts of others: `http://127.0.0.1:<port>` and a path
    secret: str | None = None  # the value of each secret; None: one that nobody knows is made

    @classmethod
    def of(cls, scope: IConstruct) -> "Target":
        """Return the target that the context of the app chose.

        Raises:
            ValueError: there is none of that name, nothing is known of such bytecode, or the stage is not one.

        """
        app = scope.node.root
        if app not in _OF_APPS:
            _OF_APPS[app] = cls._chosen(app.node)
        return _OF_APPS[app]

    @classmethod
    def _chosen(cls, node: Node) -> "Target":
        context = node.try_get_context
        name, bytecode = context("target") or AWS.name, context("bytecode") or REQUIRED
        if name not in TARGETS:
            raise ValueError(f"-c target={name}: there is {' and '.join(TARGETS)}")
        if bytecode not in _BYTECODE:
            raise ValueError(f"-c bytecode={bytecode}: there is {', '.join(_BYTECODE)}")
        if name == LOCAL.name:
            here = {"origin": context("origin"), "live_origin": context("liveOrigin")}
            stage = replace(LOCAL.stage, **{name: one for name, one in here.items() if one})
            return replace(LOCAL, stage=stage, sink=context(SINK))
        if context(SINK):
            raise ValueError(f"-c {SINK}: it is for one machine alone; on AWS people are told")
        chosen = replace(AWS.of_stage(stages.chosen(node)), bytecode=bytecode)
        if context(REPAIR):
            chosen = replace(chosen, heeds_alarms=False)
        unprotected = context(UNPROTECTED) or ""
        return chosen.unprotected() if unprotected == ALL else replace(chosen, new_tables=unprotected.split(","))

    def unprotected(self) -> "Target":
        """Return this target without its obstacles to deletion by CloudFormation; a trail fills a bucket."""
        stage = replace(self.stage, termination_protection=False, data_trail=False)
        return replace(self, refuses_deletion=False, stage=stage)

    def protects(self, table: str) -> bool:
        """Return True if a table, by its output, refuses deletion; a new one does so from its second deployment on."""
        return self.refuses_deletion and table not in self.new_tables

    def of_stage(self, stage: Stage) -> "Target":
        """Return this target with a stage.

        Raises:
            ValueError: its settings do not go together, or with the region.

        """
        refuse_contradictions(stage)
        return replace(self, stage=stage)

    @property
    def project(self) -> Project:
        """The project that is deployed."""
        return project()

    @property
    def synthesizer(self) -> DefaultStackSynthesizer:
        """The names of `cdk bootstrap`'s resources, by which the stack is deployed."""
        return DefaultStackSynthesizer(qualifier=self.stage.qualifier)

    @property
    def environment(self) -> Environment | None:
        """The account and region; None: whichever the template is deployed to."""
        stage = self.stage
        is_here = self.name == LOCAL.name
        return None if is_here else Environment(account=stage.deployed_account, region=stage.deployed_region)

    @property
    def stack_name(self) -> str:
        """The name of the stack."""
        return stack_of(self.stage.name)

    @property
    def reports(self) -> Throttle:
        """The throttle of each route on which devices report: the planned rate."""
        return Throttle.of(self.stage.reports_per_second)

    @property
    def requests(self) -> Throttle:
        """The throttle of each other route."""
        return Throttle.of(self.stage.requests_per_second)

    @property
    def capacity(self) -> Capacity | None:
        """The capacity of each table that is steady; None: all are on demand."""
        return Capacity.of(self.stage.capacity, self.stage.reports_per_second)

    @property
    def quotas(self) -> Quotas:
        """The quotas of the account."""
        return self.stage.quotas

    @property
    def protected(self) -> bool:
        """True if the stack refuses to be deleted."""
        return self.stage.termination_protection

    @property
    def deployment(self) -> str | None:
        """The way of traffic to new code, see `Canary`; None: at once, without aliases."""
        return self.stage.deployment if self.moves_traffic else None

    @property
    def log_retention(self) -> RetentionDays:
        """The time that logs stay."""
        return RetentionDays[self.stage.log_retention]

    @property
    def sweeps_at_once(self) -> int:
        """Invocations of a sweep that share the shards of due rows: each has one shard, at the least."""
        if not self.sweeps_shards_apart:
            return 1
        return min(len(ALL_SHARDS), max(_FEWEST_SWEEPS, ceil(self.reports.per_second / REPORTS_OF_SWEEP)))

    def queue_batch_within(self, seconds: int) -> tuple[int, int]:
        """Return the batch of a queue's reader that may wait so long; where triggers do not wait, nobody does."""
        size, window_seconds = self.publish_batch
        return (size, seconds) if window_seconds else self.queue_batch

    @property
    def lake_settles_seconds(self) -> int:
        """Seconds until the lake has an event that the bus takes now, unless it is late, which is an alarm."""
        _, window_seconds = self.lake_batch
        return 2 * window_seconds + 5

    @property
    def removal_policy(self) -> RemovalPolicy:
        """The fate of data when their stack is deleted or replaces them.

        What a failed deployment has just made goes, provided that it can be deleted: see `UNPROTECTED`.
        """
        return RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE if self.keeps_data else RemovalPolicy.DESTROY


# Until a stage says its own.
_UNSAID: Final = Stage(
    name=FIRST_STAGE,
    customer_key=False,
    termination_protection=False,
    deployment="ALL_AT_ONCE",
    log_retention="ONE_MONTH",
    # 60,000 devices that report every five minutes are 200 requests a second; spread at random, hardly ever 300.
    reports_per_second=400,
    reports_per_second_of_one=5,
    requests_per_second=100,
)

# All that is sent can be looked at: mail and SMS at the emulator, all else at the sink.
_HERE: Final = replace(
    _UNSAID,
    alarms=False,  # they would wake nobody
    log_retention="ONE_DAY",
    reports_per_second_of_one=1_000,  # `make load` and others report for all machines by one token
    put_events_per_second=LEAST_PUT_EVENTS,
    invocations_per_second=LEAST_INVOCATIONS,
    api_requests_per_second=ACCOUNT_PER_SECOND,
    hold_back_seconds=2,  # events are fast there, and people who try it want to see decisions
    origin="http://127.0.0.1:4566",
    live_origin="ws://data-ats.iot.us-east-1.localhost:4566",  # of `make up`, unless `-c liveOrigin` says another port
    mail_from=SENDER_HERE,
    sms_per_day=1_000,
    webhook_hosts=("events.pagerduty.com", "hooks.example.com", "*.logic.azure.com"),
    push_hosts=("fcm.googleapis.com", "updates.push.services.mozilla.com", "*.push.apple.com", PUSH_HOST_HERE),
    # The public key that belongs to the secret of LOCAL; a test compares them.
    push_key="BJOoeyb9QJd3EBt0xaTOku40SHe_HY7DifMXzXxiOX5XE2bDvkI4fUVnoDghcThdM8bB5EwNj-p5AWzIONDJE4Q",
)

AWS: Final = Target(
    name="aws",
    stage=_UNSAID,
    keeps_data=True,
    refuses_deletion=True,
    audited=True,
    annotated=True,
    takes_passwords=False,
    moves_traffic=True,
    archive_days=28,  # nothing can be erased from it, so that it forgets; the lake remembers
    record_age_seconds=23 * 3600,  # an hour before the stream itself forgets the record
    filters_absent=True,
    resumes_batches=True,
    listeners=10,
    logged_share=0.1,
    # Wait where facts are put together, and not again where they come out: a second more there saves more, and costs
    # no more time than one here (docs/benchmarks.md). A message has up to 90 facts, and a thousand are enough at once.
    queue_batch=(10, 0),
    publish_batch=(200, 2),
    push_batch=(100, 1),
    lake_batch=(10_000, 300),  # the most of both: an object costs as much to write whatever is in it
    sweeps_shards_apart=True,
    grace_seconds=60,
    # The former for pycurl: Lambda's Python runs on Amazon Linux 2023, with glibc 2.34.
    layer_platforms=("manylinux_2_28_aarch64", "manylinux2014_aarch64"),
    bytecode=REQUIRED,
    asks_by_athena=True,
    learns_usual=True,
)

LOCAL: Final = Target(
    name="local",
    stage=_HERE,
    keeps_data=False,
    refuses_deletion=False,
    audited=False,
    annotated=False,  # the command line reads all of it again for each event, half of a deployment's time
    takes_passwords=True,
    moves_traffic=False,
    archive_days=None,  # the emulator refuses a template with an archive in it
    record_age_seconds=60,  # the least possible: the emulator cannot bisect, so a bad record blocks all behind it
    filters_absent=False,  # triggers pass over latched rows themselves; TTL writes no records there
    resumes_batches=False,  # the emulator takes the response of a stream's function for a success, whatever it says
    listeners=2,  # the least that SQS allows: the emulator starts one process for each at once
    logged_share=1.0,
    queue_batch=(10, 0),
    publish_batch=(100, 0),
    push_batch=(100, 0),
    lake_batch=(10, 0),  # the emulator hands over ten at most, and people want to see what they did
    sweeps_shards_apart=False,  # there is little to sweep, and each invocation takes a process
    grace_seconds=1,
    layer_platforms=(),
    bytecode=NONE,  # `make up` needs no other Python than the one that it runs on
    learns_usual=False,
    asks_by_athena=False,  # the emulator's Athena answers with made-up values; `make query` asks DuckDB
    any_claim=True,  # nobody else reaches its broker
    serves_sign_in=True,
    secret="for-this-machine-alone-and-not-secret-at-all",  # noqa: S106  nothing that it signs counts anywhere else
)

TARGETS: Final = {target.name: target for target in (AWS, LOCAL)}

# Hundreds of constructs ask for it, and each look into the context is a message to another process: two thirds of all.
_OF_APPS: Final = WeakKeyDictionary[IConstruct, Target]()
