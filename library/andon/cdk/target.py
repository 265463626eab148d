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
from andon.cdk.capacity import QUOTA_OF_ACCOUNT, Capacity
from andon.cdk.checks.partition import refuse_foreign
from andon.cdk.names import FIRST_STAGE, SINK, stack_of
from andon.cdk.outbound_settings import OF_ALL_STAGES, ON_ONE_MACHINE, OutboundSettings
from andon.cdk.stage import Stage
from andon.cdk.throttles import LEAST, OF_ONE, REPORTS, REQUESTS, Quotas, Throttle
from andon.project import Project, project
from andon.rules import hold_back
from andon.rules.sweep import ALL_SHARDS

MOST_LOCK_DAYS: Final = 28

REQUIRED: Final = "required"  # without the Python that compiles it there is no synth
OPTIONAL: Final = "optional"  # there is one, with a warning: for looking at it
NONE: Final = "none"
BYTECODE: Final = (REQUIRED, OPTIONAL, NONE)

# A sweep could serve many times as many (docs/rules.md): the more there are, the earlier a minute's decisions are made.
REPORTS_OF_SWEEP: Final = 400
FEWEST_SWEEPS: Final = 5  # one rule's

# The flag of the first deployment of a stage ("true"), or of some tables (their outputs, by commas), which `make
# deploy` sets: what CloudFormation could not delete, were it to fail, is protected by the deployment after it. Who
# forgets it has the protections.
UNPROTECTED: Final = "unprotected"
ALL: Final = "true"

# The flag of a deployment that mends what a roll-back alarm rings about: CodeDeploy would refuse it.
REPAIR: Final = "repair"

NO_TOPIC: Final = (
    "stage {stage}: alarms would wake nobody. Create an SNS topic, subscribe to it (docs/deploy.md), and name it: "
    "alarmTopic in stages.{stage} of cdk.json, or -c alarmTopic=<name or ARN>. A stage without alarms has "
    '"alarms": false.'
)

# https://docs.aws.amazon.com/general/latest/gr/iot-core.html#iot-core-data-plane-endpoints
NO_BROKER: Final = (
    "stage {stage}: name the account's own broker, for the region's common one is for trying out: liveOrigin in "
    "stages.{stage} of cdk.json, or -c liveOrigin=wss://<host>, with the host that `aws iot describe-endpoint "
    "--endpoint-type iot:Data-ATS` answers."
)


