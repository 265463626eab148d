"""Parameters of the routes of replays."""

from typing import Annotated, Final

from pydantic import StringConstraints

from andon.http.parameters import Path
from andon.stores.replays.replay import ID_DIGITS

ID_PATTERN: Final = f"^[0-9a-f]{{{ID_DIGITS}}}$"

ReplayId = Annotated[
    str, StringConstraints(pattern=ID_PATTERN), Path(alias="id", description="The `id` of the replay.")
]
