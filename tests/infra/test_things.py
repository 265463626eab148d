"""The broker's side of things: each connects as itself, publishes to its own topic, and a rule takes it from there."""

from typing import Any

import pytest

from andon.ingress.names import Kind, rule_of, thing_of, topic_of
from andon.testing.synthesised import Synthesised, text
from services.equipment.ingress import INGRESS

FILE = "services/equipment/ingest"
KINDS = pytest.mark.parametrize("kind", INGRESS.kinds, ids=lambda kind: kind.name)
OWN = "${iot:Connection.Thing.ThingName}"
MOST_SLASHES, MOST_BYTES = 7, 256  # https://docs.aws.amazon.com/general/latest/gr/iot-core.html


def queues(aws: Synthesised) -> tuple[str, str]:
    """The queue, and that of its dead letters."""
    return aws.output("EquipmentIngestQueueUrl"), aws.output("EquipmentIngestDeadLetterQueueUrl")


def policies(aws: Synthesised) -> dict[str, list[dict[str, Any]]]:
    made = aws.of_type("AWS::IoT::Policy").values()
    return {one["PolicyName"]: one["PolicyDocument"]["Statement"] for one in made}


def rules(aws: Synthesised) -> dict[str, dict[str, Any]]:
    return {made["RuleName"]: made["TopicRulePayload"] for made in aws.of_type("AWS::IoT::TopicRule").values()}


@KINDS
def test_a_thing_connects_as_itself_without_a_will_and_publishes_to_its_own_topic_alone(
    aws: Synthesised, kind: Kind
) -> None:
    rule = rule_of("Andon", kind)
    connect, publish = policies(aws)[rule]
    own = topic_of("Andon", kind, OWN)

    assert connect["Action"] == "iot:Connect"
    assert text(connect["Resource"]).partition(":client/")[2] == OWN
    assert connect["Condition"] == {
        "Bool": {"iot:Connection.Thing.IsAttached": "true"},
        "ForAllValues:StringNotEquals": {"iot:ConnectAttributes": ["LastWill"]},
    }
    assert publish["Action"] == "iot:Publish"
    assert [text(on).partition(":topic/")[2] for on in publish["Resource"]] == [f"$aws/rules/{rule}/{own}", own]
    assert {statement["Effect"] for statement in (connect, publish)} == {"Allow"}


def test_there_is_a_policy_and_a_rule_for_each_kind_rules_about_presence_and_no_other(aws: Synthesised) -> None:
    names = {rule_of("Andon", kind) for kind in INGRESS.kinds}

    assert names == {"Andon_equipment", "Andon_factory"}
    assert policies(aws).keys() == names | {f"{name}_claim" for name in names}
    assert rules(aws).keys() == names | {"Andon_connected", "Andon_disconnected"}


def test_that_a_thing_of_this_deployment_is_gone_is_heard_after_a_grace_and_that_it_is_there_at_once(
    aws: Synthesised,
) -> None:
    [gone] = [name for name, made in aws.of_type("AWS::SQS::Queue").items() if made.get("DelaySeconds") == 60]
    for happening, queue in (("connected", queues(aws)[0]), ("disconnected", gone)):
        payload = rules(aws)[f"Andon_{happening}"]

        _, _, from_ = payload["Sql"].partition(" FROM ")
        assert from_ == f"'$aws/events/presence/{happening}/+' WHERE regexp_matches(clientId, '^Andon:')"
        assert payload["Actions"][0]["Sqs"]["QueueUrl"] == {"Ref": queue}
    assert {mapping["EventSourceArn"]["Fn::GetAtt"][0] for mapping in aws.mappings(FILE)} == {queues(aws)[0], gone}


@KINDS
def test_a_rule_passes_bytes_on_as_they_are_to_the_queue_or_to_its_dead_letters(aws: Synthesised, kind: Kind) -> None:
    payload, (queue, dead_letters) = rules(aws)[rule_of("Andon", kind)], queues(aws)

    assert payload["Sql"].endswith(f" FROM '{topic_of('Andon', kind, '+')}'")
    assert payload["Sql"].startswith("SELECT encode(*, 'base64') AS body, ")
    [action] = payload["Actions"]
    assert (action["Sqs"]["QueueUrl"], action["Sqs"]["UseBase64"]) == ({"Ref": queue}, False)
    assert payload["ErrorAction"]["Sqs"]["QueueUrl"] == {"Ref": dead_letters}


def test_the_role_of_the_rules_writes_to_both_queues_and_serves_these_rules_only(aws: Synthesised) -> None:
    [role] = {text(rule["Actions"][0]["Sqs"]["RoleArn"]).removesuffix(".Arn") for rule in rules(aws).values()}
    made = aws.of_type("AWS::IAM::Role")[role]

    [policy] = made["Policies"]
    [statement] = policy["PolicyDocument"]["Statement"]
    [trust] = made["AssumeRolePolicyDocument"]["Statement"]
    assert statement["Action"] == "sqs:SendMessage"
    assert {text(on) for on in statement["Resource"]} > {f"{queue}.Arn" for queue in queues(aws)}
    assert trust["Principal"] == {"Service": "iot.amazonaws.com"}
    sources = trust["Condition"]["ArnEquals"]["aws:SourceArn"]
    assert {text(source).partition(":rule/")[2] for source in sources} == set(rules(aws))
    assert trust["Condition"]["StringEquals"] == {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}


def test_the_function_reads_that_queue_and_knows_whose_things_they_are(aws: Synthesised) -> None:
    assert [mapping["FunctionResponseTypes"] for mapping in aws.mappings(FILE)] == [["ReportBatchItemFailures"]] * 2
    assert aws.functions()[FILE]["Environment"]["Variables"]["THINGS_ROOT"] == "Andon"


def test_two_deployments_of_an_account_share_no_name_on_the_broker(aws: Synthesised, prod: Synthesised) -> None:
    assert rules(prod).keys() == {name.replace("Andon", "Andon_prod") for name in rules(aws)}
    assert rules(aws).keys().isdisjoint(rules(prod))
    assert {payload["Sql"] for payload in rules(prod).values()}.isdisjoint(
        payload["Sql"] for payload in rules(aws).values()
    )


@KINDS
def test_the_longest_topic_is_one_that_the_broker_takes(kind: Kind) -> None:
    longest = thing_of("Andon", "x" * (128 - len("Andon:")))

    topic = topic_of("Andon", kind, longest)
    assert topic.count("/") <= MOST_SLASHES
    assert len(topic.encode()) <= MOST_BYTES
