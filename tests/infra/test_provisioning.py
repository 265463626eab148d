"""Provisioning by claim: a claim asks and does nothing else, and what AWS makes of it is a thing of this deployment."""

import json
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from andon.ingress import fleet
from andon.ingress.names import Kind, thing_of
from andon.ingress.provisioning import REFUSED
from andon.testing.synthesised import Synthesised, text
from services.equipment.ingress import INGRESS
from tests.support.infra.synthesised import only, synthesise

HOOK = "services/equipment/provision"
KINDS = pytest.mark.parametrize("kind", INGRESS.kinds, ids=lambda kind: kind.name)
Made = dict[str, Any]


def templates(aws: Synthesised) -> dict[str, Made]:
    return {made["TemplateName"]: made for made in aws.of_type("AWS::IoT::ProvisioningTemplate").values()}


def after(arn: object, kind: str) -> str:
    """What stands behind `:topic/`, or another kind of resource, in an ARN."""
    return text(arn).partition(f":{kind}/")[2]


@KINDS
def test_a_claim_connects_under_its_own_prefix_asks_to_be_one_kind_of_thing_and_hears_the_answers(
    aws: Synthesised, kind: Kind
) -> None:
    name = fleet.policy_of("Andon", kind)
    [policy] = [made for made in aws.of_type("AWS::IoT::Policy").values() if made["PolicyName"] == name]
    asked = ["$aws/certificates/create-from-csr/json", f"$aws/provisioning-templates/Andon_{kind.name}/provision/json"]
    answers = {f"{topic}/{answer}" for topic in asked for answer in ("accepted", "rejected")}

    connect, publish, receive, subscribe = policy["PolicyDocument"]["Statement"]

    assert (connect["Action"], after(connect["Resource"], "client")) == ("iot:Connect", "Andon_claim:*")
    assert connect["Condition"] == {"ForAllValues:StringNotEquals": {"iot:ConnectAttributes": ["LastWill"]}}
    assert (publish["Action"], [after(on, "topic") for on in publish["Resource"]]) == ("iot:Publish", asked)
    assert (receive["Action"], {after(on, "topic") for on in receive["Resource"]}) == ("iot:Receive", answers)
    assert (subscribe["Action"], {after(on, "topicfilter") for on in subscribe["Resource"]}) == (
        "iot:Subscribe",
        answers,
    )


@KINDS
def test_no_thing_of_any_deployment_has_the_name_of_a_claims_client(kind: Kind) -> None:
    for root in ("Andon", "Andon-prod", "Andon-claim"):
        client = fleet.client_of(root, "a")

        assert not client.startswith((f"{root}:", "Andon-claim:"))
        assert not fnmatchcase(thing_of("Andon-claim", kind.name), fleet.client_of(root, "*"))


@KINDS
def test_a_template_makes_a_thing_below_the_deployments_name_with_the_policy_of_its_kind(
    aws: Synthesised, kind: Kind
) -> None:
    made = templates(aws)[fleet.template_of("Andon", kind)]
    body = json.loads(made["TemplateBody"])

    assert (made["TemplateType"], made["Enabled"]) == ("FLEET_PROVISIONING", True)
    assert body["Resources"]["thing"]["Properties"] == {"ThingName": {"Fn::Join": ["", ["Andon:", {"Ref": "Name"}]]}}
    assert body["Resources"]["policy"]["Properties"] == {"PolicyName": f"Andon_{kind.name}"}
    assert body["Resources"]["certificate"]["Properties"]["Status"] == "Active"
    assert body["Parameters"].keys() == {"Name", "Member", "AWS::IoT::Certificate::Id"}


def test_every_template_asks_the_hook_which_aws_may_call_for_these_templates_only(aws: Synthesised) -> None:
    hook = aws.id_of_function(HOOK)
    made = aws.of_type("AWS::Lambda::Permission").values()
    permissions = [one for one in made if one["Principal"] == "iot.amazonaws.com"]

    assert {after(one["SourceArn"], "provisioningtemplate") for one in permissions} == templates(aws).keys()
    assert {text(one["SourceAccount"]) for one in permissions} == {"AWS::AccountId"}
    assert {aws.behind(one["FunctionName"]) for one in permissions} == {hook}
    asked = [one["PreProvisioningHook"] for one in templates(aws).values()]
    assert {aws.behind(one["TargetArn"]) for one in asked} == {hook}
    assert {one["PayloadVersion"] for one in asked} == {"2020-04-01"}


