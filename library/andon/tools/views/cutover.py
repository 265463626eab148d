"""`make cutover`: lets a view's other version serve, if not one row differs; `BACK=1` goes back.

1. Prove. If a row differs: name it, change nothing, exit with 1.
2. Write infra/serving.json, and synthesise.
3. Make the listener of the version that serves stand still, until the other one has seen all that it has; then make
   that stand still, too.
4. Deploy once: the integration of the view's routes calls the other query, and the other push speaks.
5. Let both listeners go on. Their queues kept what came meanwhile.

So no answer after the switch is older than one before it, and no change goes by without a push.
"""

import argparse
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from andon.packages import serving
from andon.packages.package import Package
from andon.project import project
from andon.runtime.json_types import JsonObject
from andon.tools.called import as_called
from andon.tools.in_process import derived
from andon.tools.stack import deploy, emulator, outputs
from andon.tools.stack.deploy import CDK
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.outputs import HOME
from andon.tools.stack.processes import eventually
from andon.tools.stack.progress import step
from andon.tools.views.compare import Compared, DifferenceKind
from andon.tools.views.deployed import Deployed, deployed
from andon.tools.views.prove import Reading, prove, show
from andon.tools.views.versions import ViewVersions, versions

# Listeners that stand still for the moment of a switch: their queues keep what comes.

_STOPS_WITHIN_S: Final = 180  # on AWS a mapping takes up to a minute, and a batch that has begun is let end
_IN_FLIGHT: Final = "ApproximateNumberOfMessagesNotVisible"


@contextmanager
def _holding(stack: Deployed, *views: Package) -> Iterator[None]:
    """Let the listeners of these views go on at the end, whatever happens; `stop` makes them stand still."""
    try:
        yield
    finally:
        for view in views:
            go_on(stack, view)


def stop(stack: Deployed, view: Package) -> None:
    """Make a view's listener stand still; return once no batch is on its way.

    Raises:
        Failed: it does not stop.

    """
    _enable(stack, view, enabled=False)
    if not eventually(lambda: _stands_still(stack, view), within_s=_STOPS_WITHIN_S):
        raise ToolFailed(f"the listener of {view.name} does not stop")


def go_on(stack: Deployed, view: Package) -> None:
    """Let a view's listener work again; one that works goes on."""
    _enable(stack, view, enabled=True)


def _stands_still(stack: Deployed, view: Package) -> bool:
    if any(mapping["State"] != "Disabled" for mapping in _mappings(stack, view)):
        return False
    sqs, queue = stack.client("sqs"), stack.queue(view)
    counts = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=[_IN_FLIGHT])["Attributes"]
    return int(counts.get(_IN_FLIGHT, 0)) == 0


def _enable(stack: Deployed, view: Package, *, enabled: bool) -> None:
    for mapping in _mappings(stack, view):
        if (mapping["State"] in {"Enabled", "Enabling"}) != enabled:
            stack.client("lambda").update_event_source_mapping(UUID=mapping["UUID"], Enabled=enabled)


def _mappings(stack: Deployed, view: Package) -> list[JsonObject]:
    sqs, queue = stack.client("sqs"), stack.queue(view)
    arn = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    found: list[JsonObject] = stack.client("lambda").list_event_source_mappings(EventSourceArn=arn)[
        "EventSourceMappings"
    ]
    return found


_CATCHES_UP_WITHIN_S: Final = 120
_ASSEMBLY: Final = project().root / ".local" / "cutover.out"


class Deployment(NamedTuple):
    """A deployment in its two parts; only during the second one anything changes that callers see."""

    synthesise: Callable[[], None]
    deploy: Callable[[], None]


