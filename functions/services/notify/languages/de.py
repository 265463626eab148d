"""Messages in German."""

from typing import Final

from services.notify.words import Phrases, Text

WORDS: Final = Phrases(
    one="{name} braucht Hilfe",
    many={"one": "{count} Maschine braucht Hilfe", "other": "{count} Maschinen brauchen Hilfe"},
    line="{name}: {what} seit {since} UTC",
    others={"one": "und {count} weitere", "other": "und {count} weitere"},
    what={
        "SILENT": "STUMM",
        "material": "Material",
        "machine": "Maschine",
        "quality": "Qualität",
        "safety": "Sicherheit",
    },
    code=Text(
        "Ihr Code ist {code}",
        "Mit ihm sagen Sie, dass diese Adresse Ihre ist. Er gilt {minutes}. Wenn Sie ihn nicht angefordert haben,"
        " müssen Sie nichts tun.",
    ),
    minutes={"one": "{count} Minute", "other": "{count} Minuten"},
    test=Text("Das ist ein Test", "Sie haben ihn angefordert. An dieser Adresse erfahren Sie von Störungen."),
)
