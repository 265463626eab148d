"""The headers of every response of the page: a browser's permissions."""

from typing import Final
from urllib.parse import urlsplit

from pages.board.settings import Settings

WORKER_POLICY: Final = "worker"
"""The policy of `push.js`, by which nothing but the address of the page's service worker becomes code."""


def security_headers(settings: Settings) -> dict[str, str]:
    """Return the headers of a deployment."""
    return {
        "content-security-policy": _policy(settings),
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()",
        "referrer-policy": "no-referrer",  # the address of a redirect has a code in it
        "strict-transport-security": "max-age=31536000",  # ignored where there is no TLS, as on one machine
        "x-content-type-options": "nosniff",
    }


def _policy(settings: Settings) -> str:
    """Return a policy without inline code and without any text that becomes code, but for the worker's address.

    https://www.w3.org/TR/CSP3/ and https://www.w3.org/TR/trusted-types/
    """
    issuer = "{0.scheme}://{0.netloc}".format(urlsplit(settings.issuer))
    connect = " ".join(dict.fromkeys((issuer, settings.sign_in, settings.live)))
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "manifest-src 'self'",
            f"connect-src 'self' {connect}",
            "base-uri 'none'",
            f"form-action 'self' {settings.sign_in}",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            f"trusted-types {WORKER_POLICY}",
        )
    )
