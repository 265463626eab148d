"""Messages in Spanish, as a plant in Mexico speaks it."""

from typing import Final

from services.notify.words import Phrases, Text

WORDS: Final = Phrases(
    one="{name} necesita ayuda",
    many={"one": "{count} máquina necesita ayuda", "other": "{count} máquinas necesitan ayuda"},
    line="{name}: {what} desde las {since} UTC",
    others={"one": "y {count} más", "other": "y {count} más"},
    what={
        "SILENT": "SIN SEÑAL",
        "material": "material",
        "machine": "máquina",
        "quality": "calidad",
        "safety": "seguridad",
    },
    code=Text(
        "Su código es {code}",
        "Con él confirma que esta dirección es suya. Vale {minutes}. Si usted no lo pidió, no tiene que hacer nada.",
    ),
    minutes={"one": "{count} minuto", "other": "{count} minutos"},
    test=Text("Esto es una prueba", "Usted la pidió. En esta dirección se le avisa de fallas."),
)
