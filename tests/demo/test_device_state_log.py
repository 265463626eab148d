from datetime import date, datetime, timedelta

from contract import groups
from demo import device_state_log
from demo.people import SARA


def test_the_sample_is_the_eleven_rows_of_awss_guide() -> None:
    logs = device_state_log.sample()

    assert len(logs) == 11
    assert [log.equipment for log in logs if log.escalated_to == SARA] == ["d#11223"]
    assert min(log.timestamp for log in logs) == "2020-04-11T05:50:00.000Z"


def test_the_newest_row_moves_to_the_day_that_was_asked_for() -> None:
    days = device_state_log.days_until(date(2026, 11, 20))

    newest = max(log.timestamp for log in device_state_log.sample(days))

    assert newest == "2026-11-20T16:15:00.000Z"


def test_all_rows_move_by_the_same_whole_number_of_days() -> None:
    before, after = device_state_log.sample(), device_state_log.sample(2398)

    moves = {
        datetime.fromisoformat(new.timestamp) - datetime.fromisoformat(old.timestamp)
        for old, new in zip(before, after, strict=True)
    }

    assert moves == {timedelta(days=2398)}


def test_a_date_moves_over_a_leap_day_and_a_year_and_backwards() -> None:
    assert device_state_log.moved("2020-02-28T23:59:59", 1) == "2020-02-29T23:59:59.000Z"
    assert device_state_log.moved("2020-12-31T00:00:00", 1) == "2021-01-01T00:00:00.000Z"
    assert device_state_log.moved("2020-03-01T12:00:00", -1) == "2020-02-29T12:00:00.000Z"


def test_operators_report_for_the_devices_and_do_the_rest_in_paths_without_a_bare_hash() -> None:
    commands = list(device_state_log.commands(device_state_log.sample()))

    assert [command.role for command in commands] == [groups.OPERATOR] * 23
    assert commands[0].path == "/equipment/d%2312345/states/2020-04-24T14:40:00.000Z"
    assert commands[-1].path == "/equipment/d%2311223/logs/WARNING4/2020-04-27T16:15:00.000Z/escalation"
    assert commands[-1].body == {"supervisor": SARA}
