"""`make redeploy`: brings changed code to the running stack.

Where only code changed, the functions of the changed packages get it, past CloudFormation. Where the infrastructure
changed, too, that is said, and all of it is deployed. Views that are new are filled from the lake.
"""

import fcntl
import os
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from andon.packages.discovery import packages, source
from andon.packages.package import Package
from andon.tools.called import as_called
from andon.tools.stack import aws, emulator, outputs, stack
from andon.tools.stack.assets import packed
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.made_of import MadeOf
from andon.tools.stack.outputs import HOME
from andon.tools.stack.progress import step
from andon.tools.stack.stack import Stack
from andon.tools.views.deployed import here
from andon.tools.views.fill import fill_new

# One deployment at a time in a folder: a second one would write the files of the first, and deploy half of each.


@contextmanager
def alone(home: Path) -> Iterator[None]:
    """Keep others out of `home` until this is left, however this process ends.

    Raises:
        ToolFailed: another process is in it.
    """
    home.mkdir(parents=True, exist_ok=True)
    with (home / "up.lock").open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise ToolFailed(
                f"it is on its way already, as process {file.read()}; wait for that one, or end it"
            ) from None
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


NAMED: Final = 5
AT_ONCE: Final = 8


def redeploy(home: Path) -> str:
    """Bring what changed to the stack of `home`; return what was done, in a sentence.

    Raises:
        ToolFailed: nothing is running, or a deployment failed.

    """
    deployed, before, now = outputs.of_running_stack(home), MadeOf.read(home), MadeOf.now()
    reshaped = ["nobody knows what runs"] if before is None else now.reshaped(before)
    if before is None or reshaped:
        named = "; ".join(reshaped[:NAMED]) + (f"; and {len(reshaped) - NAMED} more" if reshaped[NAMED:] else "")
        print(f"The infrastructure changed ({named}): all of it is deployed.", flush=True)
        deploy_all(home)
        return "Deployed all of it"
    changed = now.changed(before)
    if not changed:
        return "Nothing has changed"
    with step(f"bringing {', '.join(one.folder for one in changed[:NAMED])} to the running stack"):
        functions = swap(deployed, changed)
    swapped = {*before.swapped, *(one.folder for one in changed)}
    now._replace(swapped=tuple(sorted(swapped))).write(home)
    return f"{functions} functions of {len(changed)} packages have the code of now"


def deploy_all(home: Path) -> Stack:
    """Deploy all of it to the emulator that runs, and bring what is new in it up to date.

    Raises:
        ToolFailed: none runs, or a deployment failed.

    """
    found = emulator.running(home)
    if found is None:
        raise ToolFailed(f"nothing is running here; start it with: {as_called('up')}")
    before, now = MadeOf.read(home), MadeOf.now()
    deployed = stack.bring_up(home, found)
    if before:
        # CloudFormation does not know of them: to it, code that is again as it was deployed is no change.
        swap(deployed.outputs, [one for one in packages() if one.folder in before.swapped])
    now.write(home)
    if before:
        for line in fill_new(here(deployed.outputs), [name for name in now.views if name not in before.views]):
            print(line)
    return deployed


def swap(deployed: dict[str, str], changed: Iterable[Package]) -> int:
    """Update the code of some packages' functions; return the number of functions."""
    client = aws.client("lambda", deployed["Endpoint"])
    names = {made["Description"]: made["FunctionName"] for made in _functions(client)}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        done = [
            pool.submit(client.update_function_code, FunctionName=names[package.path(role)], ZipFile=packed)
            for package in changed
            for packed in [pack(package)]
            for role in package.roles
            if package.path(role) in names  # the stack need not declare every package
        ]
    for one in done:
        one.result()
    return len(done)


def pack(package: Package) -> bytes:
    """Return the zip file of a package's functions."""
    return packed({place.as_posix(): path.read_bytes() for path, place in source().files_of(package)})


def _functions(client: Any) -> Iterable[dict[str, str]]:  # noqa: ANN401  boto3's
    for page in client.get_paginator("list_functions").paginate():
        yield from page["Functions"]


def main() -> None:
    """Bring what changed to the running stack."""
    started_s = time.monotonic()
    with alone(HOME):
        done = redeploy(HOME)
    print(f"{done}, after {time.monotonic() - started_s:.1f} s.")


if __name__ == "__main__":
    main()
