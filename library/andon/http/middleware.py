"""Checks of every request before its route's function runs."""

from collections.abc import Callable
from typing import Any

from aws_lambda_powertools.event_handler import Response
from pydantic import BaseModel

from andon.runtime.errors import FieldError, Invalid

Next = Callable[[Any], Response[str]]


def refuse_unknown_query(app: Any, next_middleware: Next) -> Response[str]:  # noqa: ANN401  Powertools' resolver
    """Refuse query parameters that the route does not know: a mistyped `form=` must not list everything."""
    known = {parameter.alias for parameter in app.context["_route"].dependant.query_params}
    unknown = sorted((app.current_event.get("queryStringParameters") or {}).keys() - known)
    if unknown:
        fields = tuple(FieldError(f"query.{name}", "is not a parameter of this route") for name in unknown)
        raise Invalid("The request is invalid.", fields=fields)
    return next_middleware(app)


def refuse_array(app: Any, next_middleware: Next) -> Response[str]:  # noqa: ANN401  as above
    """Refuse an array where the body is an object: Powertools would read its first member and ignore the others."""
    kinds = [parameter.field_info.annotation for parameter in app.context["_route"].dependant.body_params]
    is_object = any(isinstance(kind, type) and issubclass(kind, BaseModel) for kind in kinds)
    if is_object and app.current_event.body.lstrip().startswith("["):
        raise Invalid.field("body", "must be an object")
    return next_middleware(app)
