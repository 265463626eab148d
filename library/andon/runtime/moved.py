"""Modules that moved, found by their old names, with a warning: a project of a release before imports them.

`andon` asks here for a module of its own that nothing else found. `andon upgrade` writes the new names into a project.
"""

import warnings
from functools import partial
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

MOVED: Final = {
    "cdk.archive": "cdk.stores",
    "cdk.bucket": "cdk.buckets",
    "cdk.drift": "cdk.stores",
    "cdk.fault_store": "cdk.stores",
    "cdk.replays": "cdk.stores",
    "cdk.root_stack": "cdk.part",
    "content.changes": "handlers.content_trigger",
    "content.links": "content.keep",
    "drift.expected": "drift.compare",
    "dynamodb.errors": "dynamodb.client",
    "dynamodb.key_query": "dynamodb.schema",
    "events.read_as": "views.keep",
    "http.caller": "http.places",
    "http.http_request": "http.arguments",
    "http.openapi": "http.response",
    "http.problem": "http.response",
    "http.rows_at": "http.whereabouts",
    "http.schemas": "http.models",
    "http.shares": "http.http_api",
    "ingress.message": "ingress.ingress",
    "live.topics": "live.connection",
    "outbound.channel": "outbound.delivery",
    "outbound.gateway": "outbound.delivery",
    "outbound.hosts": "outbound.addresses",
    "outbound.mailbox": "outbound.sender",
    "outbound.once": "outbound.provider",
    "outbound.secret": "outbound.channels",
    "outbound.subscription": "outbound.addresses",
    "packages.source": "packages.discovery",
    "recorded.replaying": "recorded.resend",
    "rules.backlog": "rules.sweep",
    "rules.control_service": "rules.rule",
    "rules.due": "rules.timing",
    "rules.expired": "rules.rule",
    "rules.hold_back": "rules.micro_event_store",
    "rules.screen": "rules.control",
    "rules.verdict": "rules.rule",
    "rules.write": "rules.evaluate",
    "runtime.metrics": "runtime.log",
    "sync.edit": "sync.crossing",
    "sync.mapped_crossing": "sync.crossing",
    "testing.lambda_context": "testing.environment",
    "versions.from_stream": "handlers.keeping_trigger",
    "versions.lifetime": "versions.sequential_history",
    "views.compaction": "views.view_update",
    "views.inverse_oplock": "views.view_update",
    "views.ledger": "views.results",
    "views.object_rows": "views.object_table",
    "views.oplock_family": "views.oplocked_fields",
    "views.row_write": "views.view_update",
    "wire.attempts": "wire.aws_json",
    "wire.presign": "wire.credentials",
}
"""Module of the library -> the one in which its names stand now."""


class _Alias(Loader):
    """Loads a module by its old name: one that has the names of the module of today."""

    def exec_module(self, module: ModuleType) -> None:
        now = f"andon.{MOVED[module.__name__.removeprefix('andon.')]}"
        warnings.warn(f"{module.__name__} is now {now}: andon upgrade", DeprecationWarning, stacklevel=2)
        module.__dict__["__getattr__"] = partial(getattr, import_module(now))


def moved(name: str) -> ModuleSpec | None:
    """Return the spec of a module that moved, by its old name; None: none did."""
    return ModuleSpec(name, _Alias()) if name.removeprefix("andon.") in MOVED else None
