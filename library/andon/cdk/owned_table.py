"""A DynamoDB table, from the schema that its owner declares, and the permissions on it."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from aws_cdk import Aws
from aws_cdk import aws_applicationautoscaling as scaling
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_kms as kms
from constructs import Construct, IConstruct

from andon.cdk.capacity import PROVISIONED, USED, Capacity, Place, Throughput, warm
from andon.cdk.checks import nag
from andon.cdk.checks.declared import refuse_hot_partitions
from andon.cdk.function import Function
from andon.cdk.names import pascal
from andon.cdk.package_stack import add_output, root_of
from andon.cdk.target import Target
from andon.dynamodb.schema import MOST_RECOVERY_DAYS, Index, Keys, TableSchema
from andon.packages.discovery import role_of
from andon.packages.package import Package
from andon.project import project

# The uses of a customer's key for which DynamoDB needs the permission of its caller.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
KEY_USES: Final = (
    "kms:Decrypt",
    "kms:DescribeKey",
    "kms:Encrypt",
    "kms:GenerateDataKey",
    "kms:GenerateDataKeyWithoutPlaintext",
    "kms:ReEncryptFrom",
    "kms:ReEncryptTo",
)


class OwnedTable(dynamodb.Table):
    """A table without a fixed name; its id and its output are its environment variable in PascalCase.

    is_rebuilt: all that is in it comes from events, so that a backup of it would be a second one. places: of a steady
    one, the table (named "") and its indexes; capacity: theirs, None: on demand.
    """

    def __init__(self, scope: Construct, variable: str, schema: TableSchema, *, is_rebuilt: bool = False) -> None:
        refuse_hot_partitions(variable, schema)
        refuse_remembering(variable, schema)
        target, (partition_key, sort_key) = Target.of(scope), _attributes(schema.keys)
        self.capacity = target.capacity if schema.steady else None
        self.places = places_of(schema, is_rebuilt=is_rebuilt) if schema.steady else {}
        first = self._first("")
        super().__init__(
            scope,
            pascal(variable),
            partition_key=partition_key,
            sort_key=sort_key,
            billing_mode=dynamodb.BillingMode.PROVISIONED if first else dynamodb.BillingMode.PAY_PER_REQUEST,
            read_capacity=first.reads if first else None,
            write_capacity=first.writes if first else None,
            warm_throughput=self._warm("", target),
            table_class=dynamodb.TableClass.STANDARD_INFREQUENT_ACCESS if schema.seldom_read else None,
            stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES if schema.stream else None,
            time_to_live_attribute="ttl" if schema.expires else None,
            encryption=_encryption(target),
            encryption_key=_customer_key(scope) if target.stage.customer_key else None,
            point_in_time_recovery_specification=_recovery(schema, is_kept=target.keeps_data and not is_rebuilt),
            deletion_protection=target.protects(pascal(variable)),
            removal_policy=target.removal_policy,
        )
        if first:  # the default, which CDK leaves out: an update from the other mode is to say so
            _resource(self).billing_mode = PROVISIONED
        if is_rebuilt:
            nag.acknowledge(self, DDB3=nag.REBUILT)
        self.variable, self.keys, self.index_names = variable, schema.keys, tuple(schema.indexes)
        self._add_indexes(schema, target)
        # By name: the `/index/*` of `grant` would allow indexes that nobody declared.
        self._indexes = [f"{variable}/{name}" for name in self.index_names]
        add_output(self, pascal(variable), self.table_name, "a table")

    def grant_read(self, function: Function) -> None:
        """Allow single reads and queries, of the table and of each declared index."""
        self._grant_less(function, {self.variable: ("GetItem", "Query"), **dict.fromkeys(self._indexes, ("Query",))})

    def grant_actions(self, function: Function, *actions: str) -> None:
        """Allow exactly these actions, as `PutItem`, on the table and on no index."""
        self._grant_less(function, {self.variable: actions})

    def grant_exactly(self, function: Function, *actions: str) -> None:
        """Allow these actions on the table to a function of another package, which declares nothing about it."""
        self._grant(function, [f"dynamodb:{action}" for action in actions], [self.table_arn])

    def grant_follow(self, function: Function) -> str:
        """Allow reading the stream; return its ARN."""
        # `grant_stream_read` would allow ListStreams on every table of the account.
        stream = str(self.table_stream_arn)
        reads = ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
        self._grant(function, [f"dynamodb:{action}" for action in reads], [stream])
        return stream

    def _grant_less(self, function: Function, most: Mapping[str, Sequence[str]]) -> None:
        """Allow the calls that the package declares for the role; without a declaration, the `most`."""
        for place, actions in function.package.grants.get(function.role, most).items():
            variable, _, index = place.partition("/")
            if variable == self.variable:
                on = f"{self.table_arn}/index/{index}" if index else self.table_arn
                self._grant(function, [f"dynamodb:{action}" for action in actions], [on])

    def _grant(self, function: Function, actions: list[str], resources: list[str]) -> None:
        function.grant(actions, resources)
        if self.encryption_key:
            through_dynamodb = {"StringEquals": {"kms:ViaService": f"dynamodb.{Aws.REGION}.amazonaws.com"}}
            function.grant(list(KEY_USES), [self.encryption_key.key_arn], only_if=through_dynamodb)

    def _first(self, place: str) -> Throughput | None:
        return self.capacity.first_of(self.places[place]) if self.capacity else None

    def _warm(self, place: str, target: Target) -> dynamodb.WarmThroughput | None:
        """Return the warm throughput of a place on demand; None: as every new one."""
        asked = warm(self.places[place], target.reports.per_second) if self.places and not self.capacity else None
        if asked is None:
            return None
        return dynamodb.WarmThroughput(read_units_per_second=asked.reads, write_units_per_second=asked.writes)

    def _add_indexes(self, schema: TableSchema, target: Target) -> None:
        for name, index in schema.indexes.items():
            partition_key, sort_key = _attributes(index.keys)
            first = self._first(name)
            self.add_global_secondary_index(
                index_name=name,
                partition_key=partition_key,
                sort_key=sort_key,
                read_capacity=first.reads if first else None,
                write_capacity=first.writes if first else None,
                warm_throughput=self._warm(name, target),
                projection_type=_projection(index),
                non_key_attributes=list(index.projects) if index.projects else None,
            )


def places_of(schema: TableSchema, *, is_rebuilt: bool) -> dict[str, Place]:
    """Return the table (named "") and its indexes; is_rebuilt: of a view, for screens read its table."""
    table = Place(schema.steady_reads, schema.steady, is_shown=is_rebuilt)
    return {"": table, **{name: Place(writes_steadily=index.steady) for name, index in schema.indexes.items()}}


def refuse_remembering(table: str, schema: TableSchema) -> None:
    """Refuse a table that is to forget soon, and cannot: its changes leave by a stream, or AWS knows no such period.

    Raises:
        ValueError: it is one; with the table.

    """
    if not 1 <= schema.recovery_days <= MOST_RECOVERY_DAYS:
        raise ValueError(f"{table}: recovery_days is {schema.recovery_days}, but should be 1 to {MOST_RECOVERY_DAYS}")
    if schema.stream and schema.recovery_days < MOST_RECOVERY_DAYS:
        raise ValueError(
            f"{table}: {schema.recovery_days} recovery_days and a stream: what leaves by it is kept elsewhere. Keep "
            "what is to be forgotten in a table without a stream, and what others have to know of it in another one."
        )


def _recovery(schema: TableSchema, *, is_kept: bool) -> dynamodb.PointInTimeRecoverySpecification:
    """Return the days back to which a table can be restored; AWS's own period is left out, as it always was."""
    is_shorter = is_kept and schema.recovery_days < MOST_RECOVERY_DAYS
    return dynamodb.PointInTimeRecoverySpecification(
        point_in_time_recovery_enabled=is_kept,
        recovery_period_in_days=schema.recovery_days if is_shorter else None,
    )