@dataclass(frozen=True, slots=True)
class Target:
    """The settings that differ; `-c target=local` chooses the emulator.

    On AWS each stage adds its own, see `andon/cdk/stage.py`; `-c bytecode=…` changes what is compiled. Of the emulator
    `-c origin=…` and `-c liveOrigin=…` say the addresses, `-c sink=…` what takes the requests to hosts of others.
    """

    name: str
    keeps_data: bool  # tables, users and failures survive the stack; point-in-time recovery
    refuses_deletion: bool  # tables and users: nobody deletes them, neither does the end of a failed deployment
    audited: bool  # cdk-nag checks it
    annotated: bool  # the assembly notes of each resource where it was declared, for the events of a deployment
    traced: bool  # X-Ray has a sample of invocations
    takes_passwords: bool  # sign-in may send a password, as a script does
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
    hold_back_seconds: int  # a decision waits so long for events on their way
    grace_seconds: int  # a thing that is back within so long was never gone
    layer_platforms: tuple[str, ...]  # pip's platform tags, the best first; without any it is the running interpreter
    bytecode: str  # REQUIRED, OPTIONAL or NONE: whether functions get their modules compiled
    asks_by_athena: bool  # there is a table of the lake, and a work group in which to ask it
    learns_usual: bool  # an alarm may compare a metric with what CloudWatch has learnt of it
    live_origin: str | None  # where browsers connect to the broker; None: AWS says it at run time
    log_retention: RetentionDays
    serves_sign_in: bool = False  # Cognito's page is at the API's own origin
    origin: str | None = None  # where people see the page; without one it is at API Gateway's own address
    stage: str = FIRST_STAGE
    environment: Environment | None = None  # account and region; None: whichever the template is deployed to
    qualifier: str | None = None  # of what `cdk bootstrap` made; None: CDK's own
    protected: bool = False  # the stack refuses to be deleted
    new_tables: Sequence[str] = ()  # whose first deployment this is, by their outputs
    deployment: str | None = None  # how traffic moves to new code, see canary.py; None: at once, without aliases
    heeds_alarms: bool = True  # a deployment that a roll-back alarm rings for is refused, or rolled back
    reports: Throttle = REPORTS  # of each route on which devices report: what is planned
    reports_of_one: int = OF_ONE  # of it, a second, for each caller of a route that is shared out
    requests: Throttle = REQUESTS  # of each other route
    quotas: Quotas = LEAST
    capacity: Capacity | None = None  # of each table that is steady; None: all are on demand
    table_units: int = QUOTA_OF_ACCOUNT  # provisioned, of all tables of the account
    customer_key: bool = False  # tables are encrypted with a key of this account instead of DynamoDB's own
    alarmed: bool = True  # there are alarms; those of a deployment end it
    alarm_topic: str | None = None  # the SNS topic for alarms, by its ARN or its name
    runbooks: str = "docs/runbooks"  # where the pages that alarms name can be read
    provisioned_by_claim: tuple[str, ...] | None = ()  # kinds of things that a claim makes; None: all that are declared
    second_factor: bool = False  # a user may have one, by an app; a device has none
    places_required: bool = False  # a caller without a place is nowhere
    trailed: bool = False  # CloudTrail writes down who reads what is recorded
    lake_lock_days: int | None = None  # so long S3 itself keeps what is in the lake
    replica_region: str | None = None  # lake and archive are copied there, for when this one is lost
    outbound: OutboundSettings = OF_ALL_STAGES  # how people are told

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
        if bytecode not in BYTECODE:
            raise ValueError(f"-c bytecode={bytecode}: there is {', '.join(BYTECODE)}")
        if name == LOCAL.name:
            origin, live_origin = context("origin"), context("liveOrigin")
            outbound = LOCAL.outbound.with_sink(context(SINK) or LOCAL.outbound.sink)
            return replace(
                LOCAL, origin=origin or LOCAL.origin, live_origin=live_origin or LOCAL.live_origin, outbound=outbound
            )
        if context(SINK):
            raise ValueError(f"-c {SINK}: it is for one machine alone; on AWS people are told")
        chosen = replace(AWS.of_stage(stages.chosen(node)), bytecode=bytecode)
        if context(REPAIR):
            chosen = replace(chosen, heeds_alarms=False)
        unprotected = context(UNPROTECTED) or ""
        return chosen.unprotected() if unprotected == ALL else replace(chosen, new_tables=unprotected.split(","))

    def unprotected(self) -> "Target":
        """Return this target without what would keep CloudFormation from deleting all of it; a trail fills a bucket."""
        return replace(self, refuses_deletion=False, protected=False, trailed=False)

    def protects(self, table: str) -> bool:
        """Return True if a table, by its output, refuses deletion; a new one does so from its second deployment on."""
        return self.refuses_deletion and table not in self.new_tables

    def of_stage(self, stage: Stage) -> "Target":
        """Return this target with the settings of a stage.

        Raises:
            ValueError: alarms would wake nobody, a protected stage has no broker of its own, CDK does not know a name,
                one caller's share is none, the lake's lock lasts too long, messages could not be sent as it says, or
                the region cannot be deployed to or takes less than is planned.

        """
        if stage.alarms and stage.alarm_topic is None:
            raise ValueError(NO_TOPIC.format(stage=stage.name))
        if stage.termination_protection and stage.live_origin is None:
            raise ValueError(NO_BROKER.format(stage=stage.name))
        refuse_foreign(stage.deployed_region)
        refuse_remembering(stage)
        hold_back_seconds, quotas = stage.hold_back_seconds, _quotas(stage)
        return replace(
            self,
            stage=stage.name,
            environment=Environment(account=stage.deployed_account, region=stage.deployed_region),
            qualifier=stage.qualifier,
            protected=stage.termination_protection,
            deployment=stage.deployment,
            reports=Throttle.of(stage.reports_per_second),
            reports_of_one=_share(stage),
            requests=Throttle.of(stage.requests_per_second),
            quotas=quotas,
            origin=stage.origin,
            live_origin=stage.live_origin,
            capacity=Capacity.of(stage.capacity, stage.reports_per_second),
            table_units=stage.table_units_per_second or self.table_units,
            traced=stage.traced,
            customer_key=stage.customer_key,
            alarmed=stage.alarms,
            alarm_topic=stage.alarm_topic if stage.alarms else None,
            runbooks=stage.runbooks or self.runbooks,
            provisioned_by_claim=stage.provisioned_by_claim,
            second_factor=stage.second_factor,
            places_required=stage.places_required,
            trailed=stage.data_trail,
            lake_lock_days=stage.lake_lock_days,
            replica_region=_replica_region(stage),
            outbound=OutboundSettings.of_stage(stage),
            hold_back_seconds=self.hold_back_seconds if hold_back_seconds is None else hold_back_seconds,
            log_retention=_retention(stage.log_retention),
        )

    @property
    def project(self) -> Project:
        """The project that is deployed."""
        return project()

    @property
    def synthesizer(self) -> DefaultStackSynthesizer:
        """The names of what `cdk bootstrap` made, by which the stack is deployed."""
        return DefaultStackSynthesizer(qualifier=self.qualifier)

    @property
    def stack_name(self) -> str:
        """The name of the stack."""
        return stack_of(self.stage)

    @property
    def sweeps_at_once(self) -> int:
        """Invocations of a sweep that share the shards of what is due: each has one shard, at the least."""
        if not self.sweeps_shards_apart:
            return 1
        return min(len(ALL_SHARDS), max(FEWEST_SWEEPS, ceil(self.reports.per_second / REPORTS_OF_SWEEP)))

    def queue_batch_within(self, seconds: int) -> tuple[int, int]:
        """Return the batch of a queue's reader that may wait so long; where triggers do not wait, nobody does."""
        size, window_seconds = self.publish_batch
        return (size, seconds) if window_seconds else self.queue_batch

    @property
    def lake_settles_seconds(self) -> int:
        """After so many seconds the lake has what the bus takes now, unless it is late, which is an alarm."""
        _, window_seconds = self.lake_batch
        return 2 * window_seconds + 5

    @property
    def removal_policy(self) -> RemovalPolicy:
        """The fate of data whose stack is deleted or replaces them.

        What a failed deployment has just made goes, provided that it can be deleted: see `UNPROTECTED`.
        """
        return RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE if self.keeps_data else RemovalPolicy.DESTROY


