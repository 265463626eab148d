"""A write side: the tables it owns, a function for each handler file, and the way of its changes to the bus."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from aws_cdk import Aws, Duration, SecretValue
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_secretsmanager as secretsmanager
from constructs import Construct

from andon.cdk import queues
from andon.cdk.api import Api
from andon.cdk.buckets import READERS, Models, OwnedContents
from andon.cdk.changes import failure_store, follow, published
from andon.cdk.checks import nag
from andon.cdk.checks.declared import refuse_idle_rules, refuse_unlifted, refuse_unversioned
from andon.cdk.checks.loops import Participant
from andon.cdk.event_hub import EventHub
from andon.cdk.function import Function
from andon.cdk.names import FAILURES_BUCKET, TRIGGER, pascal
from andon.cdk.operations import dashboard
from andon.cdk.operations.signals import OF_INGESTING, OF_MODEL, OF_READER, OF_SENDING, Watched, of_facts
from andon.cdk.owned_table import OwnedTable
from andon.cdk.package_stack import add_output, root_of
from andon.cdk.part import Part
from andon.cdk.queues import Batch, Reader
from andon.cdk.target import Target
from andon.cdk.things import Provisioning, Things, kinds_by_claim
from andon.cdk.throttles import throttles_of
from andon.events import fault, publish_changes
from andon.http import http_api
from andon.outbound import variables
from andon.outbound.delivery import most_receives
from andon.outbound.pace import OPENS_AT
from andon.packages.discovery import role_of
from andon.packages.package import PROVISION, Package
from andon.rules import micro_event_store, timing
from andon.rules.sweep import ALL_SHARDS, EVERY_SECONDS, SHARDS
from andon.versions.owned import COMMAND_ACTIONS
from andon.wire import queue

# Rights of senders alone: mail, SMS, hosts of others; and the secrets of links and of push.

READ: Final = "secretsmanager:GetSecretValue"
CHARACTERS: Final = 64  # of letters and digits, 5.9 bits each
COMMAND: Final = "command"

# Of one message. SNS refuses one that would cost more: https://docs.aws.amazon.com/sns/latest/dg/sms_publish-to-phone.html
SMS_MOST_DOLLARS: Final = "0.25"


def let_send(sender: Function, api: Api, *, others: Mapping[str, Function]) -> None:
    """Let a sender use the channels of the stage; a command knows the hosts, and refuses addresses elsewhere."""
    target = Target.of(sender)
    settings = target.stage
    hosts = {
        variables.WEBHOOK_HOSTS: " ".join(settings.webhook_hosts),
        variables.PUSH_HOSTS: " ".join(settings.push_hosts),
    }
    for function in (sender, *(one for role, one in others.items() if role == COMMAND)):
        _add_environment(function, hosts)
    _add_environment(
        sender,
        {
            variables.MAIL_FROM: settings.mail_from,
            variables.SMS_MOST_DOLLARS: SMS_MOST_DOLLARS if settings.sms_per_day else None,
            variables.SMS_PER_DAY: str(settings.sms_per_day) if settings.sms_per_day else None,
            variables.LINK_ORIGIN: api.page_origin,
            variables.LINK_HOURS: str(settings.link_hours),
            variables.SINK: target.sink,
        },
    )
    if settings.mail_from:
        _let_mail(sender, settings.mail_from)
    if settings.sms_per_day:
        _let_text(sender)


def _let_read_secrets(package: Package, functions: Mapping[str, Function]) -> None:
    """Let the roles that a package names read a secret of the stack; that of push exists where there is push."""
    for variable, roles in package.secrets.items():
        for role in roles:
            function = functions[role]
            if variable != variables.PUSH_SECRET or Target.of(function).stage.push_hosts:
                secret = _secret(function, variable)
                function.handler.add_environment(variable, secret.secret_arn)
                function.grant([READ], [secret.secret_arn])


def _secret(function: Function, variable: str) -> secretsmanager.Secret:
    """Return the stack's secret of a name; one for all packages, for one signs and another one verifies."""
    root, name = root_of(function), pascal(variable)
    existing = root.node.try_find_child(name)
    if isinstance(existing, secretsmanager.Secret):
        return existing
    target = Target.of(function)
    known = target.secret
    secret = secretsmanager.Secret(
        root,
        name,
        description=f"{target.project.name}: {variable}",
        secret_string_value=SecretValue.unsafe_plain_text(known) if known else None,
        generate_secret_string=None
        if known
        else secretsmanager.SecretStringGenerator(password_length=CHARACTERS, exclude_punctuation=True),
        removal_policy=target.removal_policy,
    )
    nag.acknowledge(secret, SMG4=nag.SECRETS)
    add_output(root, name, secret.secret_arn, "a secret")
    return secret


