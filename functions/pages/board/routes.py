"""The routes of the page. They ask for no token, and who has none is in no group."""

from typing import Final

NOBODY: Final = frozenset[str]()

ROUTES = {
    "GET /": NOBODY,
    "GET /page/{file}": NOBODY,
}
