"""Subscriptions to web push, as a browser gives them: `PushSubscription.toJSON()`. Pure.

https://www.w3.org/TR/push-api/#pushsubscription-interface
"""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import orjson

from andon.outbound.base64url import decoded
from andon.outbound.hosts import Destination, HostRefused, Hosts

POINT_BYTES: Final = 65
AUTH_BYTES: Final = 16
UNCOMPRESSED: Final = b"\x04"


class Subscription(NamedTuple):
    """Address of a browser at its push service, and the browser's keys."""

    target: Destination
    browser: bytes
    auth: bytes


def subscription_of(content: Mapping[str, Any], hosts: Hosts) -> Subscription:
    """Return a subscription at one of the hosts.

    Raises:
        ValueError: it is none, or its service is not on the list.

    """
    match content:
        case {"endpoint": str(endpoint), "keys": {"p256dh": str(point), "auth": str(secret)}}:
            browser, auth = decoded(point), decoded(secret)
            if len(browser) == POINT_BYTES and browser.startswith(UNCOMPRESSED) and len(auth) == AUTH_BYTES:
                return Subscription(hosts.target_of(endpoint), browser, auth)
    raise ValueError("must be a subscription to push, with its endpoint and its keys")


def subscription_in(address: str, hosts: Hosts) -> Subscription:
    """Return the subscription that an address is, as JSON.

    Raises:
        ValueError: as `subscription_of`.

    """
    content = orjson.loads(address)
    if not isinstance(content, dict):
        raise HostRefused("must be a subscription")
    return subscription_of(content, hosts)
