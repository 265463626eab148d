"""`andon samples`: writes what follows from the packages of a project, in one go.

Samples; and of docs/openapi.json, AGENTS.md and llms.txt what the project keeps.
"""

import argparse
import io
import warnings
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

from andon.packages.discovery import packages, readers
from andon.project import project
from andon.runtime.json_types import JsonObject
from andon.testing import recorder
from andon.testing.recorder import Samples
from andon.testing.samples import paths, read, text_of, topic_of
from andon.tools.called import as_called
from andon.tools.in_process import agents, openapi
from andon.tools.new import changes
from andon.tools.stack.errors import ToolFailed

# Samples: `events/`, as the handlers make them of the requests in `tests/<side>/<package>/samples.py`.
#
# Samples of packages without such a file stay as they are, and so do those of other names; but those of a route that
# nothing answers are removed, and those of a fact that its service publishes no more, and to which nobody subscribes.


def made() -> dict[str, JsonObject]:
    """Return the samples to write, by path below `events/`.

    Raises:
        ToolFailed: a request fails, or is refused and does not say so.

    """
    found: dict[str, JsonObject] = {}
    with redirect_stdout(io.StringIO()), warnings.catch_warnings():  # what handlers log
        warnings.simplefilter("error", DeprecationWarning)
        for package in recorder.recorded():
            try:
                found |= recorder.samples_of(package)
            except (recorder.NoSample, DeprecationWarning) as none:
                raise ToolFailed(str(none)) from none.__cause__
    return found


def write() -> list[str]:
    """Write samples; return a line for each that is new, changed or removed.

    Raises:
        ToolFailed: see `made`; or the sample of a route would take the place of another route's.

    """
    samples, changed = made(), list[str]()
    _require_free(samples)
    for path, sample in samples.items():
        file, text = project().events / path, text_of(sample)
        if not file.is_file() or file.read_text() != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            changed.append(path)
    return [*changed, *_remove_forsaken()]


def _remove_forsaken() -> Iterator[str]:
    for file in _forsaken():
        file.unlink()
        yield f"removed: {file.relative_to(project().events)}"


def _require_free(samples: Samples) -> None:
    for path, sample in samples.items():
        file = project().events / path
        before = read(file).get("routeKey") if file.is_file() else None
        if before is not None and before != sample["routeKey"] and _is_route(before):
            raise ToolFailed(
                f"events/{path} is a sample of {before}: the function that answers {sample['routeKey']} "
                f"needs another name than {file.stem.partition('.')[0].replace('-', '_')}"
            )


def _is_route(route: str) -> bool:
    return any(route in package.routes for package in packages())


def _forsaken() -> list[Path]:
    """Return the samples of routes that nothing answers, and of facts that nobody publishes or subscribes to."""
    publishers = [package.facts for package in recorder.recorded()]
    sources = {facts.source for facts in publishers}
    published = {(facts.source, event_type) for facts in publishers for event_type in facts.types}
    gone = [
        path
        for path in paths("domain")
        if (topic := topic_of(path))[0] in sources
        and topic not in published
        and not any(package.subscribes_to(*topic) for package in readers())
    ]
    twins = [project().events / "stream" / path.name for path in gone]
    unanswered = [path for path in paths("http") if not _is_route(read(path)["routeKey"])]
    return [*unanswered, *gone, *(path for path in twins if path.is_file())]


def follow() -> None:
    """Write it anew behind a verb that changed packages, see `changes.follow`.

    Raises:
        ToolFailed: a package cannot be loaded, or recorded.

    """
    if why := changes.follow(project().root):
        raise ToolFailed(f"what follows from packages is not written ({why}); mend it, then: {as_called('samples')}")


def main() -> None:
    """Write it anew; print the samples that are new, changed or removed."""
    argparse.ArgumentParser(prog="andon samples", description="Write what follows from the packages anew.").parse_args()
    for line in write():
        print(line)
    if openapi.DOCUMENT.is_file():
        openapi.write()
    if (project().root / agents.AGENTS).is_file():
        agents.write(project().root)


if __name__ == "__main__":
    main()
