"""JSON of any content: requests to AWS and its responses, and the entities of others."""

from collections.abc import Mapping
from typing import Any

JsonObject = dict[str, Any]
JsonMapping = Mapping[str, Any]
