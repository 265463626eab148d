"""One connection to an OPC UA server, from the first word to the last."""

import asyncio
import contextlib
import ctypes
from collections.abc import Callable, Collection
from typing import Final

from asyncua import Client, ua

from andon_gateway.changes import Change, messages_of
from andon_gateway.clock import Clock, ms_of
from andon_gateway.conditions import Value
from andon_gateway.kinds import OpcuaSource
from andon_gateway.nodes import NodeName
from andon_gateway.opcua_client import TIMEOUT_S, Unusable, client_of
from andon_gateway.reading import Message, value_of

GOODBYE_S: Final = 1.0
LOOK_S: Final = 0.25

KEEP_ALIVE_S: Final = 2.0
"""A server that has nothing to say is asked to say so; asyncua would ask for that every 20 minutes."""
QUIET_KEEP_ALIVES: Final = 2.5
LIFETIME_KEEP_ALIVES: Final = 5

QUEUE: Final = 100
ITEMS_AT_ONCE: Final = 100
MISSING_AGAIN_S: Final = 30.0
SAID: Final = 5

REFUSED: Final = frozenset(
    {
        ua.StatusCodes.BadIdentityTokenInvalid,
        ua.StatusCodes.BadIdentityTokenRejected,
        ua.StatusCodes.BadUserAccessDenied,
        ua.StatusCodes.BadUserSignatureInvalid,
    }
)
"""Answers to a user whom a server does not know: it may lock one who tries again and again."""


class Lost(Exception):
    """There was a connection; the text gives the reason of its end."""


