from pathlib import Path

import pytest

from andon.recorded.archive import SHARDS
from andon.tools.what_if.report import ProcessCost
from lab import lake, what_if_costs
from lab.lake import MACHINE, ask, main, report, write


def test_what_is_written_is_asked_and_every_figure_is_printed(tmp_path: Path) -> None:
    written, asked = write(tmp_path, 3000), list(ask(tmp_path))

    files = list(tmp_path.rglob("*.ndjson.gz"))
    assert written.events == 3000
    assert written.objects == len(files)
    assert written.stored_bytes == sum(file.stat().st_size for file in files) < written.plain_bytes
    assert [one.name for one in asked] == ["facts_by_type_by_hour", "mtbf_mttr", "story"]
    assert all(one.rows for one in asked)
    text = report(written, asked)
    assert "bytes per event" in text
    assert "CPU to write an event" in text
    assert all(f"query {one.name}" in text for one in asked)


def test_what_is_written_is_archived_in_a_process_of_its_own_and_every_figure_is_printed(tmp_path: Path) -> None:
    written = write(tmp_path, 3000)

    archived = lake.archive(tmp_path, actor=MACHINE)

    assert (archived.days, archived.passes) == (1, 1)
    assert SHARDS <= archived.data_objects <= 2 * SHARDS
    assert 0 < archived.index_bytes < archived.data_bytes < written.plain_bytes
    assert archived.day_events >= 2
    assert archived.day_requests == 2
    assert archived.peak_bytes > 10_000_000
    text = lake.archive_report(archived, written.events, actor=MACHINE)
    assert all(figure in text for figure in ("CPU of the sweep", "peak memory", f"the day of {MACHINE}"))


def test_what_is_written_is_replayed_into_an_empty_view_a_row_for_each_log(tmp_path: Path) -> None:
    write(tmp_path, 3000)

    replayed = lake.replay(tmp_path)

    assert 0 < replayed.rows <= replayed.events < 3000, "most begin with a registration"
    assert replayed.requests >= replayed.rows
    text = lake.replay_report(replayed, {"Andon": 100.0, "aws-lambda-stream": 1000.0})
    assert "from the lake to rows" in text
    assert "1,000" in text
    assert "10,000" in text


def test_the_number_of_events_is_an_argument(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lake, "measure_replay", lambda _: "replayed")
    monkeypatch.setattr(what_if_costs, "measure", lambda _: "decided anew")
    assert main(["--events", "1000"]) == 0

    printed = capsys.readouterr().out
    assert "1,000 made-up events" in printed
    assert "decided anew" in printed


def test_a_lake_that_is_kept_is_decided_anew_and_each_figure_has_its_goal(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["--events", "3000", "--keep", str(tmp_path)]) == 0
    asked = what_if_costs.ask(tmp_path, "silent")

    assert "3,000 made-up events" in capsys.readouterr().out
    assert 1000 < asked.events <= 3000
    assert asked.costs.keys() == {"lake", "before", "after"}
    assert asked.cpu_us * asked.events / 1e6 == pytest.approx(sum(one.cpu_s for one in asked.costs.values()))
    assert all(10_000_000 < one.peak_bytes <= asked.peak_mb * 1e6 for one in asked.costs.values())
    cheap = asked._replace(costs=dict.fromkeys(asked.costs, ProcessCost(0, 400_000_000)))
    assert [one.count(": met") for one in what_if_costs.lines_of([cheap])] == [2, 0]
    dear = asked._replace(costs=dict.fromkeys(asked.costs, ProcessCost(asked.events, 400_010_000)))
    assert [one.count(": MISSED") for one in what_if_costs.lines_of([dear])] == [2, 0]


def test_each_factory_has_a_roster_of_its_own_people() -> None:
    rosters = [*what_if_costs.rosters_of(what_if_costs.COMPANY)]
    assert len(rosters) == what_if_costs.COMPANY.factories
    assert len({roster["pk"] for roster in rosters}) == len(rosters)
