"""Messages in English."""

from typing import Final

from services.notify.words import Phrases, Text

WORDS: Final = Phrases(
    one="{name} needs help",
    many={"one": "{count} machine needs help", "other": "{count} machines need help"},
    line="{name}: {what} since {since} UTC",
    others={"one": "and {count} more", "other": "and {count} more"},
    what={
        "SILENT": "SILENT",
        "material": "material",
        "machine": "machine",
        "quality": "quality",
        "safety": "safety",
    },
    code=Text(
        "Your code is {code}",
        "With it you say that this address is yours. It counts for {minutes}. If you did not ask for it, you need do"
        " nothing.",
    ),
    minutes={"one": "{count} minute", "other": "{count} minutes"},
    test=Text("This is a test", "You asked for it. You are told of trouble at this address."),
)
