"""The kinds of things that report over MQTT."""

from typing import Final

from andon.ingress.names import Kind

MACHINE: Final = Kind("equipment", "state")
GATEWAY: Final = Kind("factory", "states")
