from pathlib import Path
from typing import Any

import pytest
from aws_cdk import App, Stack
from aws_cdk import aws_sqs as sqs

from andon.cdk.api import Api
from andon.cdk.checks import nag
from andon.cdk.checks.declared import refuse_unversioned
from andon.cdk.event_hub import EventHub
from andon.cdk.service import Service
from andon.cdk.view import View
from andon.dynamodb.schema import Index, Keys
from andon.packages.package import Package, folder_of
from andon.versions.aggregate import COUNTER, FROM_STREAM, TWO_TABLES, Identity, Speed, Tolerance
from andon.views.view_update import ViewUpdate
from infra.stack import Andon
from services.anomalies import subscriptions as anomalies
from services.anomalies import versioning as versioned_anomalies
from services.equipment import versioning as versioned_equipment
from tests.support.infra.synthesised import STAGES, only, synthesise
from views.board import view as board
from views.state_log import view as state_log

REDELIVERY_DAYS = 1 + 1 + 4 + 14  # stream, EventBridge, queue, dead letters
REPORTED = ("equipment", "state-reported")
ELSEWHERE = {"DeviceID": "elsewhere", "State#Date": "ERROR#2020-04-24T14:50:00.000Z"}
EQUIPMENT = Package("services", "equipment")
STATE_LOG, ANOMALIES = only("views/state_log"), only("services/anomalies")


def test_a_view_that_forgets_sooner_than_events_are_redelivered_is_refused_by_name_and_numbers(
    layer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_log, "TTL_DAYS", REDELIVERY_DAYS - 1)

    with pytest.raises(
        ValueError, match=r"view state_log: its rows live 19 days, but redelivery can take 20 .*TTL_DAYS"
    ):
        synthesise(layer, declare=STATE_LOG)


def test_a_view_whose_rows_have_dates_and_whose_events_never_expire_is_refused(
    layer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_log, "EXPIRES_WITHIN_DAYS", 30, raising=False)
    monkeypatch.setattr(state_log, "TTL_DAYS", None)

    with pytest.raises(ValueError, match=r"view state_log: expires_at needs TTL_DAYS in view\.py"):
        synthesise(layer, declare=STATE_LOG)


def test_a_stack_without_the_view_that_says_where_subjects_are_is_refused_by_the_name_of_its_table(layer: Path) -> None:
    def declare(stack: Andon, hub: EventHub, api: Api) -> None:
        View(stack, "state_log", hub, api)

    with pytest.raises(ValueError, match=r"views/state_log reads where subjects are, by BOARD_TABLE, which no view"):
        synthesise(layer, declare=declare)


def test_a_view_may_forget_as_soon_as_no_event_can_be_redelivered(layer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_log, "TTL_DAYS", REDELIVERY_DAYS)

    synthesise(layer, declare=STATE_LOG)


def test_a_view_partitioned_by_a_date_is_refused(layer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_log, "INDEXES", {"ByDate": Index(Keys("Date", "DeviceID", one_partition_per="date"))})

    with pytest.raises(ValueError, match=r"STATE_LOG_TABLE, index ByDate: 'Date' has one partition per date"):
        synthesise(layer, declare=STATE_LOG)


def test_a_view_whose_faults_come_back_to_it_is_refused(layer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_log, "ON", {**state_log.ON, ("state_log", "fault"): state_log.on_state_reported})

    with pytest.raises(ValueError, match=r"round for ever: state_log -fault-> state_log"):
        synthesise(layer, declare=STATE_LOG)


