import pytest

from contract.old_shapes import state_reported_v0


def test_a_state_that_named_a_device_reads_as_today() -> None:
    old = {"state": {"deviceId": "d#1", "state": "ERROR", "timestamp": "2020-04-24T14:35:00Z", "detail": "hot"}}

    assert state_reported_v0(old) == {
        "state": {"equipmentId": "d#1", "state": "ERROR", "timestamp": "2020-04-24T14:35:00.000Z", "detail": "hot"}
    }
    assert "deviceId" in old["state"]


@pytest.mark.parametrize(
    "entities",
    [
        {"state": {"equipmentId": "d#1", "state": "ERROR", "timestamp": "2020-04-24T14:35:00.000Z"}},
        {"state": {"equipmentId": "d#1", "state": "ERROR", "timestamp": "2020-04-24T14:35:00Z"}},
        {"state": {"deviceId": "d#1", "state": "ERROR", "timestamp": 7}},
        {"state": {"deviceId": "d#1"}},
        {"state": None},
        {"state": ["deviceId"]},
        {},
    ],
    ids=str,
)
def test_what_has_another_shape_is_left_for_the_view_to_judge(entities: dict[str, object]) -> None:
    assert state_reported_v0(entities) is entities


def test_what_has_both_names_goes_by_the_newer() -> None:
    both = {"state": {"deviceId": "old", "equipmentId": "new", "timestamp": "2020-04-24T14:35:00Z"}}

    assert state_reported_v0(both)["state"]["equipmentId"] == "new"


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="time"):
        state_reported_v0({"state": {"deviceId": "d#1", "timestamp": "yesterday"}})
