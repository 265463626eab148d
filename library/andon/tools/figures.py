"""Figures: of each stage's template, kept in `docs/figures.json`, and constants; written wherever a file names them.

A page names one as `<!-- dev.alarms -->155<!-- / -->`, or a constant as `<!-- contract.logs.TTL_DAYS -->33<!-- / -->`:
what stands between is written anew. So is the number of a line of code that ends with the name of a constant: code that
cannot import it says `const LOG_DAYS = 33; // contract.logs.TTL_DAYS`.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from andon.cdk.stage import FLAGS, SETTINGS, said_of
from andon.cdk.throttles import PUT_EVENTS, Quotas
from andon.packages.discovery import packages, services, subscribers_of
from andon.project import project
from andon.rules.sweep import EVERY_SECONDS
from andon.testing.synthesised import FUNCTION, NOBODY, Properties, Synthesised, synthesised, text
from andon.versions.aggregate import DESIGNS, Aggregate, Design, Identity, Tolerance

# The table of `docs/versioning.md`: which services live by which design.

_NO_SERVICE: Final = "nobody yet"

WORDS: Final = {"design": "versions", "identity": "an id", "tolerates": "tolerated"}
"""Part of a declaration -> what the page calls it."""


class DeclaredAggregate(NamedTuple):
    """An aggregate of a service."""

    service: str
    kind: str
    of: Aggregate


def _of_versioning() -> dict[str, str]:
    """Return the table by its name in pages."""
    declared = [
        DeclaredAggregate(package.name, kind, of) for package in services() for kind, of in package.aggregates.items()
    ]
    lives = [(statement, _named(one for one in declared if holds(one.of))) for statement, holds in _statements()]
    return {"designsLived": _table(("statement", "lives by it"), lives)}


def _statements() -> Iterator[tuple[str, Callable[[Aggregate], bool]]]:
    """Yield what a declaration may say, and the aggregates that say so."""
    tolerated = [one for one in Tolerance if one is not Tolerance.NOTHING]
    parts: tuple[tuple[str, Iterable[object]], ...] = (
        ("design", DESIGNS),
        ("identity", Identity),
        ("tolerates", tolerated),
    )
    for part, values in parts:
        for value in values:
            said = value.title if isinstance(value, Design) else str(value)
            yield f"{WORDS[part]}: {said}", partial(_says, part, value)
    yield "expires, although numbers or fences stand on it", lambda of: bool(of.open_until or of.lives_with)


def _says(part: str, value: object, of: Aggregate) -> bool:
    return getattr(of, part) is value


def _named(found: Iterable[DeclaredAggregate]) -> str:
    by_service: dict[str, list[str]] = {}
    for one in found:
        by_service.setdefault(one.service, []).append(one.kind)
    return "; ".join(f"`{service}`: {', '.join(kinds)}" for service, kinds in by_service.items()) or _NO_SERVICE


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = tuple(head)
    lines = [head, ("---",) * len(head), *map(tuple, rows)]
    return "\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n\n"


# The table of settings in `docs/deploy.md`.

_LEFT_OUT: Final = "\N{EN DASH}"


def _of_settings(stages: Mapping[str, Mapping[str, object]]) -> dict[str, str]:
    """Return the table of all settings, with those of each stage in cdk.json."""
    rows = [
        (f"`{setting}`", *(_set(settings, setting) for settings in stages.values()), said_of(one).means)
        for setting, one in SETTINGS.items()
    ]
    return {"settings": _table(("setting", *stages, ""), rows)}


def _set(settings: Mapping[str, object], setting: str) -> str:
    match settings.get(setting):
        case None:
            needs = (settings.get("alarms", True), settings.get("terminationProtection"))
            return "required" if dict(zip(FLAGS, needs, strict=True)).get(setting) else _LEFT_OUT
        case bool(value):
            return "yes" if value else "no"
        case list(values):
            return ", ".join(f"`{value}`" for value in values)
        case str(value):
            return f"`{value}`"
        case value:
            return str(value)


KEPT: Final = project().root / "docs" / "figures.json"
MARK: Final = re.compile(r"(<!-- ([a-z]\w*(?:\.\w+)+) -->)(.*?)(<!-- / -->)", re.DOTALL)
CODE_MARK: Final = re.compile(r"\b[\d_]+(;? +(?://|#) ([a-z]\w*(?:\.[a-z]\w*)*\.[A-Z][A-Z\d_]*))$", re.MULTILINE)
_ALARM_DOLLARS: Final = 0.10
"""A month for each metric of an alarm: https://aws.amazon.com/cloudwatch/pricing/"""

