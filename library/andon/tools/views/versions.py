"""The two versions of a view in this clone."""

from typing import NamedTuple

from andon.packages import serving
from andon.packages.discovery import versions_of, views
from andon.packages.package import Package, Version
from andon.tools.called import as_called
from andon.tools.stack.errors import ToolFailed


class ViewVersions(NamedTuple):
    """A view and its next version."""

    before: Package
    after: Package

    @property
    def next(self) -> Version:
        """The declaration of the next version."""
        version: Version = self.after.load("view")
        return version

    @property
    def serves(self) -> Package:
        """The version whose answers callers get, as the committed file says."""
        return self.after if self.after.serves else self.before

    @property
    def stands_by(self) -> Package:
        """The other one."""
        return self.before if self.after.serves else self.after

    def let_serve(self, version: Package) -> None:
        """Write which one serves from the next deployment on."""
        other = self.before if version == self.after else self.after
        switch: serving.Switch = {"serves": version.name, "before": other.name}
        serving.write({**serving.switches(), self.before.name: switch})


def versions(view: str) -> ViewVersions:
    """Return both versions of a view, by the name of either.

    Raises:
        Failed: there is no such view, or it has one version only.

    """
    found = versions_of(view)
    if not found:
        raise ToolFailed(f"there is no view {view}; there is {', '.join(one.name for one in views())}")
    if len(found) == 1:
        raise ToolFailed(f"{view} has one version only; the next one: {as_called('new-view-version', VIEW=view)}")
    [before] = [one for one in found if one.replaces is None]
    [after] = [one for one in found if one.replaces]
    return ViewVersions(before, after)
