"""A plant: people who can be reached, machines that report, and the providers that senders call."""

import json
from collections.abc import Callable, Iterable, Sequence
from http import HTTPStatus
from random import Random
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, urlsplit

from andon.runtime import times
from andon.runtime.json_types import JsonObject
from andon.testing.loop import Answer
from andon.testing.proving.world import HostReply, LivingWorld, Post
from andon.tools.stack.errors import ToolFailed
from contract import factories, groups
from contract.levels import FIELDS
from services.dispatch.tables import KEYS as DISPATCH_KEYS
from services.dispatch.tables import partition_of as dispatch_partition_of
from services.notify.contact import PLACES, address_of
from services.notify.contacts_table import CONTACT, KEYS, VERIFIED
from services.notify.tables import partition_of

MAIL, SMS, WEBHOOK = "mail", "sms", "webhook"
TOLD, UNTOLD = "person-told", "delivery-failed"
ADDRESSES: Final = "CONTACTS_TABLE"  # it alone has them
DISPATCH: Final = "DISPATCH_TABLE"
VARIABLES: Final = {"WEBHOOK_HOSTS": "*.example.com"}

REFUSED: Final = HTTPStatus.TOO_MANY_REQUESTS
SNS: Final = (
    '<PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishResult>'
    "<MessageId>{id}</MessageId></PublishResult></PublishResponse>"
)


class Got(NamedTuple):
    """A message that a provider got. at: epoch seconds."""

    at: float
    channel: str
    address: str
    subject: str
    text: str
    status: int


class Providers:
    """SES, SNS and the hosts of webhooks: each answers as `behaves` says, anew each time."""

    def __init__(self, dice: Random) -> None:
        self.behaves: dict[str, Callable[[], HostReply]] = {}
        self.addresses = set[str]()
        self._dice, self._got = dice, list[Got]()

    def __call__(self, post: Post) -> HostReply:
        """Take a message, and answer."""
        channel, address, subject, text = _read(post)
        reply = self.behaves.get(channel, HostReply)()
        self._got.append(Got(post.at_ms / 1000, channel, address, subject, text, reply.status))
        said = {"MessageId": f"id-{len(self._got)}", "id": f"id-{len(self._got)}"}
        body = SNS.format(id=said["id"]) if channel == SMS else json.dumps(said)
        return reply._replace(body=body.encode())

    def answer(self, channel: str, reply: HostReply) -> None:
        """Answer so on a channel from now on."""
        self.behaves[channel] = lambda: reply

    def slow(self) -> None:
        """Think for up to four seconds, on each channel."""
        for channel in (MAIL, SMS, WEBHOOK):
            self.behaves[channel] = lambda: HostReply(late_s=self._dice.uniform(0, 4))

    def got(self, *channels: str, since_ms: int = 0) -> list[Got]:
        """Return messages that somebody may have got: those that came, whatever was answered but a 429."""
        return [one for one in self.calls(*channels, since_ms=since_ms) if one.status != REFUSED]

    def calls(self, *channels: str, since_ms: int = 0) -> list[Got]:
        """Return messages that came by some channels, by default by all."""
        return [one for one in self._got if one.at * 1000 >= since_ms and (not channels or one.channel in channels)]


def providers_of(world: LivingWorld) -> Providers:
    """Return the providers of a world."""
    if not isinstance(world.outside, Providers):
        raise TypeError("this world has other hosts")
    return world.outside


def _read(post: Post) -> tuple[str, str, str, str]:
    """Return the channel of a request, and the message's address, subject and text with its link."""
    url = urlsplit(post.url)
    if url.netloc.startswith("sns."):
        form = {name: values[0] for name, values in parse_qs(post.body.decode()).items()}
        subject, _, text = form["Message"].partition("\n")
        return SMS, form["PhoneNumber"], subject, text
    said: dict[str, Any] = json.loads(post.body)
    if url.netloc.startswith("email."):
        simple = said["Content"]["Simple"]
        [address] = said["Destination"]["ToAddresses"]
        return MAIL, address, simple["Subject"]["Data"], simple["Body"]["Text"]["Data"]
    return WEBHOOK, post.url, said["subject"], f"{said['text']} {said.get('link', '')}"


