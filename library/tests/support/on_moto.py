"""A world on moto, which is compared with the one in memory."""

from typing import Any, Self

import moto.core  # before any client: it patches botocore when it is imported

from andon.testing.emulated import EmulatedWorld
from andon.testing.environment import ACCOUNT, environment
from andon.wire import aws, in_threads
from toys.things import World


class OnMoto(EmulatedWorld, World):
    """The tables of things, behind all of botocore. One thread at a time: moto is not atomic under threads."""

    def __init__(self) -> None:
        super().__init__("")

    def __enter__(self) -> Self:
        self._stack.enter_context(environment(self.variables()))
        self._stack.enter_context(moto.mock_aws())
        parallel, in_threads.PARALLEL = in_threads.PARALLEL, 1
        self._stack.callback(setattr, in_threads, "PARALLEL", parallel)
        for do in (in_threads._pool.cache_clear, aws.forget):  # noqa: SLF001  nothing else gives the threads up
            do()
            self._stack.callback(do)
        self.set_up()
        return self

    def variables(self) -> dict[str, str]:
        """Return the environment of handlers."""
        found: dict[str, Any] = {**super().variables(), "MOTO_ACCOUNT_ID": ACCOUNT}
        del found["AWS_ENDPOINT_URL"]
        return found