class Session:
    """A client that is used once. put: called for each publish with its messages, none for a sign of life."""

    def __init__(
        self, settings: OpcuaSource, tags: Collection[str], *, clock: Clock, put: Callable[[list[Message]], None]
    ) -> None:
        """Prepare it."""
        self._settings = settings
        self._clock = clock
        self._put = put
        self._tags = sorted(tags)
        self._missing = dict.fromkeys(self._tags, "not asked for yet")
        self._told: set[int] = set()
        self._lost = asyncio.Event()
        self._why_lost = "the server closed the connection"
        self._heard_s = 0.0

    @property
    def trouble(self) -> str | None:
        """Which nodes give no values, and why."""
        found = [f"{tag}: {why}" for tag, why in self._missing.items()]
        more = [f"and {len(found) - SAID} more"] if len(found) > SAID else []
        return "; ".join(found[:SAID] + more) or None

    async def run(self) -> None:
        """Connect, and pass on values until the connection is lost.

        Raises:
            Exception: why there is none; see `reason_of`.

        """
        client = await client_of(self._settings)
        try:
            await self._connect(client)
            client.connection_lost_callback = self._on_lost
            await self._watch(client)
        finally:
            # A server that stands still is not waited for; the socket is closed in any case.
            with contextlib.suppress(Exception):
                await asyncio.wait_for(client.disconnect(), GOODBYE_S)
            client.disconnect_socket()

    async def _connect(self, client: Client) -> None:
        try:
            await client.connect()
        except (AssertionError, ConnectionError) as error:
            if not self._settings.security:
                raise
            # A moment ago it told its endpoints. Why it refuses a certificate, asyncua does not pass on.
            raise Unusable(
                "the server ended the secure channel: does it trust the gateway's certificate, and may that sign and"
                " encrypt? Its log says why"
            ) from error

    async def _watch(self, client: Client) -> None:
        # Not asyncua's `Subscription`: it begins itself anew when a server is quiet.
        made = await client.uaclient.session.create_subscription(self._subscription(), self._publish)
        quiet_s = QUIET_KEEP_ALIVES * max(
            KEEP_ALIVE_S, made.RevisedPublishingInterval / 1000 * made.RevisedMaxKeepAliveCount
        )
        loop = asyncio.get_running_loop()
        self._heard_s = again_s = loop.time()
        while not self._lost.is_set():
            if self._missing and loop.time() >= again_s:
                await self._monitor(client, made.SubscriptionId)
                again_s = loop.time() + MISSING_AGAIN_S
            if loop.time() - self._heard_s > quiet_s:
                raise Lost(f"the server was quiet for {quiet_s:g} s")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._lost.wait(), LOOK_S)
        raise Lost(self._why_lost)

    def _subscription(self) -> ua.CreateSubscriptionParameters:
        keep_alives = max(1, round(KEEP_ALIVE_S * 1000 / self._settings.publish_ms))
        asked = ua.CreateSubscriptionParameters()
        asked.RequestedPublishingInterval = self._settings.publish_ms
        asked.RequestedMaxKeepAliveCount = keep_alives
        asked.RequestedLifetimeCount = LIFETIME_KEEP_ALIVES * keep_alives
        return asked

    async def _monitor(self, client: Client, subscription: int) -> None:
        """Ask for the values of nodes that are missing: a server may have them later than its port."""
        asked = self._asked(await client.get_namespace_array())
        for first in range(0, len(asked), ITEMS_AT_ONCE):
            some = asked[first : first + ITEMS_AT_ONCE]
            request = ua.CreateMonitoredItemsParameters()
            request.SubscriptionId = subscription
            request.TimestampsToReturn = ua.TimestampsToReturn.Source
            request.ItemsToCreate = [item for _, item in some]
            results = await client.uaclient.session.create_monitored_items(request)
            for (tag, _), result in zip(some, results, strict=True):
                if result.StatusCode.is_good():
                    del self._missing[tag]
                else:
                    self._missing[tag] = _said(result.StatusCode)
        _trim()

    def _asked(self, namespaces: list[str]) -> list[tuple[str, ua.MonitoredItemCreateRequest]]:
        """Return a request for each missing node in a namespace of the server, with its tag."""
        asked: list[tuple[str, ua.MonitoredItemCreateRequest]] = []
        for tag in list(self._missing):
            name = NodeName.parse(tag)
            if name.namespace in namespaces:
                node = ua.NodeId(name.identifier, namespaces.index(name.namespace))
                asked.append((tag, self._item(node, self._tags.index(tag))))
            else:
                self._missing[tag] = f"the server has no namespace {name.namespace}"
        return asked

    def _item(self, node: ua.NodeId, handle: int) -> ua.MonitoredItemCreateRequest:
        item = ua.MonitoredItemCreateRequest()
        item.ItemToMonitor.NodeId = node
        item.ItemToMonitor.AttributeId = ua.AttributeIds.Value
        item.MonitoringMode = ua.MonitoringMode.Reporting
        item.RequestedParameters.ClientHandle = handle
        item.RequestedParameters.SamplingInterval = self._settings.publish_ms
        item.RequestedParameters.QueueSize = QUEUE
        item.RequestedParameters.DiscardOldest = True
        return item

    async def _on_lost(self, _: Exception) -> None:
        self._lost.set()

    def _publish(self, result: ua.PublishResult) -> None:
        received_ms = self._clock.now_ms()
        changes: list[Change] = []
        for one in result.NotificationMessage.NotificationData or ():
            if isinstance(one, ua.DataChangeNotification):
                changes += [self._change(item) for item in one.MonitoredItems if item.ClientHandle < len(self._tags)]
            elif isinstance(one, ua.StatusChangeNotification):
                self._why_lost = f"the server ended the subscription: {_said(one.Status)}"
                self._lost.set()
                return
        self._put(messages_of(changes, source=self._settings.name, received_ms=received_ms))
        self._heard_s = asyncio.get_running_loop().time()

    def _change(self, item: ua.MonitoredItemNotification) -> Change:
        """Return a change; the first value of a node is the present one, and its time tells since when."""
        handle = item.ClientHandle
        is_first = handle not in self._told
        self._told.add(handle)
        at = item.Value.SourceTimestamp if self._settings.has_times and not is_first else None
        return Change(self._tags[handle], _value(item.Value), None if at is None else ms_of(at))


def reason_of(error: Exception) -> tuple[str, bool]:
    """Return an error in words for people, and True if another attempt would do harm."""
    match error:
        case Unusable() | Lost():
            return str(error), False
        case TimeoutError():
            return f"no answer within {TIMEOUT_S:g} s", False
        case ua.UaStatusCodeError():
            return _said(ua.StatusCode(error.code)), error.code in REFUSED
    return f"{type(error).__name__}: {error}", False


def _trim() -> None:
    """Free unused memory: importing asyncua, and connecting first, takes twice its lasting need. Only glibc can."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _value(found: ua.DataValue) -> Value:
    """Return a value; one that is not good is unknown, also where a server calls it uncertain."""
    if found.StatusCode is not None and not found.StatusCode.is_good():
        return None
    value = found.Value.Value if found.Value is not None else None
    return value_of(value.Text if isinstance(value, ua.LocalizedText) else value)


def _said(status: ua.StatusCode) -> str:
    return f"{status.name}: {status.doc}"
