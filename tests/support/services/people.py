"""Requests that tests make about people."""

from typing import Any, Final

from andon.testing.loop import Answer, Loop

PUT: Final = "PUT /people/{id}"
GET: Final = "GET /people/{id}"
FIND: Final = "GET /people"
OF_FACTORY: Final = "GET /factories/{factoryId}/people"
ERASE: Final = "DELETE /people/{id}"

NAME: Final = "Zsófia Quarterstaff-Ó'Neill"
"""A name that nothing else in a test is called."""


def put(loop: Loop, person_id: str, name: str = NAME, *, if_match: object = None, **parts: Any) -> Answer:  # noqa: ANN401
    """Write down a person."""
    headers = {} if if_match is None else {"if-match": f'"{if_match}"'}
    body = parts.pop("body", {"name": name, "factoryId": parts.pop("factory_id", "gdl-1")})
    return loop.request(PUT, path={"id": person_id}, body=body, headers=headers, **parts)


def get(loop: Loop, person_id: str, **parts: Any) -> Answer:  # noqa: ANN401
    """Read a person."""
    return loop.request(GET, path={"id": person_id}, **parts)


def find(loop: Loop, *ids: str) -> list[Any]:
    """Read several people."""
    answer = loop.request(FIND, query={"ids": ",".join(ids)})
    assert answer.status == 200, answer.body
    items: list[Any] = answer.body["items"]
    return items


def of_factory(loop: Loop, factory_id: str, *, limit: int = 100) -> list[str]:
    """List the ids of a factory's people, page by page."""
    found: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        answer = loop.request(OF_FACTORY, path={"factoryId": factory_id}, query={"limit": str(limit), **cursor})
        assert answer.status == 200, answer.body
        found += [one["id"] for one in answer.body["items"]]
        if "cursor" not in answer.body:
            return found
        cursor = {"cursor": answer.body["cursor"]}


def erase(loop: Loop, person_id: str, **parts: Any) -> Answer:  # noqa: ANN401
    """Erase a person."""
    return loop.request(ERASE, path={"id": person_id}, groups=["privacy"], **parts)


def erased_in(loop: Loop) -> list[str]:
    """Run the loop; return the ids of those whose erasure was published."""
    told = [envelope["detail"] for envelope in loop.run() if envelope["detail-type"] == "person-erased"]
    return [event["person"]["id"] for event in told]
