"""Names of OPC UA nodes as a configuration writes them, such as `nsu=urn:plc;s=Press1.Mode`. Pure.

https://reference.opcfoundation.org/Core/Part6/v105/docs/5.3.1.11
"""

import base64
import binascii
import re
from typing import Final, NamedTuple
from uuid import UUID

from andon_gateway.conditions import Malformed

NAME: Final = re.compile(r"(?:nsu=(?P<namespace>[^;]+);)?(?P<kind>[sigb])=(?P<identifier>.+)", re.DOTALL)
EXPECTED: Final = "should be the name of a node, such as nsu=urn:plc;s=Press1.Mode"

OWN: Final = "http://opcfoundation.org/UA/"
"""OPC UA's own namespace, which needs no name."""


class NodeName(NamedTuple):
    """A node by the URI of its namespace: a server may number its namespaces anew at each start."""

    namespace: str
    identifier: int | str | bytes | UUID

    @classmethod
    def parse(cls, text: str) -> "NodeName":
        """Return the name of a node.

        Raises:
            Malformed: it is none, or has the number of a namespace.

        """
        if text.startswith("ns="):
            raise Malformed(f"{text}: a server may number its namespaces anew: write nsu= and the URI for ns=")
        parts = NAME.fullmatch(text)
        if not parts:
            raise Malformed(f"{text}: {EXPECTED}")
        namespace = (parts["namespace"] or OWN).replace("%3B", ";").replace("%25", "%")
        try:
            return cls(namespace, _identifier(parts["kind"], parts["identifier"]))
        except (ValueError, binascii.Error) as error:
            raise Malformed(f"{text}: {EXPECTED}") from error


def _identifier(kind: str, text: str) -> int | str | bytes | UUID:
    match kind:
        case "i":
            return int(text)
        case "g":
            return UUID(text)
        case "b":
            return base64.b64decode(text, validate=True)
        case _:
            return text
