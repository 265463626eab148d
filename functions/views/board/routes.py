"""The routes of board and who may call each."""

from contract.groups import READERS

ROUTES = {
    "GET /board/{company}": READERS,
    "GET /board/{company}/changes": READERS,
    "GET /equipment/{id}/board": READERS,
}
