"""Base64 for addresses, without the characters at its end that fill it up. Pure."""

from base64 import urlsafe_b64decode, urlsafe_b64encode


def encoded(content: bytes) -> str:
    """Return the text of some bytes."""
    return urlsafe_b64encode(content).decode().rstrip("=")


def decoded(text: str) -> bytes:
    """Return the bytes of a text in its one form.

    Raises:
        ValueError: it is none. Python passes over foreign characters, and over bits at the end that nothing is made of.

    """
    content = urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if encoded(content) != text:
        raise ValueError("must be base64url without padding")
    return content
