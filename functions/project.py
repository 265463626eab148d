"""What this project says of itself."""

from pathlib import Path
from typing import Final

from andon.project import Groups, Project
from contract import groups

PROJECT: Final = Project(
    name="Andon",
    root=Path(__file__).parent.parent,
    groups=Groups(
        all=groups.ALL,
        admin=groups.ADMIN,
        auditors=groups.AUDITORS,
        devices=frozenset({groups.DEVICE}),
    ),
    demo="demo.demo",
)
