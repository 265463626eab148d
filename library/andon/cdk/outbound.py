"""Rights of senders alone: mail, SMS, hosts of others; and the secrets of links and of push."""

from collections.abc import Mapping
from typing import Final

from aws_cdk import Aws, SecretValue
from aws_cdk import aws_secretsmanager as secretsmanager

from andon.cdk.api import Api
from andon.cdk.checks import nag
from andon.cdk.function import Function
from andon.cdk.names import pascal
from andon.cdk.package_stack import root_of, tell
from andon.cdk.target import Target
from andon.outbound import variables
from andon.packages.package import Package

READ: Final = "secretsmanager:GetSecretValue"
CHARACTERS: Final = 64  # of letters and digits, 5.9 bits each
COMMAND: Final = "command"

# Of one message. SNS refuses one that would cost more: https://docs.aws.amazon.com/sns/latest/dg/sms_publish-to-phone.html
SMS_MOST_DOLLARS: Final = "0.25"


def let_send(sender: Function, api: Api, *, others: Mapping[str, Function]) -> None:
    """Let a sender use the channels of the stage; a command knows the hosts, and refuses addresses elsewhere."""
    settings = Target.of(sender).outbound
    hosts = {
        variables.WEBHOOK_HOSTS: " ".join(settings.webhook_hosts),
        variables.PUSH_HOSTS: " ".join(settings.push_hosts),
    }
    for function in (sender, *(one for role, one in others.items() if role == COMMAND)):
        _tell(function, hosts)
    _tell(
        sender,
        {
            variables.MAIL_FROM: settings.mail_from,
            variables.SMS_MOST_DOLLARS: SMS_MOST_DOLLARS if settings.sms_per_day else None,
            variables.SMS_PER_DAY: str(settings.sms_per_day) if settings.sms_per_day else None,
            variables.LINK_ORIGIN: api.page_origin,
            variables.LINK_HOURS: str(settings.link_hours),
            variables.SINK: settings.sink,
        },
    )
    if settings.mail_from:
        _let_mail(sender, settings.mail_from)
    if settings.sms_per_day:
        _let_text(sender)


def let_read_secrets(package: Package, functions: Mapping[str, Function]) -> None:
    """Let the roles that a package names read a secret of the stack; that of push exists where there is push."""
    for variable, roles in package.secrets.items():
        for role in roles:
            function = functions[role]
            if variable != variables.PUSH_SECRET or Target.of(function).outbound.push_hosts:
                secret = _secret(function, variable)
                function.handler.add_environment(variable, secret.secret_arn)
                function.grant([READ], [secret.secret_arn])


def _secret(function: Function, variable: str) -> secretsmanager.Secret:
    """Return the stack's secret of a name; one for all packages, for one signs what another one verifies."""
    root, name = root_of(function), pascal(variable)
    existing = root.node.try_find_child(name)
    if isinstance(existing, secretsmanager.Secret):
        return existing
    target = Target.of(function)
    known = target.outbound.secret
    secret = secretsmanager.Secret(
        root,
        name,
        description=f"{target.project.name}: {variable}",
        secret_string_value=SecretValue.unsafe_plain_text(known) if known else None,
        generate_secret_string=None
        if known
        else secretsmanager.SecretStringGenerator(password_length=CHARACTERS, exclude_punctuation=True),
        removal_policy=target.removal_policy,
    )
    nag.acknowledge(secret, SMG4=nag.SECRETS)
    tell(root, name, secret.secret_arn, "a secret")
    return secret


def _tell(function: Function, variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value:
            function.handler.add_environment(name, value)


def _let_mail(sender: Function, address: str) -> None:
    """Allow mail from one address. SES asks for more than its identity, which the condition names.

    In the sandbox it asks for those of the recipients, too, and always for the account's default configuration set.
    https://docs.aws.amazon.com/ses/latest/dg/control-user-access.html
    """
    kinds = ("identity", "configuration-set")
    asked = [f"arn:{Aws.PARTITION}:ses:{Aws.REGION}:{Aws.ACCOUNT_ID}:{kind}/*" for kind in kinds]
    sender.grant(["ses:SendEmail"], asked, only_if={"StringEquals": {"ses:FromAddress": address}})
    for every in asked:
        nag.acknowledge_wildcard(sender, every, nag.MAIL)


def _let_text(sender: Function) -> None:
    """Allow SMS. A phone number is no resource, so that all are allowed, and each topic is denied.

    https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
    """
    sender.grant(["sns:Publish"], ["*"])
    sender.deny(["sns:Publish"], ["arn:aws:sns:*:*:*"])
    nag.acknowledge_wildcard(sender, "*", nag.PHONES)
