"""Chains of people whom the demo factory asks for help; categories and causes of its calls."""

from typing import Any, Final

from andon.tools.stack.api import path_of
from andon.tools.stack.stack import Stack
from contract import groups
from demo.factory import FACTORY, SUPERVISOR
from demo.writing import KEPT, put

CHAINS: Final[list[dict[str, Any]]] = [
    {
        "id": "trouble",
        "on": ["ERROR", "SILENT"],
        "steps": [
            {"after": 0, "tell": "assigned", "urgency": "high"},
            {"after": 5, "tell": "duty:supervisor", "urgency": "high"},
        ],
    },
    {
        "id": "calls",
        "on": ["call:material", "call:quality", "call:safety"],
        "steps": [
            {"after": 0, "tell": "duty:operator", "urgency": "high"},
            {"after": 2, "tell": "duty:supervisor", "urgency": "high"},
        ],
    },
]
CATALOG: Final[dict[str, Any]] = {
    "categories": [
        {"id": "safety", "name": "Safety", "icon": "shield", "priority": 1, "needsCause": False},
        {"id": "material", "name": "Material", "icon": "box", "priority": 2, "needsCause": True},
        {"id": "quality", "name": "Odd part", "icon": "eye", "priority": 3, "needsCause": False},
    ],
    "causes": [
        {"id": "forgotten", "name": "Nobody ordered it", "categories": ["material"]},
        {"id": "late-truck", "name": "The truck is late", "categories": ["material"]},
    ],
}
CAUSES: Final = {"material": "late-truck"}
"""Category -> the cause by which a call of it is closed."""


def set_up(stack: Stack) -> None:
    """Write down whom to ask, and what to call for; what was written down before stays.

    Raises:
        Failed: something was refused.
    """
    api = stack.api(groups.SUPERVISOR, SUPERVISOR)
    put(api, path_of("factories", FACTORY, "chains"), {"chains": CHAINS}, well=KEPT)
    put(api, path_of("factories", FACTORY, "catalog"), CATALOG, well=KEPT)