ALARMS_OF_POLICY: Final = 4
"""Alarms that target tracking creates: two of what is used, two of what is provisioned."""

POLICIES_OF_PLACE: Final = 2
"""Of a table or an index: one follows its reads, one its writes."""

EVERYWHERE: Final = "all"
"""Where figures stand that are the same in each stage."""

Figures = dict[str, int | str]
"""Name -> a number, or a text: dollars, lines of a table."""


def figures_of(stack: Synthesised) -> Figures:
    """Return the figures of a template."""
    alarms, tables = stack.of_type("AWS::CloudWatch::Alarm").values(), stack.of_type("AWS::DynamoDB::Table").values()
    together = [alarm for alarm in alarms if metrics_of(alarm) == 2]  # noqa: PLR2004  a failure's count and the calls'
    sources = [text(made["EventSourceArn"]) for made in stack.of_type("AWS::Lambda::EventSourceMapping").values()]
    priced = sum(map(metrics_of, alarms))
    return {
        "functions": len(stack.of_type(FUNCTION)),
        "movedFunctions": len(stack.of_type("AWS::Lambda::Alias")),
        "secrets": len(stack.of_type("AWS::SecretsManager::Secret")),
        "dashboards": len(stack.of_type("AWS::CloudWatch::Dashboard")),
        "runsAnHour": sum(map(_runs_an_hour, stack.of_type("AWS::Events::Rule").values())),
        "routes": len(stack.of_type("AWS::ApiGatewayV2::Route")),
        "tables": len(tables),
        "queues": len(stack.of_type("AWS::SQS::Queue")),
        "polledQueues": sum(f"{queue}.Arn" in sources for queue in stack.of_type("AWS::SQS::Queue")),
        "alarms": len(alarms),
        "alarmMetrics": priced,
        "alarmDollars": _dollars(priced),
        "alarmsOfTwo": len(together),
        "alarmsOfTwoDollars": _dollars(2 * len(together)),
    }