def _resource(table: dynamodb.Table) -> dynamodb.CfnTable:
    made = table.node.default_child
    if not isinstance(made, dynamodb.CfnTable):
        raise TypeError(f"{table.node.path} is no table")
    return made


def _projection(index: Index) -> dynamodb.ProjectionType:
    if index.projects is None:
        return dynamodb.ProjectionType.ALL
    return dynamodb.ProjectionType.INCLUDE if index.projects else dynamodb.ProjectionType.KEYS_ONLY


def _encryption(target: Target) -> dynamodb.TableEncryption:
    return dynamodb.TableEncryption.CUSTOMER_MANAGED if target.stage.customer_key else dynamodb.TableEncryption.DEFAULT


def _customer_key(scope: Construct) -> kms.Key:
    """Return the key of all tables of a stack: each costs a dollar a month."""
    stack = root_of(scope)
    found = stack.node.try_find_child("TablesKey")
    if isinstance(found, kms.Key):
        return found
    target = Target.of(scope)
    return kms.Key(
        stack,
        "TablesKey",
        enable_key_rotation=True,
        removal_policy=target.removal_policy,
        description=f"{target.project.name}: tables",
    )


def _attributes(keys: Keys) -> tuple[dynamodb.Attribute, dynamodb.Attribute | None]:
    partition_key = dynamodb.Attribute(name=keys.partition, type=dynamodb.AttributeType.STRING)
    if keys.sort is None:
        return partition_key, None
    sort_type = dynamodb.AttributeType.NUMBER if keys.sort_type == "N" else dynamodb.AttributeType.STRING
    return partition_key, dynamodb.Attribute(name=keys.sort, type=sort_type)


