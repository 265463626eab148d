"""The command `andon`: a tool for the project whose folder, or one above it, has a `functions/project.py`."""

import os
import re
import runpy
import select
import sys
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from andon.tools.called import ANDON, BY, WITH_VARIABLES, as_called, is_by_make


class Verb(NamedTuple):
    """A verb: the module that does it, which `python -m` runs as well, and a line about it.

    alone: it takes nothing but variables.
    """

    module: str
    about: str
    alone: bool = False


VERBS: Final = {
    "new": Verb("new", "write something new that works and is tested: project DIR NAME; alone lists all kinds"),
    "upgrade": Verb("upgrade", "bring a project to this version of the library: [--check] reads, and says what for"),
    "docs": Verb("docs", "show the library's pages: PAGE, PAGE#SECTION, or words to find; alone lists them"),
    "up": Verb("stack.up", "run everything on this machine, with data in it"),
    "redeploy": Verb("stack.redeploy", "bring changed code to the running system, within seconds", alone=True),
    "call": Verb("stack.call", "send a signed request to the running system: METHOD PATH [JSON] [--as ROLE]"),
    "connect": Verb("thing", "let something connect by MQTT, by a certificate of its own: KIND NAME [--again]"),
    "claim": Verb("thing.claims", "make what many get a certificate of their own by: KIND; alone lists; --end ID"),
    "down": Verb("stack.down", "end what `up` started", alone=True),
    "token": Verb("stack.users", "print a token for the running system: ROLE [USER] [--at PLACE,…]"),
    "console": Verb(
        "console", "watch the flow through the running system, and its faults; one screen of it: ONCE=1", alone=True
    ),
    "inbox": Verb(
        "inbox", "read what the running system sends to people, as they would; what there is: ONCE=1 N=20", alone=True
    ),
    "archive": Verb("stack.archive", "bring the lake's days into the archive of the running system now", alone=True),
    "audit": Verb(
        "stack.audit", "compare all rows of the running system's views with their events, and repair", alone=True
    ),
    "query": Verb("lake.query", 'ask the lake: SQL="SELECT …" or NAME=… [--names]; alone lists the saved queries'),
    "trace": Verb(
        "trace", "one fact from its cause to all that followed: ID=… [OTLP=file] [LAKE=folder] [UNTIL=day]", alone=True
    ),
    "what-if": Verb(
        "what_if", "decide the lake anew with changed rules: RULE=… [SINCE=] [BASE=commit] [SET=…]", alone=True
    ),
    "replay": Verb("in_process.replay", "run one handler on a sample, in this process: FILE"),
    "samples": Verb("in_process.derived", "write events/ anew, of tests/*/*/samples.py; openapi.json, AGENTS.md, too"),
    "openapi": Verb("in_process.openapi", "write docs/openapi.json anew, from what the handlers say", alone=True),
    "figures": Verb("figures", "write the figures in docs/ anew, from the templates of all stages", alone=True),
    "contracts": Verb("contracts", "say who publishes what, who needs it, and who breaks; [--release]: as it is now"),
    "agents": Verb("in_process.agents", "write AGENTS.md and llms.txt anew, from packages, docs and verbs", alone=True),
    "new-view-version": Verb("views.new_version", "write the next version of a view beside it, a copy to edit: VIEW"),
    "fill": Verb("views.fill", "fill a view's next version from the lake, while events go on: VIEW"),
    "prove": Verb(
        "prove", "run a prover in lab/: NAME [--seeds N] [--deployed]; or compare a view's two versions: VIEW"
    ),
    "cutover": Verb("views.cutover", "prove, then let the next version serve, in one deployment: VIEW"),
    "retire": Verb("views.retire", "remove the version of a view that does not serve from this clone: VIEW"),
    "in-step": Verb("sync.in_step", "compare all rows of two versions of a service"),
    "kept": Verb("ops.kept", "hold what outlives its stack, by logical ids: [--check] [--gone NAME …]"),
    "deploy": Verb("ops.deploy", "deploy a stage to AWS: [--stage NAME] and arguments for `cdk deploy`"),
    "redrive": Verb("ops.redrive", "put dead letters back on their queue: QUEUE; alone lists them"),
    "catch-up": Verb("ops.catch_up", "bring a subscriber what it missed: SUBSCRIBER PUBLISHER SINCE [UNTIL]"),
    "replay-failures": Verb("ops.replay_failures", "bring what triggers gave up on through them again: [SERVICE]"),
    "erase": Verb("erase.erase", "erase a person's name and every mention of it, and prove it: ID [--also NAMES]"),
    "restore-region": Verb("region.restore", "write the rows of services again out of the lake: --stage STAGE"),
    "restore": Verb("restore", "bring back the rows that a table has lost, from a copy beside it: OUTPUT COPY"),
}
ANYWHERE: Final = {"docs", "new"}
"""Verbs that need no project: they find out themselves."""

