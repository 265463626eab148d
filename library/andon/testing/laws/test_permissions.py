"""Permissions: the role of a handler allows what it calls, be it with the samples under `events/`."""

from collections.abc import Iterable, Iterator

import pytest

from andon.testing.permissions import UsedPermission, Watched, is_allowed, used_by
from andon.testing.recorder import recorded
from andon.testing.replayable import Invocation, readers_of, time_of
from andon.testing.samples import paths, read
from andon.testing.synthesised import Synthesised

KINDS = ("http", "stream", "push", "domain", "queue")


def invocations() -> Iterator[tuple[Invocation, int]]:
    for sample in (read(path) for kind in KINDS for path in paths(kind)):
        yield from ((invocation, time_of(sample)) for invocation in readers_of(sample))


@pytest.mark.usefixtures("world")
@pytest.mark.parametrize(
    ("invocation", "at_ms"),
    [*invocations()],
    ids=lambda value: value.package.path(value.role) if isinstance(value, Invocation) else "",
)
def test_what_a_handler_calls_its_role_allows(template: Synthesised, invocation: Invocation, at_ms: int) -> None:
    _require_allowed(template, invocation.package.path(invocation.role), used_by(invocation, at_ms=at_ms))


def test_what_handlers_call_upon_what_was_written_before_their_roles_allow(template: Synthesised) -> None:
    """A change may read and delete what was written before; the requests of a package are made in their order."""
    for package in recorded():
        with Watched(package) as world:
            world.record()
        for file, used in world.used.items():
            _require_allowed(template, file, used)


def _require_allowed(template: Synthesised, file: str, used: Iterable[UsedPermission]) -> None:
    assert file in template.functions(), f"the stack has no {file}: give its package a line in infra/stack.py"
    lacking = sorted(f"{one.action} on {one.variable}" for one in used if not is_allowed(template, file, one))

    assert not lacking, (
        f"the role of {file} lacks {', '.join(lacking)}: a function may use its own package's tables, by GRANTS in "
        f"tables.py or view.py if it is to do more than most; another package's data comes by its facts"
    )