# Rights for callers who are limited to places, `andon/http/places.py`: functions read where subjects are.

NO_TABLE: Final = (
    "{package} reads where subjects are, by {table}, which no view of the stack has: add the view's line, or let "
    "`whereabouts` of functions/project.py name the version that is left."
)


def let_find_subjects(package: Package, functions: Mapping[str, Function], tables: Mapping[str, OwnedTable]) -> None:
    """Let the functions behind a package's routes read where subjects are, if a route asks; `tables`: of views.

    In a stack without views nobody knows where anything is, and whoever is limited is refused.

    Raises:
        ValueError: the stack does not have the table that the project names.

    """
    declared = project().whereabouts
    if declared is None or not tables:
        return
    for role, actions in _reads_of(package).items():
        if declared.table not in tables:
            raise ValueError(NO_TABLE.format(package=package.folder, table=declared.table))
        table = tables[declared.table]
        functions[role].handler.add_environment(declared.table, table.table_name)
        table.grant_exactly(functions[role], *sorted(actions))


def _reads_of(package: Package) -> Mapping[str, set[str]]:
    """Return DynamoDB's actions by the role of the function."""
    reads: dict[str, set[str]] = {}
    for route in package.routes:
        at = package.limits.get(route)
        if at is not None and at.reads:
            reads.setdefault(role_of(route), set()).update(at.reads)
    return reads


# Capacity of tables and indexes that follows their load: for writes and for reads, a target and a policy.

DYNAMODB: Final = "dynamodb"
KINDS: Final = ("Read", "Write")

_TOO_MUCH: Final = (
    "{places} steady tables and indexes begin with {reads:,} units of reads and {writes:,} of writes, but an account "
    "has {quota:,} of either: {names}. Take STEADY from a view (its table is on demand then), take an index from it, "
    "or ask AWS for more and write it down: tableUnitsPerSecond in stages.{stage} of cdk.json."
)


def follow_load(found: Iterable[IConstruct]) -> None:
    """Track the load of every table with provisioned capacity, and of each of its indexes, beside the table.

    Application Auto Scaling acts by a role linked to the service, which it creates, and adds four alarms to each
    policy. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/AutoScaling.html

    Raises:
        ValueError: together they begin with more than an account has.

    """
    steady = [(one, one.capacity) for one in found if isinstance(one, OwnedTable) and one.capacity]
    _refuse_too_much(steady)
    for table, capacity in steady:
        scope = Construct(table, "Scaling")
        for index, place in table.places.items():
            resource = f"table/{table.table_name}" + (f"/index/{index}" if index else "")
            dimension = f"{DYNAMODB}:{'index' if index else 'table'}"
            for kind, least in zip(KINDS, capacity.least_of(place), strict=True):
                name = f"{table.node.id}{index}{kind}s"
                _track(scope, name, kind, resource=resource, dimension=dimension, least=least, most=capacity.most)


def _refuse_too_much(steady: Sequence[tuple[OwnedTable, Capacity]]) -> None:
    """Refuse tables that together begin with more than an account has: their creation would fail half-way."""
    for table, _ in steady[:1]:
        target, names = Target.of(table), sorted(chain.from_iterable(_names(one) for one, _ in steady))
        firsts = [capacity.first_of(place) for one, capacity in steady for place in one.places.values()]
        together = Throughput(*map(sum, zip(*firsts, strict=True)))
        if max(together) > target.stage.table_units_per_second:
            raise ValueError(
                _TOO_MUCH.format(
                    **together._asdict(),
                    places=len(names),
                    quota=target.stage.table_units_per_second,
                    names=", ".join(names),
                    stage=target.stage.name,
                )
            )


def _names(table: OwnedTable) -> list[str]:
    return [f"{table.variable}/{index}" if index else table.variable for index in table.places]


def _track(scope: Construct, name: str, kind: str, *, resource: str, dimension: str, least: int, most: int) -> None:
    target = scaling.CfnScalableTarget(
        scope,
        name,
        service_namespace=DYNAMODB,
        resource_id=resource,
        scalable_dimension=f"{dimension}:{kind}CapacityUnits",
        min_capacity=least,
        max_capacity=most,
    )
    scaling.CfnScalingPolicy(
        scope,
        f"{name}Follow",
        policy_name=f"{kind}s",
        policy_type="TargetTrackingScaling",
        scaling_target_id=target.ref,
        target_tracking_scaling_policy_configuration=_followed(kind),
    )


def _followed(kind: str) -> scaling.CfnScalingPolicy.TargetTrackingScalingPolicyConfigurationProperty:
    used = scaling.CfnScalingPolicy.PredefinedMetricSpecificationProperty(
        predefined_metric_type=f"DynamoDB{kind}CapacityUtilization"
    )
    return scaling.CfnScalingPolicy.TargetTrackingScalingPolicyConfigurationProperty(
        predefined_metric_specification=used, target_value=USED
    )
