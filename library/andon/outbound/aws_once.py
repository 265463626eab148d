"""A call of AWS, once: what is sent to people must not be sent again by a wire that tries again by itself."""

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final, NamedTuple

import orjson
import pycurl

from andon.outbound.channel import NotTaken, Outcome, RefusedForGood, Sent, Unknown
from andon.outbound.once import Reply, outcome_of, post_once
from andon.wire import retries
from andon.wire.credentials import credentials, region
from andon.wire.curl import Handle
from andon.wire.endpoint import endpoint_of

# AWS refuses this account, whoever the recipient is. SES has these besides 403:
# https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html#API_SendEmail_Errors
OF_THE_ACCOUNT: Final = frozenset(
    {
        "AccountSuspendedException",
        "LimitExceededException",
        "MailFromDomainNotVerifiedException",
        "NotFoundException",
        "SendingPausedException",
    }
)

_CODE: Final = re.compile(r"[A-Za-z0-9]{1,64}")
_ERROR_IN_XML: Final = re.compile(rb"<Error>.*?<Code>([^<]*)</Code>", re.DOTALL)
_CODE_HEADER: Final = b"x-amzn-errortype:"


class AwsService(NamedTuple):
    """A service; host: the first part of its name; variable: the end of `AWS_ENDPOINT_URL_…`; signed_as: its name."""

    host: str
    variable: str
    signed_as: str


def call_once(service: AwsService, path: str, headers: Mapping[str, str], body: bytes) -> Reply:
    """Post a signed request to a service, once."""
    found = credentials()
    token = {"X-Amz-Security-Token": found.token} if found.token else {}

    def sign(handle: Handle) -> None:
        handle.setopt(pycurl.AWS_SIGV4, f"aws:amz:{region()}:{service.signed_as}")
        handle.setopt(pycurl.USERPWD, f"{found.key_id}:{found.secret}")

    return post_once(f"{endpoint_of(service.host, service.variable)}{path}", {**headers, **token}, body, prepare=sign)


def outcome_of_call(reply: Reply, *, provider_id: str = "") -> Outcome:
    """Return the outcome of a call of AWS; reasons are AWS's names of errors, without their words, which may quote.

    A refusal of the account is none of the recipient: the breaker counts it, and the next channel is tried.
    """
    outcome = outcome_of(reply, provider_id=provider_id)
    if isinstance(outcome, Sent) or not reply.has_status:
        return outcome
    code = _code_in(reply) or outcome.reason
    if isinstance(outcome, Unknown):
        return Unknown(code)
    is_of_account = reply.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN} or code in OF_THE_ACCOUNT
    not_taken = is_of_account or isinstance(outcome, NotTaken) or retries.is_throttled(code)
    return NotTaken(code) if not_taken else RefusedForGood(code)


def _code_in(reply: Reply) -> str:
    """Return the code of an error, as each of AWS's protocols has it; empty if there is none."""
    header = next((line for line in reply.headers if line[: len(_CODE_HEADER)].lower() == _CODE_HEADER), b"")
    in_xml = _ERROR_IN_XML.search(reply.body)
    written = header[len(_CODE_HEADER) :] or (in_xml[1] if in_xml else _type_in(reply.body).encode())
    plain = written.decode("latin-1").strip().partition(":")[0].rpartition("#")[2]
    return plain if _CODE.fullmatch(plain) else ""


def _type_in(body: bytes) -> str:
    try:
        said = orjson.loads(body)
    except ValueError:
        return ""
    return str(said.get("__type", "")) if isinstance(said, dict) else ""
