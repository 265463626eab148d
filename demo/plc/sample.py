"""`make gateway` without a configuration: a press that speaks OPC UA, the gateway, and the running stack.

`make gateway-check` without one needs no stack.
"""

import argparse
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from string import Template
from typing import Final

from andon.tools.called import as_called
from andon.tools.stack import emulator, outputs
from andon.tools.stack.api import ApiClient, path_of
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.processes import eventually
from andon.tools.stack.stack import Stack
from andon_gateway import cli
from andon_gateway.config import read
from andon_gateway.gateway import Gateway
from andon_gateway.health import server
from andon_gateway.testing.opcua_press import DONE, Ended, Plc, by_asyncua
from contract import groups
from demo.factory import FACTORY, MACHINES
from demo.npm import NotInstalled
from demo.plc.process import by_node_opcua

MACHINE: Final = MACHINES[0].id
TEMPLATE: Final = Path(__file__).with_name("gateway.toml")
EXAMPLES: Final = "oil 81, oil 60, estop 1, estop 0, mode 8, oil bad"
NOTICED_S: Final = 3.0
SHOWN_S: Final = 30.0
NO_API: Final = "https://api.example"


def run() -> None:
    """Turn values of the press by lines of standard input, until they end."""
    stack = Stack(outputs.of_running_stack())
    board = stack.api(groups.OPERATOR)
    if shown(board) is None:
        raise ToolFailed(f"{MACHINE} is not on the board; {as_called('up')} registers it")
    with sample(stack.outputs["ApiUrl"]) as (plc, file), running(file) as gateway:
        if not eventually(lambda: gateway.look().is_well, within_s=SHOWN_S):
            raise ToolFailed(f"the gateway is not well: {gateway.look()}")
        print(
            f"the board: {stack.outputs.get('BoardUrl', '')}; the gateway: http://127.0.0.1:{read(file).health_port}/"
        )
        print(f"turn a value of {MACHINE} by a line, such as: {EXAMPLES}. Ctrl-D ends it.")
        for line in lines():
            print(turned(plc, gateway, board, line), flush=True)


def check() -> int:
    """Read each value of the press once."""
    with sample(NO_API) as (_, file):
        return cli.main(["check", str(file)])


@contextmanager
def sample(url: str) -> Iterator[tuple[Plc, Path]]:
    """Run a press; yield it, and the configuration of a gateway for it and the API at a URL."""
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), emulator.free_port()
        plc = press(port, folder)
        try:
            yield plc, configured(folder, url, port)
        finally:
            plc.kill()


def press(port: int, folder: Path) -> Plc:
    """Run node-opcua's server; where npm cannot bring it, asyncua's."""
    try:
        print("starting node-opcua's server, which npm brings at the first time (74 MB)", flush=True)
        return by_node_opcua(port, folder)
    except NotInstalled as reason:
        print(f"{reason}; so it is asyncua's")
        return by_asyncua(port, folder)


def configured(folder: Path, url: str, port: int) -> Path:
    """Write the configuration of the gateway, and return its file."""
    file = folder / TEMPLATE.name
    names = {"url": url, "python": sys.executable, "factory": FACTORY, "machine": MACHINE, "port": port}
    file.write_text(Template(TEMPLATE.read_text()).substitute(names, health_port=emulator.free_port()))
    return file


@contextmanager
def running(file: Path) -> Iterator[Gateway]:
    """Run a gateway, and its page."""
    configuration = read(file)
    gateway = Gateway(configuration)
    page = server(gateway.look, configuration.health_port)
    threading.Thread(target=page.serve_forever, daemon=True).start()
    gateway.start()
    try:
        yield gateway
    finally:
        page.shutdown()
        page.server_close()
        gateway.stop()


def lines() -> Iterator[str]:
    """Yield lines of standard input that say something."""
    while True:
        if sys.stdin.isatty():
            print("> ", end="", flush=True)
        if not (line := sys.stdin.readline()):
            return
        if line.strip():
            yield line.strip()


def turned(plc: Plc, gateway: Gateway, board: ApiClient, line: str) -> str:
    """Turn a value; return what the board says then."""
    began_s, reported = time.monotonic(), gateway.look().counts.get("reported", 0)
    before = shown(board)
    if (said := plc.turn(line)) != DONE:
        return said
    if not eventually(lambda: gateway.look().counts.get("reported", 0) > reported, within_s=NOTICED_S):
        return f"{line}: nothing is reported; {MACHINE} stays {gateway.look().states[MACHINE]}"
    if not eventually(lambda: shown(board) != before, within_s=SHOWN_S):
        return f"{line}: reported, and not on the board after {SHOWN_S:g} s: {gateway.look().trouble}"
    return f"{line}: {shown(board)} on the board after {time.monotonic() - began_s:.1f} s"


def shown(board: ApiClient) -> str | None:
    """Return the state of the machine on the board, and since when; None: it is not there."""
    row = board.get(path_of("equipment", MACHINE, "board"))
    return f"{row.json['state']} ({row.json['stateTimestamp']})" if row.status == HTTPStatus.OK else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("verb", choices=("run", "check"))
    try:
        if parser.parse_args(arguments).verb == "check":
            return check()
        run()
    except (ToolFailed, Ended) as reason:
        print(reason, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
