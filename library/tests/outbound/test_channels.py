"""The channels of a deployment: those that it has settings for, and of the others not even an import."""

import os
import subprocess
import sys
from typing import Final

import pytest
from outbound.messages import MESSAGE

from andon.outbound.channels import channels_of_environment
from andon.outbound.delivery import RefusedForGood

SETTINGS: Final = {
    "MAIL_FROM": "andon@example.com",
    "SMS_MOST_DOLLARS": "0.25",
    "WEBHOOK_HOSTS": "events.pagerduty.com *.logic.azure.com",
    "PUSH_HOSTS": "fcm.googleapis.com",
    "PUSH_SECRET": "arn:push",
}


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name, value in SETTINGS.items():
        monkeypatch.setenv(name, value)
    return monkeypatch


@pytest.mark.usefixtures("settings")
def test_a_deployment_with_all_settings_has_all_channels() -> None:
    channels = channels_of_environment(source="things")

    assert {name: channel.name for name, channel in channels.items()} == {
        name: name for name in ("mail", "sms", "webhook", "push")
    }


@pytest.mark.parametrize(
    ("missing", "left"),
    [
        ("MAIL_FROM", {"sms", "webhook"}),
        ("SMS_MOST_DOLLARS", {"mail", "webhook", "push"}),
        ("WEBHOOK_HOSTS", {"mail", "sms", "push"}),
        ("PUSH_HOSTS", {"mail", "sms", "webhook"}),
        ("PUSH_SECRET", {"mail", "sms", "webhook"}),
    ],
)
def test_a_channel_without_its_settings_is_not_there(
    missing: str, left: set[str], settings: pytest.MonkeyPatch
) -> None:
    settings.setenv(missing, "")

    assert channels_of_environment(source="things").keys() == left


@pytest.mark.usefixtures("settings")
def test_every_channel_refuses_what_is_no_address_of_its_own() -> None:
    for channel in channels_of_environment(source="things").values():
        assert isinstance(channel.send(MESSAGE), RefusedForGood)


def test_whoever_pushes_nothing_does_not_import_what_encrypts() -> None:
    code = (
        "import sys; from andon.outbound.channels import channels_of_environment as of; of(source='x');"
        "sys.exit('cryptography' in sys.modules)"
    )
    without = {**os.environ, **SETTINGS, "PUSH_HOSTS": "", "PYTHONPATH": os.pathsep.join(sys.path)}

    assert subprocess.run([sys.executable, "-c", code], env=without, check=False).returncode == 0  # noqa: S603
