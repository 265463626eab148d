"""Posts of the webhook and push channels -> subject and text. Pure; formats: `outbound/webhook.py`."""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple


class MessageText(NamedTuple):
    """Subject and text of a message. text: with its link, if it has one, in a line of its own."""

    subject: str
    text: str


def said_in(body: bytes) -> MessageText:
    """Return subject and text of a body; of a format that no channel has, all of it is the text."""
    text = body.decode(errors="replace")
    try:
        return _said(json.loads(text)) or MessageText("", text)
    except ValueError:
        return MessageText("", text)


def _said(content: Any) -> MessageText | None:  # noqa: ANN401  JSON of any shape
    match content:
        case {"subject": str(subject), "text": str(text)}:
            return MessageText(subject, _with(text, [content.get("link")]))
        case {"payload": {"summary": str(subject), "custom_details": {"text": str(text)}}, "links": list(links)}:
            return MessageText(subject, _with(text, [link.get("href") for link in links]))
        case {"attachments": [{"content": {"body": [title, *lines]} as card}]}:
            urls = [action.get("url") for action in card.get("actions", ())]
            return MessageText(_line(title), _with("\n".join(map(_line, lines)), urls))
    return None


def _line(block: dict[str, Any]) -> str:
    """Return the text of a line of an Adaptive Card."""
    return "".join(run["text"] for run in block["inlines"])


def _with(text: str, links: Iterable[str | None]) -> str:
    return "\n".join([text, *filter(None, links)])