def reach(world: LivingWorld, person: str, **addresses: str) -> None:
    """Let somebody be reached by channels in their order, at addresses that are verified."""
    providers_of(world).addresses |= {address.removeprefix("https://") for address in addresses.values()}
    lists, partition = {"webhooks", "push"}, partition_of(person)
    places = {PLACES[channel]: address for channel, address in addresses.items()}  # type: ignore[index]
    contact: JsonObject = {name: [one] if name in lists else one for name, one in places.items()}
    contact |= {"order": [*addresses], "version": 1, "timestamp": 0}
    proofs = ((channel, {"address": address_of(contact, channel), "at": 0}) for channel in addresses)  # type: ignore[arg-type]
    rows = [{**KEYS.of(partition, f"{VERIFIED}{channel}"), **proof} for channel, proof in proofs]
    world.put(ADDRESSES, [{**KEYS.of(partition, CONTACT), **contact}, *rows])


def open_plant(
    world: LivingWorld, factory: str, machines: Sequence[str], roster: JsonObject, steps: Iterable[tuple[int, str]]
) -> None:
    """Write down who is there and whom errors are told, and register machines, until a chain could begin for each."""
    said = [{"after": after, "tell": tell, "urgency": "high"} for after, tell in steps]
    chains = {"chains": [{"id": "errors", "on": ["ERROR"], "steps": said}]}
    for part, body in (("roster", roster), ("chains", chains)):
        route = f"PUT /factories/{{factoryId}}/{part}"
        done(world.request(route, path={"factoryId": factory}, body=body, groups=[groups.SUPERVISOR]))
    for machine in machines:
        place = {"name": machine, "factoryId": factory, "lineId": "1", "location": dict.fromkeys(FIELDS, "x")}
        done(world.request("PUT /equipment/{id}", path={"id": machine}, body=place, groups=[groups.OPERATOR]))
    keys = [factories.key_of(DISPATCH_KEYS, dispatch_partition_of(machine)) for machine in machines]

    def is_known() -> bool:
        rows = world.rows(DISPATCH)
        return all(any(key.items() <= row.items() for row in rows) for key in keys)

    if not world.until(is_known, within_s=120):
        raise ToolFailed("dispatch has not heard of the machines")


def report(world: LivingWorld, *machines: str, state: str = "ERROR") -> int:
    """Report a state of machines at once; return when that was, in epoch milliseconds."""
    now_ms = world.now_ms
    body = [{"equipmentId": one, "state": state, "timestamp": times.to_utc(now_ms)} for one in machines]
    done(world.request("POST /states", body=body, groups=[groups.OPERATOR]))
    return now_ms


def done(answer: Answer) -> None:
    """Fail unless the API did what it was asked for."""
    if answer.status >= HTTPStatus.MULTIPLE_CHOICES:
        raise ToolFailed(f"the API answered {answer}")


def ask(world: LivingWorld, *people: str, about: str = "") -> None:
    """Put requests for help on the bus, as dispatch does; each is about a press of the person's own, or about one."""
    world.publish("dispatch", [_request(one, about or f"press-of-{one}", world.now_ms) for one in people])


def _request(person: str, machine: str, now_ms: int) -> JsonObject:
    since = times.to_utc(now_ms)
    where = {"name": machine, "factoryId": "proof", "lineId": "1", "what": "ERROR", "since": since}
    chain = {"chain": "proof", "step": 1, "repeat": 0, "minutes": 0, "urgency": "high"}
    why = {"person": person, "by": "rule", "rule": "trouble", "triggers": []}
    about = {"equipmentId": machine, "state": "ERROR", "timestamp": since}
    event = {"id": f"{person} {machine} {now_ms}", "type": "help-requested", "timestamp": now_ms}
    tags = {"actor": "rule:trouble", "hops": "1"}
    return {**event, "partitionKey": machine, "tags": tags, "help": {"about": about, **where, **chain, **why}}


def people_in(world: LivingWorld, kind: str) -> set[str]:
    """Return the people that facts are about: of those who were told, or could not be."""
    return {fact["told" if kind == TOLD else "failure"]["person"] for fact in world.facts(kind)}


def acknowledged(world: LivingWorld, machine: str) -> list[JsonObject]:
    """Return the rows of a machine's logs that somebody has seen."""
    rows = (row for row in world.rows(DISPATCH) if row.get("discriminator") == "acknowledgement")
    return [row for row in rows if row["equipmentId"] == machine]
