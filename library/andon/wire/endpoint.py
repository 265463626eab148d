"""The URL of an AWS service, for requests and for addresses that others use."""

import os

from andon.wire.credentials import region


def endpoint_of(host: str, variable: str) -> str:
    """Return the URL of a service by the first part of its name, and the end of its `AWS_ENDPOINT_URL_…`."""
    configured = os.environ.get(f"AWS_ENDPOINT_URL_{variable}") or os.environ.get("AWS_ENDPOINT_URL")
    if configured and os.environ.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "").lower() != "true":
        return configured
    suffix = "amazonaws.com.cn" if region().startswith("cn-") else "amazonaws.com"
    return f"https://{host}.{region()}.{suffix}"
