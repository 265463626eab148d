"""The lake has no routes: it is asked with SQL, see `queries/`."""

from collections.abc import Mapping

ROUTES: Mapping[str, frozenset[str]] = {}
