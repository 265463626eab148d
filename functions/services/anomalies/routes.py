"""The routes of anomalies: none. What it finds is published, and the board shows it."""

ROUTES: dict[str, frozenset[str]] = {}