_ANY_WORDS: Final = {"call", "docs"}
"""Verbs of whose arguments one may look like a variable."""

VARIABLE: Final = re.compile(r"([A-Z][A-Z_]*)=(.*)", re.DOTALL)
PROJECT: Final = Path("functions", "project.py")
_ASKS_FOR_HELP: Final = {"", "help", "-h", "--help"}
MISUSED: Final = 2
INTERRUPTED: Final = 130
UNREAD: Final = 141  # of the signal SIGPIPE


def usage() -> str:
    """Return the verbs, each with a line about it."""
    lines = (f"  andon {name:17} {verb.about}" for name, verb in VERBS.items())
    return "\n".join([*lines, "", "More about one: andon VERB --help"])


def _root_above(folder: Path) -> Path | None:
    """Return the project that a folder belongs to; None: it belongs to none."""
    return next((one for one in (folder, *folder.parents) if (one / PROJECT).is_file()), None)


def main() -> int:
    """Run a verb; 2 if there is none of that name, or no project; 141 if its reader has left, as for other programs."""
    try:
        try:
            return _run_asked()
        finally:
            sys.stdout.flush()  # or Python would, at the end, and tell of it
    except BrokenPipeError:
        if not _is_unread():
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left is for nobody
        return 0 if is_by_make() else UNREAD  # `make` would add an error of its own


def _is_unread() -> bool:
    """Return True if nobody reads any more what is printed, as behind `| head -1`."""
    asked = select.poll()
    asked.register(sys.stdout, select.POLLERR)
    return bool(asked.poll(0))


def _run_asked() -> int:
    os.environ.setdefault(BY, ANDON)
    verb, *arguments = sys.argv[1:] or [""]
    if verb in _ASKS_FOR_HELP:
        print(usage())
        return 0
    root = _root_above(Path.cwd())
    if verb not in VERBS or (root is None and verb not in ANYWHERE):
        why = (
            f"there is no {PROJECT} here or above" if verb in VERBS else f"there is no {verb}; `andon` lists all verbs"
        )
        print(f"andon: {why}", file=sys.stderr)
        return MISUSED
    if more := [one for before, one in pairwise(["", *arguments]) if not _is_taken(verb, before, one)]:
        return _refused(verb, more)
    if root is not None:
        sys.path[:0] = [str(root / PROJECT.parent), str(root)]
    return _exit_code_of(verb, arguments)


def _is_taken(verb: str, before: str, argument: str) -> bool:
    variable = VARIABLE.fullmatch(argument)
    if variable is None:
        return not VERBS[verb].alone
    return verb in WITH_VARIABLES or verb in _ANY_WORDS or before.startswith("-")


def _refused(verb: str, arguments: list[str]) -> int:
    if not _ASKS_FOR_HELP.isdisjoint(arguments):
        print(VERBS[verb].about)
        return 0
    options = [f"--{found[1].lower()}" for found in map(VARIABLE.fullmatch, arguments) if found]
    perhaps = f"; perhaps {' '.join(options)}, see --help" if options else ""
    print(f"andon: {verb} takes no {' '.join(arguments)}{perhaps}; it did nothing", file=sys.stderr)
    return MISUSED


def is_on_aws(verb: str, arguments: list[str]) -> bool:
    """Return True if a verb is about a stack on AWS, not about the one on this machine."""
    return verb == "deploy" or any(one.split("=")[0] in {"--stack", "--stage"} for one in arguments)


def _exit_code_of(verb: str, arguments: list[str]) -> int:
    try:
        run(verb, arguments)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if isinstance(error, BrokenPipeError) and _is_unread():
            raise
        from andon.tools.mishaps import words_of  # noqa: PLC0415  a list of the verbs needs no botocore

        words = words_of(error, on_aws=is_on_aws(verb, arguments))
        if words is None:
            raise
        print(f"{as_called(verb)}: {words}", file=sys.stderr)
        return 1
    return 0


def run(verb: str, arguments: list[str]) -> None:
    """Run the module of a verb, as `python -m` does; it ends the process where it ends with a status."""
    if verb in WITH_VARIABLES:
        found = [match.groups() for match in map(VARIABLE.fullmatch, arguments) if match]
        os.environ.update({name: value for name, value in found if isinstance(value, str)})
        arguments = [argument for argument in arguments if not VARIABLE.fullmatch(argument)]
    sys.argv[1:] = arguments
    runpy.run_module(f"andon.tools.{VERBS[verb].module}", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    sys.exit(main())
