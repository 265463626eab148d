"""The `Listener` of a package, from its declarations: a view's own, or the subscriptions of a service."""

from typing import Any

from andon.events.upcast import NONE
from andon.handlers.declared import load, name_of
from andon.views.materialize import NOTHING, Listener
from andon.wire.queue import RESTORE


def listener_of(package: str) -> Listener:
    """Return the listener of a package: of a view, or of a service that subscribes.

    A service decides upon the events that it keeps, so that the lake is not replayed to it.
    """
    if not package.startswith("views/"):
        subscribed = load(package, "subscriptions")
        return _listener(package, subscribed)._replace(on=subscribed.ON, is_rebuilt=False)
    declared = load(package, "view")
    restores = getattr(declared, "RESTORED", NOTHING)
    return _listener(package, declared)._replace(
        on=declared.ON,
        ttl_days=declared.TTL_DAYS,
        restores=restores,
        expires_within_days=getattr(declared, "EXPIRES_WITHIN_DAYS", None),
    )


def restorer_of(package: str) -> Listener:
    """Return the listener by which a service brings back its own expired rows; it takes no live events."""
    restored = load(package, "restored")
    return _listener(package, restored)._replace(restores=restored.ON, purpose=RESTORE)


def _listener(package: str, declared: Any) -> Listener:  # noqa: ANN401  a module
    upcasters = getattr(declared, "UPCASTERS", NONE)
    if package.startswith("views/"):
        table = declared.OBJECTS if hasattr(declared, "OBJECTS") else declared.TABLE
    else:
        table = load(package, "tables").TABLE
    return Listener(name_of(package), table, on=NOTHING, ttl_days=None, upcasters=upcasters)
