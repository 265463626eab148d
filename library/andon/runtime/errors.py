"""The errors that are expected; any other one is a bug or an outage: a 500, a retry, a dead letter.

Rejected                  a request that is refused, with a status
├── Invalid               400
├── Forbidden             403
├── NotFound              404
├── Conflict              409
├── Gone                  410
├── Stale                 412
├── PreconditionRequired  428
├── TooManyRequests       429
└── Unavailable           503
Poison                    a message that can never succeed: it becomes a `fault`
CallFailed                AWS refused a call or did not respond: the caller retries
"""

from typing import ClassVar, NamedTuple

from andon.runtime.json_types import JsonMapping


class FieldError(NamedTuple):
    """One offending field of a request: its place (`body.state`, `query.limit`) and its mistake."""

    field: str
    detail: str


class Rejected(Exception):
    """A request that is refused, with the status and the words that the client sees.

    members: what else the problem says, as the thing that stands in the way.
    """

    status: ClassVar[int]

    def __init__(
        self,
        detail: str,
        *,
        fields: tuple[FieldError, ...] = (),
        retry_after_seconds: int | None = None,
        members: JsonMapping | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.fields = fields
        self.members: JsonMapping = members or {}
        self.retry_after_seconds = retry_after_seconds


class Invalid(Rejected):
    """The request itself is wrong, regardless of the stored state."""

    status = 400

    @classmethod
    def field(cls, field: str, detail: str) -> "Invalid":
        """Return the error of a request in which one field is wrong."""
        return cls("The request is invalid.", fields=(FieldError(field, detail),))


class Forbidden(Rejected):
    """The caller is known but may not do this."""

    status = 403


class NotFound(Rejected):
    """There is no such thing, or not any more."""

    status = 404


class Conflict(Rejected):
    """The request contradicts the record."""

    status = 409


class Gone(Rejected):
    """It existed once, or its existence is a secret."""

    status = 410


class Stale(Rejected):
    """The version in If-Match is not the current one; the client must read again.

    version: the current one, if something stands there.
    """

    status = 412

    def __init__(self, detail: str, *, version: int | None = None) -> None:
        super().__init__(detail)
        self.version = version


class PreconditionRequired(Rejected):
    """To change an existing thing, a request needs If-Match."""

    status = 428


class TooManyRequests(Rejected):
    """The caller has used up its share; the same request may be sent again later."""

    status = 429

    def __init__(self, *, retry_after_seconds: int) -> None:
        detail = "You send too many requests to this route; send this one again later."
        super().__init__(detail, retry_after_seconds=retry_after_seconds)


class Unavailable(Rejected):
    """The request is right but could not be done now; the client may retry."""

    status = 503


class Poison(Exception):
    """A message that can never succeed, however often it is tried."""


class CallFailed(Exception):
    """AWS refused a call, or did not respond.

    code: AWS's name of the error, or the type of the vendor's exception. response: what came with it.
    """

    def __init__(self, code: str, response: JsonMapping | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.response: JsonMapping = response or {}
