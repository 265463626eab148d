"""Settings of a stage for messages to people: what its sender may call, and what other functions know of that."""

from dataclasses import dataclass, replace
from typing import Final, Self

from andon.cdk.names import PUSH_HOST_HERE, SENDER_HERE
from andon.cdk.stage import Stage
from andon.outbound.addresses import is_entry, mail_address
from andon.outbound.variables import DEFAULT_LINK_HOURS

MOST_LINK_HOURS: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboundSettings:
    """The settings of a stage; without any, nobody is told.

    sink: takes the requests to hosts of others, on this machine: `http://127.0.0.1:<port>` and a path; None: they go
    there. secret: the value of each secret, where all is on one machine; None: one that nobody knows is made.
    """

    mail_from: str | None = None
    sms_per_day: int = 0
    webhook_hosts: tuple[str, ...] = ()
    push_hosts: tuple[str, ...] = ()
    push_key: str | None = None
    link_hours: int = DEFAULT_LINK_HOURS
    sink: str | None = None
    secret: str | None = None

    @classmethod
    def of_stage(cls, stage: Stage) -> Self:
        """Return the settings of a stage on AWS.

        Raises:
            ValueError: one makes no sense; with its name.

        """
        where = f"stages.{stage.name} of cdk.json"
        if stage.mail_from is not None:
            try:
                mail_address(stage.mail_from)
            except ValueError as error:
                raise ValueError(f"{where}: mailFrom {error}") from error
        if stage.sms_per_day < 0:
            raise ValueError(f"{where}: smsPerDay is {stage.sms_per_day}, but should be 0 (no SMS) or more")
        if not 1 <= stage.link_hours <= MOST_LINK_HOURS:
            raise ValueError(f"{where}: linkHours is {stage.link_hours}, but should be 1 to {MOST_LINK_HOURS}")
        for setting, hosts in (("webhookHosts", stage.webhook_hosts), ("pushHosts", stage.push_hosts)):
            if wrong := [host for host in hosts if not is_entry(host)]:
                raise ValueError(f"{where}: {setting} has {wrong[0]!r}, but should have names of hosts, or *.name")
        if stage.push_hosts and stage.mail_from is None:
            raise ValueError(f"{where}: pushHosts needs a mailFrom, by which push services reach who sends")
        return cls(
            mail_from=stage.mail_from,
            sms_per_day=stage.sms_per_day,
            webhook_hosts=stage.webhook_hosts,
            push_hosts=stage.push_hosts,
            push_key=stage.push_key,
            link_hours=stage.link_hours,
        )

    def with_sink(self, sink: str | None) -> Self:
        """Return these settings with another sink."""
        return replace(self, sink=sink)


OF_ALL_STAGES: Final = OutboundSettings()

# All that is sent can be looked at: mail and SMS at the emulator, all else at the sink.
ON_ONE_MACHINE: Final = OutboundSettings(
    mail_from=SENDER_HERE,
    sms_per_day=1_000,
    webhook_hosts=("events.pagerduty.com", "hooks.example.com", "*.logic.azure.com"),
    push_hosts=("fcm.googleapis.com", "updates.push.services.mozilla.com", "*.push.apple.com", PUSH_HOST_HERE),
    # The public key that belongs to `secret`; a test compares them.
    push_key="BJOoeyb9QJd3EBt0xaTOku40SHe_HY7DifMXzXxiOX5XE2bDvkI4fUVnoDghcThdM8bB5EwNj-p5AWzIONDJE4Q",
    secret="for-this-machine-alone-and-not-secret-at-all",  # noqa: S106  nothing that it signs counts anywhere else
)
