import subprocess
import sys
import threading
from collections.abc import Iterator
from queue import Empty, Queue

import pytest

from andon.tools.stack.workers import drained, follow

# Logs as many lines as it is told to, more than a pipe holds, and then answers.
WORKER = """
import sys
for line in sys.stdin:
    for number in range(int(line)):
        print(f"{number} é", "x" * 100, file=sys.stderr)
    print("done", flush=True)
print("last words", end="", file=sys.stderr)
"""


class Worker:
    """The members of the emulator's `Worker` that `follow` and `drained` use."""

    def __init__(self) -> None:
        pipe = subprocess.PIPE
        self._proc: subprocess.Popen[str] | None = subprocess.Popen(  # noqa: S603  its own text
            [sys.executable, "-X", "utf8", "-c", WORKER], stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )
        self.process = self._proc
        self._stderr_queue: Queue[str] = Queue()
        self._stderr_thread = threading.Thread(target=follow, args=[self], daemon=True)
        self._stderr_thread.start()

    def _drain_stderr(self) -> str:
        lines = []
        try:
            while True:
                lines.append(self._stderr_queue.get_nowait())
        except Empty:
            return "\n".join(lines)

    def logs(self, count: int) -> list[str]:
        """Let it log, wait for its answer, and return what is known of its log by then."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(f"{count}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"
        return drained(self).splitlines()

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()
        self._proc = None

    def close(self) -> None:
        self.end()
        self._stderr_thread.join()
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe
            pipe.close()


@pytest.fixture
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    worker.close()


@pytest.mark.parametrize("count", [0, 1, 5_000])
def test_all_that_was_logged_before_the_answer_is_known_with_it(worker: Worker, count: int) -> None:
    for _ in range(3):
        lines = worker.logs(count)

        assert [line.split()[:2] for line in lines] == [[str(number), "é"] for number in range(count)]


@pytest.mark.usefixtures("many_open_files")
def test_the_log_of_a_worker_is_known_however_many_workers_there_are() -> None:
    worker = Worker()

    assert len(worker.logs(1)) == 1
    assert worker._stderr_thread.is_alive()  # noqa: SLF001  or a log that fills the pipe is waited for by nobody
    worker.close()


def test_what_a_worker_logged_until_it_ended_is_known(worker: Worker) -> None:
    worker.logs(1)
    worker.end()

    assert drained(worker) == "last words"


class Late(threading.Thread):
    """Gets its turn only when somebody has ten seconds for it, as on a machine that is busy."""

    def __init__(self, worker: Worker) -> None:
        super().__init__(daemon=True)
        self._queue, self._turn = worker._stderr_queue, threading.Event()  # noqa: SLF001

    def run(self) -> None:
        self._turn.wait()
        self._queue.put("late words")

    def join(self, timeout: float | None = None) -> None:
        if timeout is None or timeout >= 10:
            self._turn.set()
        super().join(timeout)


def test_what_an_ended_worker_logged_is_known_on_a_machine_that_is_busy(worker: Worker) -> None:
    worker.end()
    worker._stderr_thread.join()  # noqa: SLF001
    worker._stderr_thread = Late(worker)  # noqa: SLF001
    worker._stderr_thread.start()  # noqa: SLF001

    assert drained(worker) == "last words\nlate words"