def test_steady_tables_beyond_what_an_account_has_are_refused_by_their_names(
    layer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def index(number: int) -> Index:
        return Index(Keys(f"Of{number}", one_partition_per="tenant"), steady=True)

    by_name = {f"By{number}": index(number) for number in range(9)}
    monkeypatch.setattr(board, "INDEXES", by_name)
    large: dict[str, Any] = {"capacity": "PROVISIONED", "reportsPerSecond": 2_000, "declare": only("views/board")}

    synthesise(layer, **large)
    monkeypatch.setattr(board, "INDEXES", by_name | {"By9": index(9)})

    words = r"^11 steady tables and indexes begin with 1,500 units of reads and 86,900 of writes, .* BOARD_TABLE/By0, "
    with pytest.raises(ValueError, match=words + r".* Take STEADY .* tableUnitsPerSecond in stages.dev of cdk.json"):
        synthesise(layer, **large)
    synthesise(layer, **large, tableUnitsPerSecond=100_000)


def test_what_a_service_or_a_view_cannot_read_is_refused_when_it_is_built(
    layer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.delattr(state_log, "UPCASTERS")
        with pytest.raises(ValueError, match=r"^views/state_log subscribes to state-reported of equipment"):
            synthesise(layer, declare=STATE_LOG)
    with monkeypatch.context() as patched:
        patched.setattr(state_log, "ON", {REPORTED: lambda _: ViewUpdate(key=ELSEWHERE, fields={}, oplock="reported")})
        with pytest.raises(ValueError, match=r"^view state_log: the row of state-reported has DeviceID = 'elsewhere'"):
            synthesise(layer, declare=STATE_LOG)
    with monkeypatch.context() as patched:
        patched.delattr(anomalies, "UPCASTERS")
        with pytest.raises(ValueError, match=r"^services/anomalies subscribes to state-reported of equipment"):
            synthesise(layer, declare=ANOMALIES)
    with monkeypatch.context() as patched:
        patched.setattr(anomalies, "ON", {})
        with pytest.raises(ValueError, match=r"^service anomalies: rule burst is on state-reported of equipment"):
            synthesise(layer, declare=ANOMALIES)


def test_what_does_not_say_how_it_is_versioned_or_contradicts_itself_is_refused_when_it_is_built(
    layer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(versioned_anomalies, "AGGREGATES", {})
        with pytest.raises(ValueError, match=r"^service anomalies publishes rows of 'anomaly', but does not say how"):
            synthesise(layer, declare=ANOMALIES)
    declared = versioned_equipment.AGGREGATES
    refuse_unversioned(EQUIPMENT)
    monkeypatch.setattr(versioned_equipment, "AGGREGATES", {"equipment": declared["equipment"]})
    with pytest.raises(ValueError, match=r"^service equipment publishes rows of 'audit', .* Add 'audit': Aggregate"):
        refuse_unversioned(EQUIPMENT)


@pytest.mark.parametrize(
    ("kind", "said", "words"),
    [
        (
            "state",
            {"design": COUNTER, "identity": Identity.GIVEN, "tolerates": Tolerance.GAPS, "lives_with": "equipment"},
            "lives with 'equipment', which never expires. .* and write 'state' only while that is there",
        ),
        (
            "state",
            {"design": COUNTER, "identity": Identity.GIVEN, "tolerates": Tolerance.GAPS, "lives_with": "house"},
            "lives with 'house', which nobody declares",
        ),
        ("equipment", {"speed": Speed.FAST}, "is fast data, but .* has a history transaction"),
        ("state", {"speed": Speed.SLOW}, "is slow data, .* but POST /states publishes state-reported without one"),
        (
            "state",
            {"design": TWO_TABLES, "identity": Identity.GIVEN, "speed": Speed.SLOW},
            r"keeps every version by .*, but functions/services/equipment/revisions\.py does not say",
        ),
        (
            "state",
            {
                "design": FROM_STREAM,
                "identity": Identity.GIVEN,
                "speed": Speed.SLOW,
                "expires": False,
                "tolerates": Tolerance.LATE_HISTORY,
            },
            r"keeps every version by .*, but functions/services/equipment/revisions\.py does not say",
        ),
    ],
)
def test_a_contradiction_is_refused_by_its_file_and_both_sides(
    monkeypatch: pytest.MonkeyPatch, kind: str, said: dict[str, Any], words: str
) -> None:
    declared = versioned_equipment.AGGREGATES
    changed = {**declared, kind: declared[kind]._replace(**said)}
    monkeypatch.setattr(versioned_equipment, "AGGREGATES", changed)

    with pytest.raises(ValueError, match=rf"^functions/services/equipment/versioning\.py: '{kind}' {words}"):
        refuse_unversioned(EQUIPMENT)


def test_versions_that_no_trigger_keeps_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    maintenance = Package("services", "maintenance")
    refuse_unversioned(maintenance)
    monkeypatch.setattr(
        Package, "has", lambda package, file: file != "facts" and (package, file) == (maintenance, file)
    )

    with pytest.raises(
        ValueError, match=r"'instructions' has its versions kept by the trigger .* has none: .*facts\.py"
    ):
        refuse_unversioned(maintenance)


def test_a_project_of_which_no_service_says_how_it_is_versioned_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        Package,
        "has",
        lambda package, file: (
            file in {one.stem for one in (folder_of(package.side) / package.name).glob("*.py")} - {"versioning"}
        ),
    )

    with pytest.warns(DeprecationWarning, match=r"^service anomalies publishes rows of 'anomaly', but does not say"):
        refuse_unversioned(Package("services", "anomalies"))


def test_a_stack_of_no_package_is_a_stack_with_no_empty_template(layer: Path) -> None:
    """A project has no page, no table and no steady table at first, and need not have any later."""
    made = synthesise(layer, stage="prod", declare=lambda *_: None)

    assert all(template["Resources"] for template in made.templates.values())
    assert not made.of_type("AWS::CloudTrail::Trail")


def test_a_package_with_nothing_in_it_is_refused_by_its_folder(layer: Path) -> None:
    def declare(stack: Andon, hub: EventHub, api: Api) -> None:
        Service(stack, "nobody_wrote_it", hub, api)

    with pytest.raises(ValueError, match=r"^functions/services/nobody_wrote_it has no handler.* write command.py"):
        synthesise(layer, declare=declare)


def test_a_target_that_does_not_exist_is_refused(layer: Path) -> None:
    with pytest.raises(ValueError, match="-c target=moon: there is aws and local"):
        synthesise(layer, target="moon")


def test_a_hold_back_that_is_no_number_is_refused(layer: Path) -> None:
    with pytest.raises(ValueError, match="'soon'"):
        synthesise(layer, holdBackSeconds="soon")


def test_a_route_without_a_handler_file_is_refused(layer: Path) -> None:
    stack = Stack(App(context=STAGES | {"layer": str(layer)}), "Alone")

    with pytest.raises(ValueError, match=r"PUT /equipment/\{id\} needs a handler file command.py"):
        Api(stack).serve({"PUT /equipment/{id}": frozenset()}, {})


def test_cdk_nag_fails_the_synth_for_what_nobody_acknowledged() -> None:
    app = App(context=STAGES)
    sqs.Queue(Stack(app, "Careless"), "Open")
    nag.audit(app)

    with pytest.raises(RuntimeError, match=r"AwsSolutions-SQS4"):
        app.synth()
