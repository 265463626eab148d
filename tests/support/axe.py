"""What axe-core finds on a page: https://github.com/dequelabs/axe-core"""

from pathlib import Path
from typing import Final

from playwright.sync_api import Page

AXE: Final = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"

# A colour on its way to another one is no finding.
SETTLED: Final = "() => Promise.allSettled(document.getAnimations().map((one) => one.finished))"


def violations(page: Page) -> list[str]:
    """The findings of axe-core."""
    page.evaluate(SETTLED)
    page.evaluate(AXE.read_text())
    found = page.evaluate("async () => (await axe.run({resultTypes: ['violations']})).violations")
    return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]
