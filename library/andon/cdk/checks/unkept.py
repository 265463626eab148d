"""Refuse views that objects cannot keep."""

from typing import Final

from andon.packages.package import Package

NO_END: Final = "view {name}: rows in objects need TTL_DAYS in view.py: tombstones would stay for ever."
NO_STREAM: Final = "view {name}: a bucket has no stream to push changes from; keep the rows of a live view in a table."
ONE_VERSION: Final = "view {name}: a view in objects is in one version: name a new bucket, and fill it from the lake."


def refuse_unkept(package: Package) -> None:
    """Refuse a view that objects cannot keep.

    Raises:
        ValueError: it never expires, is pushed to screens, or is the next version of another.

    """
    reasons = {
        NO_END: package.view.TTL_DAYS is None,
        NO_STREAM: package.plays("push"),
        ONE_VERSION: package.replaces is not None,
    }
    for reason, holds in reasons.items():
        if holds:
            raise ValueError(reason.format(name=package.name))