def _cut_over(stack: Deployed, both: ViewVersions, to: Package, deployment: Deployment) -> str:
    """Let `to` serve; return what was compared. If it already serves, what is deployed is brought up to date.

    Raises:
        Refused: a row differs.
        Failed: it could not be done; then the version that served goes on.

    """
    away = both.before if to == both.after else both.after
    with _holding(stack, both.before, both.after):
        for version in both:
            go_on(stack, version)  # one that broke off may have left them standing
        compared = _require_equal(stack, both)
        with _written(both, to):
            with step("synthesising the stack (cdk synth)"):
                deployment.synthesise()
            with step(f"waiting until {to.name} has seen all that {away.name} has"):
                stop(stack, away)
                _require_caught_up(
                    stack, both, behind=DifferenceKind.BEHIND if to == both.after else DifferenceKind.AHEAD
                )
                stop(stack, to)
            with step("deploying it (cdk deploy)"):
                deployment.deploy()
    return compared


class CutoverRefused(ToolFailed):
    """A row differs; the message shows it."""


def _require_equal(stack: Deployed, both: ViewVersions) -> str:
    proof = prove(stack, both)
    shown = show(stack, both, proof)
    if proof.differences:
        raise CutoverRefused(f"{shown}\n\nrefused: nothing was changed")
    return shown


def _require_caught_up(stack: Deployed, both: ViewVersions, *, behind: DifferenceKind) -> None:
    """Read until the next one to serve lacks nothing, while the other one stands still."""
    until, reading = time.monotonic() + _CATCHES_UP_WITHIN_S, Reading(stack, both)
    while late := _late(reading(), behind, both.before.name):
        if time.monotonic() > until:
            raise ToolFailed(f"{late} rows do not catch up; try again when less is on its way")
        time.sleep(0.5)


def _late(compared: Compared, behind: DifferenceKind, view: str) -> int:
    if any(one.kind is DifferenceKind.DIFFERENT for one in compared.differences):
        raise ToolFailed(f"a row that came meanwhile differs; show it: {as_called('prove', VIEW=view)}")
    return sum(one.kind is behind for one in compared.differences)


@contextmanager
def _written(both: ViewVersions, to: Package) -> Iterator[None]:
    """Write the switch; if it cannot be deployed, as it was."""
    was = serving.switches()
    both.let_serve(to)
    try:
        yield
    except BaseException:
        serving.write(was)
        raise


def _deployment_of(stack: Deployed, arguments: list[str]) -> Deployment:
    """Return the deployment of this clone to a stack; arguments: of the CDK's command line, for one on AWS.

    Raises:
        Failed: nothing is up.

    """
    if stack.name:
        folder = f"--output={_ASSEMBLY}"
        app = f"--app={_ASSEMBLY}"
        return Deployment(
            lambda: _cdk(["synth", "--quiet", folder, *arguments]),
            lambda: _cdk(["deploy", stack.name or "", app, "--require-approval=never"]),
        )
    running = emulator.running(HOME)
    if not running:
        raise ToolFailed(f"nothing is running here; start it with: {as_called('up')}")
    return Deployment(lambda: deploy.synthesise(HOME, running), lambda: _deploy_here(running))


def _deploy_here(running: emulator.Emulator) -> None:
    deployed_now = deploy.deploy(HOME, running)
    deploy.apply_what_was_dropped(running)
    outputs.write(HOME, deployed_now)


def _cdk(arguments: list[str]) -> None:
    if subprocess.run(
        [str(CDK), *arguments, "--no-notices"], cwd=project().root, env=os.environ, check=False
    ).returncode:
        raise ToolFailed(f"cdk {arguments[0]} failed")


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog=as_called("cutover"), description=__doc__)
    parser.add_argument("view")
    parser.add_argument("--back", action="store_true", help="let the version before serve again")
    parser.add_argument("--stack", help="the name of a stack on AWS (default: the one on this machine)")
    options, arguments = parser.parse_known_args()
    both, stack = versions(options.view), deployed(options.stack)
    to = both.before if options.back else both.after
    print(_cut_over(stack, both, to, _deployment_of(stack, arguments)))
    print(f"{to.name} serves now. Commit what changed here, so that every clone deploys the same.")
    derived.follow()


if __name__ == "__main__":
    main()
