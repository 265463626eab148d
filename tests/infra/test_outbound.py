"""Who calls outside: the sender alone, only where the stage says so, and with no more than that needs."""

from typing import Any, Final

import pytest
from aws_cdk import App

from andon.cdk.target import LOCAL, Target
from andon.outbound import channels, provider, variables
from andon.outbound.pace import OPENS_AT
from andon.outbound.push import Signer
from andon.testing.synthesised import Synthesised, text
from tests.support.infra.synthesised import FILES, STAGES

SENDER: Final = "services/notify/sender"
COMMAND: Final = "services/notify/command"
VERIFIER: Final = "services/dispatch/command"
HOSTS: Final = {variables.WEBHOOK_HOSTS, variables.PUSH_HOSTS}
OUTSIDE: Final = {"ses:SendEmail", "sns:Publish"}
OF_SENDER: Final = HOSTS | {
    variables.MAIL_FROM,
    variables.SMS_MOST_DOLLARS,
    variables.SMS_PER_DAY,
    variables.PUSH_SECRET,
    variables.LINK_SECRET,
    variables.LINK_HOURS,
    variables.LINK_ORIGIN,
    variables.SINK,
}


def settings(stack: Synthesised, file: str) -> dict[str, Any]:
    """The settings of sending that a function knows."""
    known = stack.functions()[file]["Environment"]["Variables"]
    return {name: text(value) for name, value in known.items() if name in OF_SENDER}


def target(**changed: object) -> Target:
    return Target.of(App(context=STAGES | {"stages": {"dev": STAGES["stages"]["dev"] | changed}, "stage": "dev"}))


def test_the_sender_alone_knows_how_to_send(varied: Synthesised) -> None:
    knowing = {file: settings(varied, file).keys() for file in FILES}

    assert knowing.pop(SENDER) == OF_SENDER - {variables.SINK}
    others = {file: names - {variables.LINK_SECRET} for file, names in knowing.items()}
    assert {file: names for file, names in others.items() if names} == {COMMAND: HOSTS}, "it refuses other addresses"
    assert settings(varied, SENDER)[variables.WEBHOOK_HOSTS] == "events.pagerduty.com *.logic.azure.com"
    assert settings(varied, SENDER)[variables.SMS_PER_DAY] == "300"


def test_calls_that_are_never_answered_leave_room_for_others_until_their_breaker_opens(
    aws: Synthesised, local: Synthesised
) -> None:
    for stack in (aws, local):
        [mapping] = stack.mappings(SENDER)
        assert mapping["BatchSize"] == 1
        assert mapping["ScalingConfig"]["MaximumConcurrency"] >= 2 * OPENS_AT
    assert provider.LONGEST_MS / 1000 * channels.PER_SECOND["webhook"] <= OPENS_AT, (
        "so many wait for one host at a time"
    )


def test_a_stage_that_says_nothing_sends_nothing(aws: Synthesised) -> None:
    assert settings(aws, SENDER).keys() == {variables.LINK_SECRET, variables.LINK_HOURS, variables.LINK_ORIGIN}
    assert not {action for file in FILES for action, _ in aws.allowed(file)} & OUTSIDE
    assert len(aws.of_type("AWS::SecretsManager::Secret")) == 1


def test_no_other_function_may_send(varied: Synthesised) -> None:
    assert {file for file in FILES for action, _ in varied.allowed(file) if action in OUTSIDE} == {SENDER}


def test_mail_goes_out_from_one_address_whatever_else_ses_asks_for(varied: Synthesised) -> None:
    [one] = [made for made in varied.statements(SENDER) if made["Action"] == "ses:SendEmail"]

    assert one["Condition"] == {"StringEquals": {"ses:FromAddress": "andon@plant.example.com"}}
    assert [text(on).rpartition(":")[2] for on in one["Resource"]] == ["configuration-set/*", "identity/*"]


def test_sms_goes_to_phones_and_to_no_topic(varied: Synthesised) -> None:
    denied = [made for made in varied.statements(SENDER) if made["Effect"] == "Deny"]

    assert {on for action, on in varied.allowed(SENDER) if action == "sns:Publish"} == {"*"}
    assert [(made["Action"], made["Resource"]) for made in denied] == [("sns:Publish", "arn:aws:sns:*:*:*")]


def test_a_secret_is_made_by_aws_and_read_by_those_who_sign_or_verify(varied: Synthesised) -> None:
    secrets = varied.of_type("AWS::SecretsManager::Secret")
    reading = {
        (file, on) for file in FILES for action, on in varied.allowed(file) if action == "secretsmanager:GetSecretValue"
    }

    assert [made["GenerateSecretString"]["PasswordLength"] for made in secrets.values()] == [64, 64]
    assert not any("SecretString" in made for made in secrets.values())
    links, push = (text(varied.outputs[name]["Value"]) for name in ("LinkSecret", "PushSecret"))
    assert reading == {(SENDER, links), (VERIFIER, links), (SENDER, push)}
    assert {file for file in FILES if settings(varied, file).get(variables.LINK_SECRET) == links} == {SENDER, VERIFIER}


def test_the_page_knows_the_public_key_and_not_the_secret(varied: Synthesised) -> None:
    known = varied.functions()["pages/board/query"]["Environment"]["Variables"]

    assert known["PUSH_KEY"] == "BPublic"
    assert variables.PUSH_SECRET not in known


def test_on_one_machine_all_is_sent_and_stays_there(local: Synthesised) -> None:
    assert settings(local, SENDER).keys() >= {variables.MAIL_FROM, variables.SMS_PER_DAY, *HOSTS}
    assert LOCAL.secret
    assert Signer(LOCAL.secret).public_key == LOCAL.stage.push_key

    app = App(context=STAGES | {"target": "local", "sink": "http://127.0.0.1:9/_andon/sink"})
    assert Target.of(app).sink == "http://127.0.0.1:9/_andon/sink"


def test_on_aws_nothing_takes_the_place_of_those_who_are_told() -> None:
    with pytest.raises(ValueError, match="-c sink: it is for one machine alone"):
        Target.of(App(context=STAGES | {"sink": "http://127.0.0.1:9"}))

    assert target().sink is None
    assert target().secret is None


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"mailFrom": "Andon <andon@example.com>"}, "should be an e-mail address"),
        ({"smsPerDay": -1}, "smsPerDay is -1"),
        ({"linkHours": 0}, "linkHours is 0"),
        ({"linkHours": 25}, "linkHours is 25"),
        ({"webhookHosts": "hooks.example.com"}, "webhookHosts is 'hooks.example.com', but should be tuple"),
        ({"webhookHosts": [1]}, r"webhookHosts is \[1\]"),
        (
            {"webhookHosts": ["https://hooks.example.com/x"]},
            r"webhookHosts is \['https://hooks.example.com/x'\], but should be names of hosts",
        ),
        ({"webhookHosts": ["*"]}, "webhookHosts is"),
        ({"pushHosts": ["fcm.googleapis.com"]}, "pushHosts needs a mailFrom"),
    ],
)
def test_what_could_not_be_sent_is_refused_at_synth(changed: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        target(**changed)
