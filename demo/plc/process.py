"""The press by node-opcua, which npm brings; by asyncua it is the gateway's own."""

from pathlib import Path
from typing import Final

from andon_gateway.testing.opcua_press import Plc
from demo import npm

HERE: Final = Path(__file__).parent


def by_node_opcua(port: int, folder: Path, *files: Path) -> Plc:
    """Return a running server; what it makes up is written into a folder. files: its certificate and key.

    Raises:
        NotInstalled: there is no npm, or no way to its registry.

    """
    modules = npm.folder_of(npm.OPCUA) / "node_modules"
    command = ["node", str(HERE / "server.cjs"), str(port), str(folder / "pki"), *map(str, files)]
    return Plc(command, log=folder / "plc.log", environment={"NODE_PATH": str(modules)})
