"""MiniStack, an emulator of AWS, as a process of ours, behind a front on a public port (see `front.py`).

A *home* is the folder where one emulator, and the stack on it, keeps everything. The process says on its command
line whose it is (`-X andon=<home>`), so that a process id which was given to somebody else is never mistaken for it.
"""

import http.client
import json
import shutil
import socket
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from andon.project import library_folder, project
from andon.tools.called import as_called, install
from andon.tools.stack import private_file, processes
from andon.tools.stack.errors import PortBusy, ToolFailed
from andon.tools.stack.front import Routes

HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 4566
BOOT_S: Final = 60
_STOP_S: Final = 5
ANSWER_S = 10
_WARM_S: Final = 15 * 60  # so long a Lambda worker that a burst needed stays
PYTHON: Final = project().local / "emulator-venv" / "bin" / "python"
_ENTRY: Final = "andon.tools.stack.emulator_process"


@dataclass(frozen=True, slots=True)
class Emulator:
    """A running emulator; `process` only where it was started.

    port: the front's, which everybody may know; endpoint_port: where it answers as AWS, unsigned requests, too.
    """

    pid: int
    port: int
    endpoint_port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The origin at which the front passes requests to the deployed HTTP API."""
        return f"http://{HOST}:{self.port}"

    @property
    def endpoint(self) -> str:
        """The endpoint of all AWS services."""
        return f"http://{HOST}:{self.endpoint_port}"


def running(home: Path) -> Emulator | None:
    """Find the emulator of `home`, if it runs."""
    try:
        noted = json.loads(_note(home).read_text())
        found = Emulator(noted["pid"], noted["port"], noted["endpointPort"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if f"{_mark(home)} " in processes.command_line(found.pid) else None


def start(home: Path, port: int, *, lifeline: bool = False) -> Emulator:
    """Start an empty emulator and wait until it answers; with a `lifeline` it never outlives this process.

    Raises:
        PortBusy: something else listens on `port`.
        Failed: it does not come up.
    """
    if _answers(port):
        raise PortBusy(f"port {port} is in use by something else; try another: {as_called('up', PORT=port + 1)}")
    if not PYTHON.exists():
        raise ToolFailed(f"the emulator is not installed, as ministack in {PYTHON.parent.parent}; {install()}")
    clear(home)
    scratch(home).mkdir(parents=True)
    home.chmod(0o700)  # logs name the emulator's port
    emulator = _begin(home, port, lifeline=lifeline)
    private_file.write(
        _note(home), json.dumps({"pid": emulator.pid, "port": port, "endpointPort": emulator.endpoint_port})
    )
    try:
        _wait_until_ready(emulator, home)
    except BaseException:
        stop(home, emulator)
        raise
    return emulator


def _begin(home: Path, port: int, *, lifeline: bool) -> Emulator:
    """Begin the process, which does not answer yet."""
    endpoint_port = free_port()
    entry = ["-m", _ENTRY, str(port), str(_routes(home)), *(["--lifeline"] if lifeline else [])]
    with _log(home).open("wb") as log:
        process = subprocess.Popen(
            [str(PYTHON), *_mark(home).split(" ", 1), *entry],
            cwd=home,
            env=_environment(endpoint_port, scratch(home)),
            stdin=subprocess.PIPE if lifeline else subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # it and its Lambda workers are one group, and Ctrl-C at `make up` is not for them
        )
    return Emulator(process.pid, port, endpoint_port, process)


def answers(emulator: Emulator) -> bool:
    """Return True if a running emulator answers in time: its process may be stopped, or hang."""
    return processes.eventually(lambda: _ready(emulator), within_s=ANSWER_S)


def stop(home: Path, emulator: Emulator) -> None:
    """End the emulator and its Lambda workers, and remove what they left."""
    process = emulator.process
    processes.end_group(emulator.pid, process, grace_s=_STOP_S)
    if process and process.stdin:
        process.stdin.close()
    clear(home)


def clear(home: Path) -> None:
    """Remove what an emulator left that has ended."""
    _note(home).unlink(missing_ok=True)
    shutil.rmtree(scratch(home), ignore_errors=True)


def scratch(home: Path) -> Path:
    """Return the folder of `home` whose content lives as long as its emulator."""
    return home / "tmp"


def let_through(home: Path, routes: Routes) -> None:
    """Let the front of `home` through to these paths and to nothing else, from now on."""
    private_file.write(_routes(home), json.dumps(routes))


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _wait_until_ready(emulator: Emulator, home: Path) -> None:
    def ended() -> bool:
        return emulator.process is not None and emulator.process.poll() is not None

    if not processes.eventually(lambda: ended() or _ready(emulator), within_s=BOOT_S):
        raise ToolFailed(f"the emulator did not answer within {BOOT_S} s; see {_log(home)}")
    if ended():
        raise ToolFailed(f"the emulator ended at once; the end of {_log(home)}:\n{processes.tail(_log(home))}")


def _environment(port: int, temporary: Path) -> dict[str, str]:
    # All of it, and nothing of the caller's: the emulator hands its whole environment to the Lambdas.
    return {
        "PYTHONPATH": str(library_folder().parent),  # which the process takes out again
        "PATH": f"{PYTHON.parent}:/usr/bin:/bin",
        "HOME": str(temporary),
        "TMPDIR": str(temporary),  # its pid file and the unpacked Lambdas
        "LANG": "C.UTF-8",
        "BIND_HOST": HOST,
        "GATEWAY_PORT": str(port),
        "LAMBDA_WARM_TTL_SECONDS": str(_WARM_S),
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
    }


def _ready(emulator: Emulator) -> bool:
    return _healthy(emulator.endpoint_port) and _answers(emulator.port)


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) == 0


def _healthy(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=1)
    try:
        connection.request("GET", "/_ministack/ready")
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _mark(home: Path) -> str:
    return f"-X andon={home.resolve()}"


def _note(home: Path) -> Path:
    return home / "emulator.json"


def _routes(home: Path) -> Path:
    return scratch(home).resolve() / "front.json"


def _log(home: Path) -> Path:
    return home / "emulator.log"
