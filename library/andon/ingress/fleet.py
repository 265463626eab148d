"""Names of provisioning by claim, at AWS IoT: templates, policies, clients and topics. Pure.

Who has a claim, which many things share, has a certificate of its own signed for a key of its own, and asks to be a
thing by it: https://docs.aws.amazon.com/iot/latest/developerguide/provision-wo-cert.html#claim-based

Apart from `provisioning.py`: the emulator's broker, which has no more than Python, reads these names.
"""

import re
from typing import Final

from andon.ingress.names import SEPARATOR, Kind, rule_of

# The key never leaves who made it. https://docs.aws.amazon.com/iot/latest/developerguide/fleet-provision-api.html
SIGNING: Final = "$aws/certificates/create-from-csr/json"

NAME: Final = "Name"
"""Parameter with the name of the thing within its deployment."""

MEMBER: Final = "Member"
"""Parameter with the name of something that belongs to the thing, where its service knows it by that; else empty."""

_CERTIFICATE_ID: Final = "AWS::IoT::Certificate::Id"
"""Parameter with the id of the certificate that was signed, which AWS adds."""

# https://docs.aws.amazon.com/iot/latest/apireference/API_CreateProvisioningTemplate.html
_MOST_OF_TEMPLATE: Final = 36
_TEMPLATE: Final = re.compile(r"[0-9A-Za-z_-]+")


def template_of(root: str, kind: Kind) -> str:
    """Return the name of the template of a kind, which is that of its policy.

    Raises:
        ValueError: AWS IoT takes no such name.

    """
    name = rule_of(root, kind)
    if len(name) > _MOST_OF_TEMPLATE or not _TEMPLATE.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a provisioning template: it has {_MOST_OF_TEMPLATE} letters at most")
    return name


def policy_of(root: str, kind: Kind) -> str:
    """Return the name of the policy of a claim to be of a kind."""
    return f"{rule_of(root, kind)}_claim"


def client_of(root: str, name: str) -> str:
    """Return the client id of a connection by a claim; stacks' names have no underscore, so no thing's id begins so."""
    return f"{root}_claim{SEPARATOR}{name}"


def topic_of(template: str) -> str:
    """Return the topic on which somebody asks to be a thing."""
    return f"$aws/provisioning-templates/{template}/provision/json"


def answers_to(topic: str) -> tuple[str, str]:
    """Return the topics of the answers to a request: accepted, and rejected."""
    return f"{topic}/accepted", f"{topic}/rejected"


def body_of(root: str, kind: Kind) -> dict[str, object]:
    """Return the body of a template: a thing of this deployment, of the certificate that was signed.

    https://docs.aws.amazon.com/iot/latest/developerguide/provision-template.html
    """
    name = {"Fn::Join": ["", [f"{root}{SEPARATOR}", {"Ref": NAME}]]}
    certificate = {"CertificateId": {"Ref": _CERTIFICATE_ID}, "Status": "Active"}
    text = {"Type": "String"}
    return {
        "Parameters": {NAME: text, MEMBER: {**text, "Default": ""}, _CERTIFICATE_ID: text},
        "Resources": {
            "thing": {"Type": "AWS::IoT::Thing", "Properties": {"ThingName": name}},
            "certificate": {"Type": "AWS::IoT::Certificate", "Properties": certificate},
            "policy": {"Type": "AWS::IoT::Policy", "Properties": {"PolicyName": rule_of(root, kind)}},
        },
    }
