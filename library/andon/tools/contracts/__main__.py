"""`andon contracts`: who publishes what, who needs what of it, and who breaks by what is different from the release.

It ends with 0, with 1 if somebody loses something or keeps other values, with 2 if somebody breaks.
"""

import argparse
import sys
from collections.abc import Iterable
from typing import Final

from andon.packages.deployed_first import deployed_first, subscriptions_among
from andon.packages.discovery import packages
from andon.project import project
from andon.tools.called import as_called
from andon.tools.contracts import documents, kept, report, state
from andon.tools.contracts.derive import Derived, derived
from andon.tools.contracts.observe import Observed, observed
from andon.tools.contracts.state import ContractState

RELEASED: Final = "contracts/released.json"
STALE: Final = 1
FEW: Final = 5


def main() -> int:
    """Entry point of the verb; return its status."""
    parser = argparse.ArgumentParser(prog="andon contracts", description=__doc__)
    parser.add_argument("--release", action="store_true", help="make the state of today the released one")
    parser.add_argument("--check", action="store_true", help="write nothing: 1 if a document is not current")
    asked = parser.parse_args()
    released = read_released()
    if asked.release:
        return _release(observed(), released)
    found = kept.kept() or _keep(derived(observed(), released))
    _say(report.report(found, released, deployed_first(subscriptions_among(packages())).together))
    status = report.status_of(found.findings)
    if asked.check:
        return max(status, _check(found))
    _write(found)
    return status


def read_released() -> ContractState | None:
    """Return the state of the release; None: there is none yet."""
    file = project().root / RELEASED
    return state.from_json(file.read_text()) if file.is_file() else None


def _keep(found: Derived) -> Derived:
    kept.keep(found)
    return found


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


def _check(found: Derived) -> int:
    """Return True if a document is not current; a project that keeps none has none to keep current."""
    if not (project().root / documents.PAGE).is_file():
        return 0
    root, wanted = project().root, documents.documents(found.state, found.blind)
    wrong = [*documents.differing(root, wanted), *documents.stale(root, wanted, found.state)]
    if wrong:
        print(f"Not as the contracts are: {_few(wrong)}. Write anew: {as_called('contracts')}", file=sys.stderr)
    return STALE if wrong else 0


def _write(found: Derived) -> None:
    root, wanted = project().root, documents.documents(found.state, found.blind)
    if written := documents.write(root, wanted, documents.stale(root, wanted, found.state)):
        print(f"Wrote {_few(written)}.")


def _few(paths: list[str]) -> str:
    more = f" and {len(paths) - FEW} more" if len(paths) > FEW else ""
    return ", ".join(paths[:FEW]) + more


def _release(today: Observed, released: ContractState | None) -> int:
    """Make the state of today the released one; return the status of what is wrong with it in itself."""
    found = derived(today, released)
    _say(report.report(found, released))
    _write(found)
    file = project().root / RELEASED
    file.parent.mkdir(exist_ok=True)
    file.write_text(state.to_json(found.state))
    print(f"{RELEASED} has this state: what comes is compared with it.")
    left = _keep(derived(today, found.state))
    _say(report.of_findings(left.findings))
    return report.status_of(left.findings)


if __name__ == "__main__":
    sys.exit(main())
