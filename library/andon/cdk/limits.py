"""Rights for callers who are limited to places, `andon/http/places.py`: functions read where subjects are."""

from collections.abc import Mapping
from typing import Final

from andon.cdk.function import Function
from andon.cdk.owned_table import OwnedTable
from andon.packages.discovery import role_of
from andon.packages.package import Package
from andon.project import project

NO_TABLE: Final = (
    "{package} reads where subjects are, by {table}, which no view of the stack has: add the view's line, or let "
    "`whereabouts` of functions/project.py name the version that is left."
)


def let_find_subjects(package: Package, functions: Mapping[str, Function], tables: Mapping[str, OwnedTable]) -> None:
    """Let the functions behind a package's routes read where subjects are, if a route asks; `tables`: of views.

    In a stack without views nobody knows where anything is, and whoever is limited is refused.

    Raises:
        ValueError: the stack does not have the table that the project names.

    """
    declared = project().whereabouts
    if declared is None or not tables:
        return
    for role, actions in _reads_of(package).items():
        if declared.table not in tables:
            raise ValueError(NO_TABLE.format(package=package.folder, table=declared.table))
        table = tables[declared.table]
        functions[role].handler.add_environment(declared.table, table.table_name)
        table.grant_exactly(functions[role], *sorted(actions))


def _reads_of(package: Package) -> Mapping[str, set[str]]:
    """Return DynamoDB's actions by the role of the function."""
    reads: dict[str, set[str]] = {}
    for route in package.routes:
        at = package.limits.get(route)
        if at is not None and at.reads:
            reads.setdefault(role_of(route), set()).update(at.reads)
    return reads