AWS: Final = Target(
    name="aws",
    keeps_data=True,
    refuses_deletion=True,
    audited=True,
    annotated=True,
    traced=False,  # a stage says its own
    takes_passwords=False,
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
    hold_back_seconds=hold_back.DEFAULT_SECONDS,
    grace_seconds=60,
    # The former for pycurl: Lambda's Python runs on Amazon Linux 2023, with glibc 2.34.
    layer_platforms=("manylinux_2_28_aarch64", "manylinux2014_aarch64"),
    bytecode=REQUIRED,
    asks_by_athena=True,
    learns_usual=True,
    live_origin=None,
    log_retention=RetentionDays.ONE_MONTH,  # a stage says its own
)

LOCAL: Final = Target(
    name="local",
    keeps_data=False,
    refuses_deletion=False,
    audited=False,
    annotated=False,  # the command line reads all of it again for each event, half of a deployment's time
    traced=False,
    takes_passwords=True,
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
    hold_back_seconds=2,  # events are fast there, and people who try it want to see decisions
    grace_seconds=1,
    layer_platforms=(),
    bytecode=NONE,  # `make up` needs no other Python than the one that it runs on
    learns_usual=False,
    alarmed=False,  # they would wake nobody
    asks_by_athena=False,  # the emulator's Athena answers with made-up values; `make query` asks DuckDB
    provisioned_by_claim=None,  # nobody else reaches its broker
    reports_of_one=1_000,  # `make load` and others report for all machines by one token
    live_origin="ws://data-ats.iot.us-east-1.localhost:4566",  # of `make up`, unless `-c liveOrigin` says another port
    log_retention=RetentionDays.ONE_DAY,
    serves_sign_in=True,
    origin="http://127.0.0.1:4566",
    outbound=ON_ONE_MACHINE,
)

TARGETS: Final = {target.name: target for target in (AWS, LOCAL)}

# Hundreds of constructs ask for it, and each look into the context is a message to another process: two thirds of all.
_OF_APPS: Final = WeakKeyDictionary[IConstruct, Target]()


def _quotas(stage: Stage) -> Quotas:
    usual, planned = Quotas.of(stage.deployed_region), stage.reports_per_second
    quotas = Quotas(
        stage.put_events_per_second or usual.put_events,
        stage.invocations_per_second or usual.invocations,
        stage.api_requests_per_second or usual.api,
    )
    if planned > quotas.api:
        raise ValueError(
            f"reportsPerSecond is {planned:,}, but API Gateway takes {quotas.api:,} requests a second of an account in "
            f"{stage.deployed_region or 'a region'}. Ask AWS for more (quota L-8A5B8E43 of apigateway), and write it "
            f"down: apiRequestsPerSecond in stages.{stage.name} of cdk.json"
        )
    return quotas


def _share(stage: Stage) -> int:
    share, all_of_it = stage.reports_per_second_of_one, stage.reports_per_second
    if not 1 <= share <= all_of_it:
        raise ValueError(f"reportsPerSecondOfOne is {share}, but should be from 1 to reportsPerSecond, {all_of_it}")
    return share


def _replica_region(stage: Stage) -> str | None:
    """Return the region of the copies. The stage has to say its own: else nobody knows that it is another one."""
    there, here = stage.replica_region, stage.region
    if there is not None and (here is None or here == there):
        raise ValueError(f"replicaRegion is {there}: stages.{stage.name} of cdk.json needs another one as its region")
    return there


def refuse_remembering(stage: Stage) -> None:
    """Refuse a lock that outlives what is erased.

    Raises:
        ValueError: it does.

    """
    if (stage.lake_lock_days or 0) > MOST_LOCK_DAYS:
        raise ValueError(
            f"lakeLockDays is {stage.lake_lock_days}, but at most {MOST_LOCK_DAYS}: what is replaced, because "
            "a person in it was erased, has to go after so many days"
        )


def _retention(name: str) -> RetentionDays:
    if name not in RetentionDays.__members__:
        raise ValueError(f"logRetention: CDK's RetentionDays has no {name}")
    return RetentionDays[name]