def test_aws_makes_things_of_this_deployment_and_attaches_certificates_by_a_role_that_does_nothing_else(
    aws: Synthesised,
) -> None:
    [role] = {text(made["ProvisioningRoleArn"]).removesuffix(".Arn") for made in templates(aws).values()}
    made = aws.of_type("AWS::IAM::Role")[role]
    [policy], [trust] = made["Policies"], made["AssumeRolePolicyDocument"]["Statement"]

    assert trust["Principal"] == {"Service": "iot.amazonaws.com"}
    assert trust["Condition"]["StringEquals"] == {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}
    assert text(trust["Condition"]["ArnLike"]["aws:SourceArn"]).endswith(":AWS::AccountId:*")
    allowed = {
        action: sorted(text(on).rpartition(":AWS::AccountId:")[2] for on in listed(statement["Resource"]))
        for statement in policy["PolicyDocument"]["Statement"]
        for action in listed(statement["Action"])
    }
    assert allowed == {
        "iot:CreateThing": ["thing/Andon:*"],
        "iot:DescribeThing": ["thing/Andon:*"],
        "iot:AttachThingPrincipal": ["cert/*", "thing/Andon:*"],
        "iot:AttachPolicy": ["cert/*"],
        "iot:DescribeCertificate": ["cert/*"],
        "iot:UpdateCertificate": ["cert/*"],
        "iot:GetPolicy": ["policy/Andon_equipment", "policy/Andon_factory"],
    }


def listed(one: object) -> list[Any]:
    return one if isinstance(one, list) else [one]


def test_the_hook_answers_before_aws_gives_up_and_knows_whose_things_they_are(aws: Synthesised) -> None:
    hook = aws.functions()[HOOK]

    assert hook["Timeout"] == 5
    assert hook["Environment"]["Variables"]["THINGS_ROOT"] == "Andon"


def test_refusals_that_pile_up_wake_somebody(aws: Synthesised) -> None:
    alarms = {one.get("AlarmName"): one for one in aws.of_type("AWS::CloudWatch::Alarm").values()}
    alarm = alarms["Andon/equipment/Provision/Refused"]

    dimensions = {one["Name"]: one["Value"] for one in alarm["Dimensions"]}
    assert (alarm["Namespace"], alarm["MetricName"], dimensions) == (
        "Andon",
        REFUSED,
        {"service": "equipment", "stage": "dev"},
    )
    assert (alarm["Threshold"], alarm["EvaluationPeriods"]) == (3, 5)


def test_a_stage_that_does_not_say_so_has_no_door_for_claims(prod: Synthesised) -> None:
    assert templates(prod) == {}
    assert HOOK not in prod.functions()
    assert {made["PolicyName"] for made in prod.of_type("AWS::IoT::Policy").values()} == {
        "Andon_prod_equipment",
        "Andon_prod_factory",
    }


def test_a_stage_opens_the_door_for_the_kinds_that_it_names(varied: Synthesised) -> None:
    assert templates(varied).keys() == {"Andon_factory"}
    assert HOOK in varied.functions()


def test_a_kind_that_no_service_has_is_refused_at_synth(layer: Path) -> None:
    with pytest.raises(ValueError, match=r"names robot, .* there is equipment, factory"):
        synthesise(layer, declare=only("services/equipment"), provisionedByClaim=["robot"])


def test_templates_of_two_deployments_have_other_names_and_one_that_aws_does_not_take_is_refused() -> None:
    names = [fleet.template_of(root, kind) for root in ("Andon", "Andon-prod") for kind in INGRESS.kinds]

    assert len(set(names)) == len(names)
    with pytest.raises(ValueError, match="36 letters"):
        fleet.template_of("Andon-of-a-stage-with-a-long-name", INGRESS.kinds[0])
