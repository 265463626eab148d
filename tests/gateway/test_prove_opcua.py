from collections.abc import Iterator

import pytest

from lab.gateway import prove_opcua
from lab.gateway.backlog import Backlog
from lab.gateway.outages import Outage

SMALL = Backlog(memory_mb=60, disk_mib=100, batch_ms=(5, 20))


@pytest.mark.parametrize(
    ("without_s", "found", "result"),
    [
        (5.0, SMALL, 0),
        (5.1, SMALL, 1),
        (None, SMALL, 1),
        (5.0, SMALL._replace(memory_mb=61), 1),
        (5.0, SMALL._replace(disk_mib=101), 1),
        (5.0, SMALL._replace(batch_ms=(6, 6)), 1),
    ],
)
def test_it_fails_if_a_value_comes_late_or_never_or_a_backlog_is_beyond_a_bound(
    monkeypatch: pytest.MonkeyPatch, without_s: float | None, found: Backlog, result: int
) -> None:
    def outages(server: str, rounds: int) -> Iterator[Outage]:
        yield from [Outage(server, "killed", 0.1), Outage(server, "frozen", without_s)] * rounds

    monkeypatch.setattr(prove_opcua, "outages", outages)
    monkeypatch.setattr(prove_opcua, "backlog", lambda _: found)

    assert prove_opcua.main([]) == result
