"""Parameters of the routes of the store of drift."""

from typing import Annotated

from pydantic import StringConstraints

from andon.http.parameters import Path
from andon.project import project

ViewName = Annotated[
    str,
    StringConstraints(pattern="^[a-z][a-z0-9_]{0,63}$"),
    Path(alias="view", description=f"The name of a view, such as `{project().example_view}`."),
]
