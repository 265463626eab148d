"""A message, to be changed by tests."""

from typing import Final

from andon.outbound.delivery import Message

MESSAGE: Final = Message(
    id="m-1",
    address="",
    subject="Press 7: ERROR",
    text="Prensa 7, línea 2\nDesde las 12:08",
    urgency="high",
    about="thing/7",
    link="https://page.example.com/link#a=token",
    language="es-MX",
)
