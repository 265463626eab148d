"""Costs of versions, reports, views, photos, chains, messages and things: the rows, and the bills that follow.

Calls of Lambda, what a channel takes and what subscribers keep are in none of them. A row of a table has 300 bytes.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, Final
from unittest.mock import patch

from andon.cdk.target import AWS
from andon.content.contents import Content, Contents
from andon.content.keep import AwaitedUpload, keep, to_upload
from andon.dynamodb.client import Table as DynamoTable
from andon.dynamodb.expressions import UNCONDITIONAL
from andon.dynamodb.schema import Index, KeyQuery, Keys, TableSchema
from andon.events.domain_event import DomainEvent
from andon.events.received import Received
from andon.ingress.fleet import NAME, template_of
from andon.ingress.names import Kind
from andon.outbound.delivery import Message as ToPerson
from andon.outbound.delivery import Sent
from andon.packages.package import Package
from andon.runtime import times
from andon.runtime.clock import MINUTE_MS
from andon.testing.lambda_events import provisioning_event, rule_message, sqs_event
from andon.testing.memory import aws
from andon.testing.samples import body_of, sample
from andon.views.object_batch import write_objects
from andon.views.object_table import ObjectKeys, ObjectTable
from andon.views.view_update import FactWrite, ViewUpdate
from andon.views.view_updates import entered
from lab import on_paper, prices
from lab.metered import Counting, Do, Line, Metered, Row, Table, counted, dollars, fixed
from lab.quiet_clock import START_MS
from lab.simulate import bills
from lab.simulate.counted import EQUIPMENT, body_in, iot_messages
from lab.simulate.idle import idle_report
from lab.simulate.limits import QUEUE_POLLERS, RECEIVED_AT_ONCE
from services.equipment.things import GATEWAY, MACHINE
from services.notify import outbound
from services.notify.contacts_table import CONTACT, CONTACTS, KEYS, VERIFIED
from services.notify.tables import partition_of

TTL_DAYS: Final = 30


def nothing(_: Metered) -> None:
    """Do nothing."""


def _all_of(*dos: Do) -> Do:
    return lambda loop: [do(loop) for do in dos]


# A view by groups. In its table it is listed by an index with all of it, in which an entry that moves is deleted and
# put. In objects it leaves a tombstone. Lambda's time is about the same; traffic within a region is free.

LISTED: Final = DynamoTable("LISTED_TABLE", Keys("thing", one_partition_per="entity"))
BY_GROUP: Final = Keys("group", "thing", one_partition_per="tenant")
LISTED_SCHEMAS: Final = {LISTED.variable: TableSchema(LISTED.keys, indexes={"ByGroup": Index(BY_GROUP)})}
OBJECTS: Final = ObjectTable("AGENDA_DAYS_BUCKET", ObjectKeys("group", about="thing"))


def _moved(things: int, group: str, *left: str, at_ms: int = START_MS) -> list[FactWrite]:
    """Return the events that so many things are in a group."""

    def message(number: int) -> FactWrite:
        thing = f"thing {number}"
        event = DomainEvent(f"e{at_ms}-{number}", "thing-moved", at_ms, thing, {})
        update = ViewUpdate(key=OBJECTS.keys.of(group, thing), fields={"text": "x" * 180}, oplock="state")
        return FactWrite(Received(event.id), event, entered(update, *(OBJECTS.keys.of(one, thing) for one in left)))

    return [*map(message, range(things))]


def _in_objects(messages: Sequence[FactWrite], _: Metered) -> None:
    write_objects(OBJECTS, messages, ttl_days=TTL_DAYS)


def _in_table(messages: Sequence[FactWrite], group: str, loop: Metered) -> None:
    for message in messages:
        fields = {"group": group, "text": "x" * 180}
        update = ViewUpdate(key=LISTED.keys.of(message.event.partition_key), fields=fields, oplock="state")
        update.write(LISTED, message.event, ttl_days=TTL_DAYS, now_ms=loop.now.ms)


def _list_table(length: int, _: Metered) -> None:
    query = KeyQuery(keys=BY_GROUP, partition="a", index_name="ByGroup")
    if len(LISTED.query(query, limit=length).items) != length:
        raise AssertionError("the table lists something else")


def _list_object(length: int, loop: Metered) -> None:
    if len(OBJECTS.shown(("a",), now_ms=loop.now.ms)) != length:
        raise AssertionError("the object lists something else")


def of_events() -> Iterator[Row]:
    """Yield what so many events cost that are about one group, if things stay in it, and if they move."""
    for number in (1, 2, 5, 10, 100):
        there = _moved(number, "a")
        for group, left in (("a", ()), ("b", ("a",))):
            later, cost = _moved(number, group, *left, at_ms=START_MS + 1), [dollars(per=number)]
            in_table = (partial(_in_table, there, "a"), partial(_in_table, later, group))
            yield Row(str(number), *in_table, cost, schemas=LISTED_SCHEMAS)
            yield Row(str(number), partial(_in_objects, there), partial(_in_objects, later), cost, schemas={})


def of_lists() -> Iterator[Row]:
    """Yield what a list of so many rows costs."""
    for number in (10, 100, 1000):
        there = _moved(number, "a")
        in_table, in_objects = partial(_in_table, there, "a"), partial(_in_objects, there)
        yield Row(f"{number:,}", in_table, partial(_list_table, number), [dollars()], schemas=LISTED_SCHEMAS)
        yield Row(f"{number:,}", in_objects, partial(_list_object, number), [dollars()], schemas={})


# A screen that shows the agenda of a week: from a page of the table, or an object for each day.

WEEK: Final = [f"2026-01-{day:02d}" for day in range(12, 19)]


def _planned(orders_a_day: int, loop: Metered) -> None:
    """Let so many machines be maintained each day, in both views."""
    loop.now.ms = times.to_ms("2026-01-10T12:00:00Z")
    bodies = []
    for day in WEEK:
        for machine in (f"press-{number}" for number in range(orders_a_day)):
            wire = sample("domain", "maintenance-planned")
            wire["order"] = {**wire["order"], "equipmentId": machine, "date": day, "plannedFor": day}
            named = {"id": f"{day} {machine}", "partitionKey": machine, "timestamp": loop.now.ms}
            bodies.append(body_of(DomainEvent.from_wire(wire | named)))
    for name in ("agenda", "agenda_days"):
        loop.deliver_all(Package("views", name), bodies)


def _week(loop: Metered) -> None:
    week = {"from": WEEK[0], "to": WEEK[-1], "limit": "1000"}
    loop.request("GET /factories/{factoryId}/agenda", path={"factoryId": "gdl-1"}, query=week)


def _days(times_asked: int, loop: Metered) -> None:
    """Read the week day by day; then again what has not changed."""
    for day in WEEK:
        headers: dict[str, str] = {}
        for _ in range(times_asked):
            path = {"factoryId": "gdl-1", "date": day}
            answer = loop.request("GET /factories/{factoryId}/agenda/{date}", path=path, headers=headers)
            headers = {"if-none-match": answer.headers["etag"]}


def of_weeks() -> Iterator[Row]:
    """Yield what a week costs: in a page, by days, and by days once more."""
    of_request = prices.API_REQUEST.dollars + prices.INVOCATION.dollars
    cells: list[Counting] = [lambda loop: sum(loop.answers), dollars(of_answer=of_request)]
    for number in (1, 10, 50):
        planned, what = partial(_planned, number), str(number)
        once = Row(what, planned, partial(_days, 1), cells)
        yield from (Row(what, planned, _week, cells), once, Row(what, planned, partial(_days, 2), cells, less=once))


# A user's content, uploaded and then referred to by others. An upload is a PUT and the requests around it; that
# DynamoDB removes rows, and S3 objects, is free.

KEPT: Final = DynamoTable("KEPT_TABLE", Keys("pk", "sk", one_partition_per="entity"))
CONTENTS: Final = Contents(KEPT, "ATTACHMENTS_BUCKET")


def _keep(place: str, loop: Metered) -> None:
    """Do what a client does."""
    body, now_ms = b"x", loop.now.ms
    content = Content(sha256(body).hexdigest(), "image/jpeg", len(body), "Acme")
    reference = {"pk": place, "sk": content.sha256, "ttl": now_ms // 1000 + 90 * 86_400, "text": "x" * 180}
    answer = keep(CONTENTS, content, reference, now_ms=now_ms)
    if isinstance(answer, AwaitedUpload):
        asked = to_upload(CONTENTS, answer.name, content, now_ms=now_ms)
        aws.request(loop, "PUT", asked.url, headers=asked.headers, body=body)
        keep(CONTENTS, content, reference, now_ms=now_ms)


def of_photos() -> Iterator[Row]:
    """Yield what a photo costs."""
    schemas = {KEPT.variable: TableSchema(KEPT.keys)}
    megabytes, months = 2, 3
    kept = prices.LAKE_GB.dollars * megabytes / 1024 * months * prices.MILLION
    first, another = (partial(_keep, place) for place in "ab")
    yield Row("uploaded and referred to", nothing, first, [dollars()], schemas=schemas)
    yield Row("referred to by another one", first, another, [dollars()], schemas=schemas)
    yield Row("the same request again", _all_of(first, another), another, [dollars()], schemas=schemas)
    yield Row(f"{megabytes} MB kept for {months} months", nothing, nothing, [fixed(kept)])


# Asking for help by chains, in addition to the report or the call: what `dispatch` reads, writes and publishes.


def _swept(minutes: int, loop: Metered) -> None:
    """Run the loop, and a sweep in each of the minutes that follow."""
    loop.run()
    for _ in range(minutes):
        loop.now.ms += MINUTE_MS
        loop.sweep(is_whole=True)


def _on_duty(minutes: Sequence[int], loop: Metered) -> None:
    """Let the press be known, and a chain ask after some minutes."""
    loop.listen([body_of(DomainEvent.from_wire(sample("domain", "equipment-created")))])
    factory, roster = {"factoryId": "gdl-1"}, {"operators": ["op-17", "op-18"], "supervisor": "sv-03"}
    loop.request("PUT /factories/{factoryId}/roster", path=factory, body=roster)
    steps = [{"after": one, "tell": "duty:operator", "urgency": "high"} for one in minutes]
    if steps:
        chain = {"id": "all", "on": ["ERROR", "call:material"], "steps": steps}
        loop.request("PUT /factories/{factoryId}/chains", path=factory, body={"chains": [chain]})
    loop.run()


def _report(loop: Metered) -> None:
    path = {"id": "press-7", "timestamp": times.to_utc(START_MS)}
    loop.request("PUT /equipment/{id}/states/{timestamp}", path=path, body={"state": "ERROR"})


def _call(loop: Metered) -> None:
    path = {"id": "00000000-0000-4000-8000-000000000001"}
    loop.request("PUT /calls/{id}", path=path, body={"equipmentId": "press-7", "category": "material"})


def of_chains() -> Iterator[Row]:
    """Yield what a chain costs: its first step, and each of four more."""
    for what, begin in (("trouble", _report), ("call", _call)):
        do = _all_of(begin, partial(_swept, 8))
        none, at_once, later = (partial(_on_duty, minutes) for minutes in ((), (0,), (0, 1, 2, 3, 4)))
        for each, prepare, before, per in (
            (f"a {what} about which one is asked at once", at_once, none, 1),
            (f"each minute after a {what} at which another one is asked", later, at_once, 4),
        ):
            cost = [dollars(tables={"DISPATCH_TABLE"}, source="dispatch", per=per)]
            yield Row(each, prepare, do, cost, less=Row(each, before, do, cost))


# Telling a person, in addition to asking for their help: what `notify` reads, writes and publishes until nothing about
# them is due any more, which is when the rule `undelivered` has looked.


class _Takes:
    """A channel that takes all."""

    name = "mail"

    def send(self, message: ToPerson) -> Sent:
        return Sent(message.id)


def _reach(_: Metered) -> None:
    """Let the person be reached by mail."""
    mail = "ana@example.com"
    rows: tuple[dict[str, Any], ...] = (
        {str(KEYS.sort): CONTACT, "email": mail, "order": ["mail"], "version": 1, "timestamp": 0},
        {str(KEYS.sort): f"{VERIFIED}mail", "address": mail, "at": 0},
    )
    for row in rows:
        CONTACTS.put({str(KEYS.partition): partition_of("op-17"), **row}, condition=UNCONDITIONAL)


def _ask(requests: int, loop: Metered) -> None:
    """Ask the person for help with so many machines at once."""
    event = DomainEvent.from_wire(sample("domain", "help-requested"))
    bodies = []
    for number in range(requests):
        about = {"equipmentId": f"press-{number}", "state": "ERROR", "timestamp": times.to_utc(START_MS)}
        said = event.entities["help"] | {"person": "op-17", "about": about}
        bodies.append(body_of(event._replace(id=f"help-{number}", timestamp_ms=START_MS, entities={"help": said})))
    with patch.dict(outbound.CHANNELS, {"mail": _Takes()}):
        loop.listen(bodies)
        _swept(16, loop)


def of_tellings() -> Iterator[Row]:
    """Yield what a request for help costs by what becomes of it."""
    cost = partial(dollars, tables={"NOTIFY_TABLE", "CONTACTS_TABLE"}, source="notify")
    many, what = 100, "who is told by mail of {} machines at once"
    yield Row("who is told by mail of one machine", _reach, partial(_ask, 1), [cost()])
    yield Row(what.format(many), _reach, partial(_ask, many), [cost(per=many)])
    yield Row("who can be reached by no channel", nothing, partial(_ask, 1), [cost()])


# Reports onto the bus over MQTT, each machine's every five minutes, beside `POST /states`: what AWS IoT, the queue and
# the API take, what is read to know whose machines they are, and the bus, of which facts share entries that come
# together: 60,000 machines report.

MANY: Final = 100
AT_ONCE: Final = round(1 + 60_000 / 300 / QUEUE_POLLERS * AWS.publish_batch[1])
"""Messages that an invocation gets: the one with which a poller begins to wait, and those that come meanwhile."""


def _register(loop: Metered) -> None:
    body = body_in("register-equipment")
    for number in range(MANY):
        loop.request("PUT /equipment/{id}", path={"id": f"press-{number}"}, body=body | {"factoryId": "gdl-1"})
    loop.run()


def _ingest(kind: Kind, messages: Sequence[tuple[str, str]], loop: Metered) -> None:
    """Bring what things say to the bus: by their name, in JSON."""
    queued = []
    for name, said in messages:
        thing = f"Andon:{name}"
        topic = f"Andon/{kind.name}/{thing}/{kind.last}"
        queued.append(rule_message(said.encode(), topic=topic, client=thing, at_ms=START_MS))
    loop.invoke(EQUIPMENT, "ingest", sqs_event(queued))
    published = [json.loads(one) for one in loop.new_messages()]
    reports = sum(len(found) if isinstance(found := json.loads(said), list) else 1 for _, said in messages)
    if [one["detail-type"] for one in published] != ["state-reported"] * reports:
        raise ValueError("not all of the reports were published")


def of_reports() -> Iterator[Row]:
    """Yield what a report costs by each way: connections, broker and rules, queue, API, reads, bus."""
    report = {"state": "NORMAL", "timestamp": times.to_utc(START_MS)}
    alone, all_of_it = json.dumps(report), json.dumps([{"equipmentId": f"press-{n}", **report} for n in range(MANY)])
    minutes, api = 5 * prices.IOT_MINUTE.dollars, prices.API_REQUEST.dollars
    rule = prices.IOT_RULE.dollars + prices.IOT_ACTION.dollars
    queue = (1 + 2 / RECEIVED_AT_ONCE) * prices.QUEUE_REQUEST.dollars
    machine = partial(_ingest, MACHINE, [("press-0", alone)])
    machines = partial(_ingest, MACHINE, [(f"press-{number}", alone) for number in range(AT_ONCE)])
    gateway, rules = partial(_ingest, GATEWAY, [("gdl-1", all_of_it)]), iot_messages(all_of_it) / MANY * rule

    def row(what: str, prepare: Do, do: Do, *known: float, per: int = 1) -> Row:
        reads, bus = dollars(per=per), _bus(per)
        return Row(what, prepare, do, [*map(fixed, known), reads, bus])

    yield row("a machine, by Basic Ingest", nothing, machines, minutes, rule, queue, 0, per=AT_ONCE)
    broker = rule + prices.IOT_MESSAGE.dollars
    yield row("a machine, by way of the broker", nothing, machines, minutes, broker, queue, 0, per=AT_ONCE)
    known = (minutes / MANY, rules, queue / MANY, 0)
    yield row(f"a gateway, {MANY} in a message", _register, gateway, *known, per=MANY)
    yield row(f"a gateway, {MANY} in a `POST /states`", _register, gateway, 0, 0, 0, api / MANY, per=MANY)
    yield row("a machine, by `POST /states`", nothing, machine, 0, 0, 0, api)


def _bus(per: float) -> Counting:
    return lambda loop: loop.meter.used.entries.total() * prices.BUS_ENTRY.dollars / per


# Things' certificates by a claim: connections, each billed as a minute, two by the claim and the first one as the
# thing; two requests and their answers, none of which has 5 KB; the registry, which the hook asks for the thing's
# certificates, and in which AWS looks for the thing, makes and attaches it; the table of the hook.


def _provision(loop: Metered) -> None:
    asked = provisioning_event(template_of("Andon", MACHINE), {NAME: "press-0"})
    if not loop.invoke(EQUIPMENT, "provision", asked)["allowProvisioning"]:
        raise ValueError("who is registered was refused")


def of_claims() -> Iterator[Row]:
    """Yield what a certificate costs."""
    known = (3 * prices.IOT_MINUTE.dollars, 4 * prices.IOT_MESSAGE.dollars, 4 * prices.IOT_OPERATION.dollars)
    yield Row("", _register, _provision, [*map(fixed, known), dollars()])


TABLES: Final = (
    Table(on_paper.VERSIONS_HEAD, on_paper.of_versions, on_paper.FORM),
    Table(on_paper.REPORT_HEAD, on_paper.of_functions, on_paper.FORM),
    Table(
        "| of one group in a batch | table | objects | that move: table | objects |",
        of_events,
        page="patterns/view-as-objects.md",
    ),
    Table("| rows of a list | table | objects |", of_lists, page="patterns/view-as-objects.md"),
    Table(
        "| orders a day | table: bytes | dollars | objects: bytes | dollars | unchanged: bytes | dollars |",
        of_weeks,
        ("{:,.0f}", "${:.2f}"),
        page="benchmarks.md",
    ),
    Table("| a million photos | dollars |", of_photos, page="benchmarks.md"),
    Table("| a million times | dollars |", of_chains, page="benchmarks.md"),
    Table("| a million requests for help of somebody | dollars |", of_tellings, page="benchmarks.md"),
    Table(
        "| a million reports, to the bus | connections | broker and rules | queue | API | reads | bus | dollars |",
        of_reports,
        ("{:.2f}",),
        page="benchmarks.md",
        summed=True,
    ),
    Table(
        "| a million certificates by claim | connections | messages | registry | table | dollars |",
        of_claims,
        ("{:.2f}",),
        page="benchmarks.md",
        summed=True,
    ),
)
"""The costs that are counted of handlers in memory."""


def main() -> int:
    """Count and price; 1 if a figure is not what it is on paper."""
    lines: dict[str, Sequence[Line]] = {}
    for table in TABLES:
        lines[table.head] = [*counted(table.rows())]
        print(table.text(lines[table.head]), end="\n\n", flush=True)
    ways = bills.count_ways()
    telling = next(counted(of_tellings())).cells[0]
    print(idle_report(bills.stages(ways)), end="\n\n", flush=True)
    print(bills.report(bills.bills(ways)), end="\n\n")
    print(bills.whole_report(ways, telling_dollars=telling), end="\n\n")
    print(*bills.windows(ways), sep="\n")
    return int(any(line.differs for some in lines.values() for line in some))


if __name__ == "__main__":
    sys.exit(main())