def _runs_an_hour(rule: Properties) -> int:
    """Return the number of times that a rule calls functions by its schedule."""
    per_hour = {f"rate({EVERY_SECONDS // 60} minute)": 3600 // EVERY_SECONDS, "rate(1 hour)": 1}
    return per_hour[rule["ScheduleExpression"]] * len(rule["Targets"]) if "ScheduleExpression" in rule else 0


def metrics_of(alarm: Properties) -> int:
    """Return the number of metrics that an alarm is paid for by.

    One that compares with what CloudWatch has learnt is paid for by its metric and the two bounds.
    """
    return (sum("MetricStat" in one for one in alarm.get("Metrics", ())) or 1) + 2 * ("ThresholdMetricId" in alarm)


def _of_batches() -> Figures:
    """Return the figures of the route that publishes a batch as it is called; of none or several, nothing."""
    batches = [(package, *one) for package in services() for one in package.stream_first.items()]
    if len(batches) != 1:
        return {}
    [(package, route, (event_type, events))] = batches
    rules = len(subscribers_of(package.name, event_type))
    head = [f"| region | PutEvents/s | invocations/s | `{route}`/s | events/s |", "|---|---|---|---|---|"]
    lines = head + [_rates(quotas, regions, events=events, rules=rules) for quotas, regions in _regions().items()]
    return {"batchEvents": events, "batchRules": rules, "batchRates": "\n\n" + "\n".join(lines) + "\n\n"}


def of_steady_tables() -> Figures:
    """Return the figures of the tables that a stage may provision, and of the alarms that follow their load then."""
    schemas = [schema for package in packages() for schema in package.tables.values()]
    steady = [schema for schema in schemas if schema.steady]
    indexes = sum(len(schema.indexes) for schema in steady)
    alarms = (len(steady) + indexes) * POLICIES_OF_PLACE * ALARMS_OF_POLICY
    return {
        "steadyTables": len(steady),
        "steadyIndexes": indexes,
        "otherTables": len(schemas) - len(steady),
        "scalingAlarms": alarms,
        "scalingDollars": _dollars(alarms),
    }


def everywhere() -> Figures:
    """Return the figures that are the same in each stage."""
    return {**_of_batches(), **of_steady_tables(), **_of_versioning(), **_of_settings(_context()["stages"])}


def _context() -> Any:  # noqa: ANN401  as the CDK reads it
    """Return the context of cdk.json."""
    return json.loads((project().root / "cdk.json").read_text())["context"]


def _regions() -> dict[Quotas, list[str]]:
    """Return the regions with the same quotas of the bus, those with the most first; an unknown one has the least."""
    found = defaultdict(list)
    for region in (*PUT_EVENTS, ""):
        found[Quotas.of(region)._replace(api=0)].append(region or "others, or unknown")
    return found


def _rates(quotas: Quotas, regions: Iterable[str], *, events: int, rules: int) -> str:
    rate = quotas.for_batches(events=events, rules=rules).per_second
    said = (f"{quotas.put_events:,}", f"{quotas.invocations:,}", f"{rate:g}", f"{rate * events:,.0f}")
    return f"| {' | '.join((', '.join(regions), *said))} |"


def kept_text(of_stages: Mapping[str, Figures]) -> str:
    """Return the figures of stages as they are kept."""
    return json.dumps(of_stages, indent=2) + "\n"


def filled(page: str, of_stages: Mapping[str, Figures]) -> str:
    """Return a file with the figures that it names.

    Raises:
        LookupError, ImportError, AttributeError: it names one that there is not.

    """
    page = MARK.sub(lambda mark: f"{mark[1]}{_figure(mark[2], of_stages)}{mark[4]}", page)
    return CODE_MARK.sub(lambda mark: f"{_figure(mark[2], of_stages):_}{mark[1]}", page)


def _figure(named: str, of_stages: Mapping[str, Figures]) -> int | str:
    where, _, name = named.rpartition(".")
    if name.isupper():
        constant: int = getattr(import_module(where), name)
        return constant
    if name not in of_stages.get(where, {}):
        raise LookupError(f"there is no figure {named}; {KEPT.name} has all")
    return of_stages[where][name]


def pages(root: Path) -> Iterable[Path]:
    """Find the files that name figures."""
    may = (
        "*.md",
        "docs/**/*.md",
        "functions/*/*/*.md",
        "functions/pages/*/page/*.js",
        "gateway/*.md",
        "gateway/*/*.py",
    )
    found = sorted(file for pattern in may for file in root.glob(pattern))
    return [one for one in found if MARK.search(text := one.read_text()) or CODE_MARK.search(text)]


def main() -> None:
    """Write all of it anew."""
    settings = _context()
    of_stages = {EVERYWHERE: everywhere()}
    for stage in settings["stages"]:
        with TemporaryDirectory() as folder:
            of_stages[stage] = figures_of(synthesised(Path(folder), {**settings, **NOBODY, "stage": stage}))
    KEPT.write_text(kept_text(of_stages))
    for page in pages(project().root):
        page.write_text(filled(page.read_text(), of_stages))


def _dollars(metrics: int) -> str:
    return f"${metrics * _ALARM_DOLLARS:.2f}"


if __name__ == "__main__":
    main()
