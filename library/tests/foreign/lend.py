from andon.testing.environment import frozen_clock
from andon.testing.loop import Loop

with Loop() as loop, frozen_clock(1_770_000_000_000):
    put = loop.request("PUT /books/{id}/loan", path={"id": "emma"}, body={"holder": "Ada"}, groups=("reader",))
    [event] = loop.run()
    got = loop.request("GET /books/{id}/loan", path={"id": "emma"}, groups=("reader",))
    print(put.status, event["detail-type"], got.status, got.body)