def _add_environment(function: Function, variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value:
            function.handler.add_environment(name, value)


def _let_mail(sender: Function, address: str) -> None:
    """Allow mail from one address. SES asks for more than its identity, which the condition names.

    In the sandbox it asks for those of the recipients, too, and always for the account's default configuration set.
    https://docs.aws.amazon.com/ses/latest/dg/control-user-access.html
    """
    kinds = ("identity", "configuration-set")
    asked = [f"arn:{Aws.PARTITION}:ses:{Aws.REGION}:{Aws.ACCOUNT_ID}:{kind}/*" for kind in kinds]
    sender.grant(["ses:SendEmail"], asked, only_if={"StringEquals": {"ses:FromAddress": address}})
    for every in asked:
        nag.acknowledge_wildcard(sender, every, nag.MAIL)


def _let_text(sender: Function) -> None:
    """Allow SMS. A phone number is no resource, so that all are allowed, and each topic is denied.

    https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
    """
    sender.grant(["sns:Publish"], ["*"])
    sender.deny(["sns:Publish"], ["arn:aws:sns:*:*:*"])
    nag.acknowledge_wildcard(sender, "*", nag.PHONES)


# Stores events and the rows that rules need beside them; queries for newer events first.
LISTENER_ACTIONS: Final = ("PutItem", "Query", "UpdateItem")
_DECIDING_ACTIONS: Final = ("GetItem", "PutItem", "Query")  # reads the history of an event, consistently: so no index
_KEEPING_ACTIONS: Final = ("PutItem",)  # a revision that is not there, which is not read
# Of the rows by which it knows what a thing may speak of, and of those about who is connected.
_INGEST_ACTIONS: Final = ("BatchGetItem", "GetItem", "PutItem")
# Of the rows by which it knows who is registered, and of those that reserve a thing for who is about to become it.
_PROVISION_ACTIONS: Final = ("GetItem", "PutItem")
_RESTORE_ACTIONS: Final = ("PutItem", "UpdateItem")  # a row that is not there, the ttl of one that is
_SENDER_ACTIONS: Final = ("GetItem", "PutItem", "Query", "UpdateItem")  # claims and marks, by what waits
_SWEEP_ACTIONS: Final = (*_DECIDING_ACTIONS, "DeleteItem")  # what is done is not due any more

_SWEEPS_EVERY: Final = Duration.seconds(EVERY_SECONDS)

# What is asked within so long is told together. One message at a time: a provider that is slow delays no other one.
_SENDS: Final = Batch(size=1, delay_seconds=10, receives=most_receives)

# Twice as many as open a breaker: where a provider never answers, half of them may wait for it until it is open.
_FEWEST_SENDERS: Final = 2 * OPENS_AT

# https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html
_TARGETS_OF_RULE: Final = 5


class Service(Part):
    """An autonomous service, from its package's declarations; `stream_first` allows its commands to publish, too.

    With a listener it keeps something of events of others, with an `ingress.py` things publish to it, and are made by a
    claim where the stage says so. With a `control.py` it is a control service: its trigger decides upon events, and its
    sweep when time has passed.
    """

    def __init__(
        self,
        scope: Construct,
        name: str,
        hub: EventHub,
        api: Api,
        *,
        stream_first: bool = False,
        formerly: str | None = None,
    ) -> None:
        super().__init__(scope, Package("services", name), hub, api, formerly=formerly)
        self._stream_first = stream_first

    reader: Reader | None = None
    sending: Reader | None = None
    ingesting: Reader | None = None

    def build(self) -> None:
        """Create tables and functions, grant each role its calls, follow the streams, subscribe."""
        package, stack = self.package, self.stack
        self._refuse()
        self._tables = {variable: OwnedTable(stack, variable, schema) for variable, schema in package.tables.items()}
        named = {name: table.table_name for name, table in self._tables.items()}
        self._by_claim = kinds_by_claim(package, Target.of(stack))
        self.functions = self.create_functions(named, but=() if self._by_claim else (PROVISION,))
        self._serve()
        facts = frozenset((package.name, event_type) for event_type in package.types | {fault.TYPE})
        self.hub.join(Participant(package.name, package.subscriptions, facts, package.latched))
        self._wire()
        if package.contents:
            OwnedContents(stack, package, package.contents, functions=self.functions, api=self.api)
        _let_read_secrets(package, self.functions)
        for variable in package.models:
            Models(stack, variable, functions=self.functions)

    def _refuse(self) -> None:
        """Refuse a package that contradicts itself.

        Raises:
            ValueError: see each check.

        """
        package = self.package
        refuse_idle_rules(package)
        refuse_unlifted(package)
        refuse_unversioned(package)
        if self._decides:
            package.load("control")  # refuses a rule that its store forgets

    def _wire(self) -> None:
        wiring = {
            "command": self._wire_command,
            "query": self._wire_query,
            "ingest": self._wire_ingest,
            PROVISION: self._wire_provision,
            "trigger": self._wire_trigger,
            "listener": self._wire_listener,
            "sweep": self._wire_sweep,
            "sender": self._wire_sender,
            "restore": self._wire_restore,
        }
        for role, wire in wiring.items():
            if role in self.functions:
                wire(self.functions[role])

    def signals(self) -> Iterator[Watched]:
        """Yield its listener, its sender, its ingest, its model and its facts."""
        if self.reader:
            yield self.reader, OF_READER
        if self.sending:
            yield self.sending, OF_SENDING
        if self.ingesting:
            yield self.ingesting, OF_INGESTING
        if self.package.models:
            yield self.functions[READERS[0]], OF_MODEL
        if "trigger" in self.functions:
            yield self.functions["trigger"], of_facts(self.package.facts)

    def widgets(self) -> Iterator[dashboard.Row]:
        """Yield a row about its reader, and one for each other version of the service with edits that cross into it."""
        if self.reader:
            yield dashboard.of_reader(self.reader)
            for source in sorted({source for source, _ in self.package.latched}):
                yield dashboard.of_crossing(source, self.reader)

    def _serve(self) -> None:
        """Serve the routes; of shared ones the function refuses a caller above the share."""
        target, package = Target.of(self.stack), self.package
        for role in {role_of(route) for route in package.shared}:
            self.functions[role].handler.add_environment(http_api.VARIABLE, str(target.stage.reports_per_second_of_one))
        throttles = throttles_of(package, reports=target.reports, quotas=target.quotas)
        self.serve(self.functions, throttles=throttles)

    def _wire_command(self, command: Function) -> None:
        self._grant(command, COMMAND_ACTIONS)
        if self._stream_first:
            self.hub.grant_publish(command, only={"source": self.package.name})

    def _wire_query(self, query: Function) -> None:
        for table in self._tables.values():
            table.grant_read(query)

    def _wire_ingest(self, ingest: Function) -> None:
        """Bring the messages of things to the ingest function, which publishes events of them."""
        name, target = self.package.name, Target.of(self.stack)
        batch = Batch(*target.queue_batch_within(target.publish_batch[1]))
        scope = Construct(self.stack, "Ingesting")
        self.ingesting = queues.feed(scope, ingest, output=f"{pascal(name)}Ingest", batch=batch, purpose=queue.INGEST)
        Things(self.stack, self.package.ingress, to=self.ingesting)
        self._grant(ingest, _INGEST_ACTIONS)
        self.hub.grant_publish(ingest, only={"source": name})
        self.hub.ingesting[self.package.ingest_queue] = self.ingesting.queue

    def _wire_provision(self, hook: Function) -> None:
        """Let AWS IoT ask the hook for admission of things by a claim."""
        Provisioning(self.stack, self._by_claim, hook=hook)
        self._grant(hook, _PROVISION_ACTIONS)

    def _wire_trigger(self, trigger: Function) -> None:
        """Bring the changes of tables to the trigger; batches that it cannot publish in time are kept, whole."""
        self.hub.grant_publish(trigger, only={"source": self.package.name})
        if self._decides:
            self._grant_decide(trigger, _DECIDING_ACTIONS)
        elif self.package.keeps_from_stream:
            self._grant(trigger, _KEEPING_ACTIONS)
        failures, name = failure_store(self.stack, trigger), pascal(self.package.name)
        add_output(self.stack, f"{name}{TRIGGER}", trigger.handler.function_name, "a trigger")
        add_output(self.stack, f"{name}{FAILURES_BUCKET}", failures.bucket_name, "the batches that it gave up on")
        self._follow_tables(trigger, failures)

    def _follow_tables(self, trigger: Function, failures: s3.Bucket) -> None:
        # No event comes from rows of due times.
        due_times = (
            [timing.partition_of(shard) for shard in range(timing.READ_SHARDS)] if "sweep" in self.functions else []
        )
        target = Target.of(self.stack)
        crossed = self._decides and bool(self.package.latched) and target.filters_absent
        if target.resumes_batches:
            trigger.handler.add_environment(publish_changes.VARIABLE, "1")
        for table in (self._tables[variable] for variable, schema in self.package.tables.items() if schema.stream):
            filters = published(due_times, table, crossed=crossed)
            follow(table, trigger, failures, filters, batch=target.publish_batch, resumes=target.resumes_batches)

    def _wire_listener(self, listener: Function) -> None:
        self.reader = self.hub.subscribe(self.stack, listener, self.package.subscriptions)
        self._grant(listener, LISTENER_ACTIONS)
        if self._decides:
            self._hold_back(listener)  # it settles what is late, and what follows what

    def _wire_sweep(self, sweep: Function) -> None:
        self.hub.grant_publish(sweep, only={"source": self.package.name, "detail-type": fault.TYPE})
        self._grant_decide(sweep, _SWEEP_ACTIONS)
        self._schedule(sweep)

    def _wire_sender(self, sender: Function) -> None:
        """Bring its waking events to the sender, a participant of its own: it is woken by its service's own events."""
        gateway, name = self.package.gateway, self.package.name
        scope = Construct(self.stack, "Sending")
        batch = replace(_SENDS, at_a_time=max(Target.of(self.stack).listeners, _FEWEST_SENDERS))
        self.sending = queues.feed(scope, sender, output=f"{pascal(name)}Send", batch=batch, purpose=queue.SEND)
        queues.let_put_back(self.sending)
        self.hub.route_each(scope, gateway.on, to=self.sending)
        self._grant(sender, _SENDER_ACTIONS)
        let_send(sender, self.api, others=self.functions)
        facts = frozenset((name, event_type) for event_type in gateway.emits)
        self.hub.join(Participant(f"{name}.sender", gateway.on, facts))

    def _wire_restore(self, restore: Function) -> None:
        self._grant(restore, _RESTORE_ACTIONS)
        output = f"{pascal(self.package.name)}Restore"
        restoring = queues.feed(Construct(self.stack, "Restoring"), restore, output=output, purpose=queue.RESTORE)
        self.hub.restorers[self.package.restore_queue] = restoring.queue

    @property
    def _decides(self) -> bool:
        return self.package.has("control")

    def _grant(self, function: Function, actions: Iterable[str]) -> None:
        for table in self._tables.values():
            table.grant_actions(function, *actions)

    def _grant_decide(self, function: Function, actions: Iterable[str]) -> None:
        self._grant(function, actions)
        self._hold_back(function)

    def _hold_back(self, function: Function) -> None:
        function.handler.add_environment(micro_event_store.VARIABLE, str(Target.of(self.stack).stage.hold_back_seconds))

    def _schedule(self, sweep: Function) -> None:
        """Call the sweep by a schedule. None is retried: the next one does the rest."""
        # EventBridge calls asynchronously: without this, Lambda itself would retry twice, at the same time as the next.
        sweep.handler.configure_async_invoke(retry_attempts=0, max_event_age=_SWEEPS_EVERY)
        every, target = events.Schedule.rate(_SWEEPS_EVERY), Target.of(self.stack)
        if not target.sweeps_shards_apart:
            alone = targets.LambdaFunction(sweep.handler, retry_attempts=0)
            events.Rule(self.stack, "EachMinute", schedule=every, targets=[alone])
            return
        sharing = [*_sharing(sweep, target.sweeps_at_once)]
        for first in range(0, len(sharing), _TARGETS_OF_RULE):
            name = f"EachMinute{first or ''}"
            events.Rule(self.stack, name, schedule=every, targets=sharing[first : first + _TARGETS_OF_RULE])


def _sharing(sweep: Function, at_once: int) -> Iterator[events.IRuleTarget]:
    """Yield targets that share the shards: invocations at the same time."""
    for first in range(at_once):
        named = events.RuleTargetInput.from_object({SHARDS: [*ALL_SHARDS[first::at_once]]})
        yield targets.LambdaFunction(sweep.handler, event=named, retry_attempts=0)
