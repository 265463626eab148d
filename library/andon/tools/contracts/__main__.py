"""`andon contracts`: who publishes what, who needs what of it, and who breaks by what is different from the release.

It ends with 0, with 1 if somebody loses something or keeps other values, with 2 if somebody breaks.
"""

import argparse
import sys
from collections.abc import Iterable
from typing import Final

from andon.packages.discovery import deployed_first, packages, subscriptions_among
from andon.project import project
from andon.tools.contracts import documents, report, state
from andon.tools.contracts.derive import Derived, derived
from andon.tools.contracts.observe import Observed, observed
from andon.tools.contracts.state import ContractState

_RELEASED: Final = "contracts/released.json"


def main() -> int:
    """Entry point of the verb; return its status."""
    parser = argparse.ArgumentParser(prog="andon contracts", description=__doc__)
    parser.add_argument("--release", action="store_true", help="make the state of today the released one")
    asked = parser.parse_args()
    released = _read_released()
    if asked.release:
        return _release(observed(), released)
    found = report.kept() or _keep(derived(observed(), released))
    _say(report.report(found, released, deployed_first(subscriptions_among(packages())).together))
    _write(found)
    return report.status_of(found.findings)


def _read_released() -> ContractState | None:
    """Return the state of the release; None: there is none yet."""
    file = project().root / _RELEASED
    return state.from_json(file.read_text()) if file.is_file() else None


def _keep(found: Derived) -> Derived:
    report.keep(found)
    return found


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


def _write(found: Derived) -> None:
    documents.write(documents.folder(), documents.documents(found.state, found.blind))


def _release(today: Observed, released: ContractState | None) -> int:
    """Make the state of today the released one; return the status of what is wrong with it in itself."""
    found = derived(today, released)
    _say(report.report(found, released))
    _write(found)
    file = project().root / _RELEASED
    file.parent.mkdir(exist_ok=True)
    file.write_text(state.to_json(found.state))
    print(f"{_RELEASED} has this state: what comes is compared with it.")
    left = _keep(derived(today, found.state))
    _say(report.of_findings(left.findings))
    return report.status_of(left.findings)


if __name__ == "__main__":
    sys.exit(main())
