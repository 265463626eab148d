"""`make kept`: holds what outlives its stack, in `infra/kept.json`: tables, buckets, keys, users, by their logical ids.

To CloudFormation another logical id, another nested stack or another key is another resource: an empty one, beside data
that nobody reads any more. So a test compares the templates with the file, and `make deploy` with what is deployed;
what is to go is named, once: GONE.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from andon.project import project
from andon.runtime.json_types import JsonObject
from andon.testing.synthesised import NOBODY, synthesised_into, text
from andon.tools.called import as_called
from andon.tools.stack.errors import ToolFailed
from andon.tools.stack.nested import NESTED

FILE: Final = project().root / "infra" / "kept.json"
_RETAINED: Final = "Retain"  # and RetainExceptOnCreate
ROOT: Final = ".template.json"
CODE: Final = "AWS::Lambda::Version"  # is kept to go back to, and is no data
FIXED: Final = ("ArchiveName", "BucketName", "Name", "SourceArn", "TableName")
"""Names and sources, whose change replaces a resource; most have none of their own."""

HELD: Final = """\
{stack} would lose what it keeps:
{lost}
A package that has another name says the one before: `formerly=` in infra/stack.py, and keeps the variables of its
tables. If it is meant, name it: {verb}"""
LEFT: Final = "{name} ({physical}) is left behind, with all that is in it: the stack does not know it any more."

Kept = Mapping[str, str]
"""`<nested stack>/<logical id>` -> the type, and what cannot change without a replacement."""
Templates = Mapping[str, JsonObject]
"""Name of a nested stack -> its template; "" is the root's."""


def kept_in(templates: Templates) -> dict[str, str]:
    """Return the resources that outlive a stack, by its templates."""
    return {
        f"{stack}/{name}".removeprefix("/"): _fixed_of(made)
        for stack, template in sorted(templates.items())
        for name, made in sorted(template["Resources"].items())
        if made.get("DeletionPolicy", "").startswith(_RETAINED) and made["Type"] != CODE
    }


def _fixed_of(made: JsonObject) -> str:
    """Return the type of a resource, its name if it has one, and the keys of a table with their types."""
    properties = made.get("Properties", {})
    types = {one["AttributeName"]: one["AttributeType"] for one in properties.get("AttributeDefinitions", ())}
    keys = [f"{one['AttributeName']} ({types[one['AttributeName']]})" for one in properties.get("KeySchema", ())]
    names = [text(properties[name]) for name in FIXED if name in properties]
    return " ".join([made["Type"], *names, *keys])


def assembled(folder: Path) -> dict[str, Templates]:
    """Return the templates of each stack of an app's output folder."""
    roots = {
        file.name.removesuffix(ROOT): json.loads(file.read_text())
        for file in folder.glob(f"*{ROOT}")
        if not file.name.endswith(f".nested{ROOT}")
    }
    return {stack: {"": root, **_nested(root, folder)} for stack, root in roots.items()}


def _nested(root: JsonObject, folder: Path) -> Templates:
    files = {
        name: folder / Path(made["Metadata"]["aws:asset:path"]).name
        for name, made in root["Resources"].items()
        if made["Type"] == NESTED
    }
    return {name: json.loads(file.read_text()) for name, file in files.items()}


def of_stage(stage: str) -> dict[str, dict[str, str]]:
    """Return the kept resources of each stack of a stage, by the templates that this clone makes."""
    settings = json.loads((project().root / "cdk.json").read_text())["context"]
    with TemporaryDirectory() as folder:
        made = synthesised_into(Path(folder), {**settings, **NOBODY, "stage": stage})
        return {stack: kept_in(templates) for stack, templates in assembled(made).items()}


def lost(before: Kept, now: Kept) -> dict[str, str]:
    """Return the resources that would be gone or replaced, with words about it."""
    return {
        name: f"{what} would be replaced by {now[name]}" if name in now else f"{what} would be gone"
        for name, what in before.items()
        if now.get(name) != what
    }


def held() -> dict[str, dict[str, str]]:
    """Return the resources that are held, by stack; a project that has no file holds nothing yet."""
    read: dict[str, dict[str, str]] = json.loads(FILE.read_text()) if FILE.is_file() else {}
    return read


def require_held(before: Kept, now: Kept, stack: str, *, gone: Iterable[str] = ()) -> None:
    """Check that nothing is lost but what somebody named.

    Raises:
        ToolFailed: something is.

    """
    found = {name: how for name, how in lost(before, now).items() if name not in {*gone}}
    if found:
        lines = "\n".join(f"  {name}: {how}" for name, how in found.items())
        raise ToolFailed(HELD.format(stack=stack, lost=lines, verb=as_called("kept", GONE=tuple(found))))


def _deployed_templates(cloudformation: Any, stack: str) -> tuple[Templates, dict[str, str]]:  # noqa: ANN401  boto3's
    """Return the templates of a stack as they are deployed, and the physical id of each resource in them."""
    templates, physical, waiting = dict[str, JsonObject](), dict[str, str](), {"": stack}
    while waiting:
        nested, name = waiting.popitem()
        body = cloudformation.get_template(StackName=name)["TemplateBody"]
        templates[nested] = body if isinstance(body, dict) else json.loads(body)
        for page in cloudformation.get_paginator("list_stack_resources").paginate(StackName=name):
            for one in page["StackResourceSummaries"]:
                made = one.get("PhysicalResourceId", "")
                physical[f"{nested}/{one['LogicalResourceId']}".removeprefix("/")] = made
                if one["ResourceType"] == NESTED and made:
                    waiting[one["LogicalResourceId"]] = made
    return templates, physical


def of_deployment(cloudformation: Any, stack: str, stage: str) -> Iterator[str]:  # noqa: ANN401
    """Yield what a deployment of this clone leaves behind because somebody said so.

    Raises:
        ToolFailed: it would lose something that nobody named.

    """
    templates, physical = _deployed_templates(cloudformation, stack)
    before, now = kept_in(templates), of_stage(stage)[stack]
    named = [name for name in before if name not in held().get(stack, before)]
    require_held(before, now, stack, gone=named)
    yield from (LEFT.format(name=name, physical=physical[name]) for name in lost(before, now))


def _require_known(gone: Iterable[str], before: Mapping[str, Kept], parser: argparse.ArgumentParser) -> None:
    """Exit with 2 if what is to go is not held: a name that is mistyped would be left for the next who loses it."""
    if unknown := sorted({*gone}.difference(*before.values())):
        parser.error(f"{FILE.name} holds no {', '.join(unknown)}")


def main() -> int:
    """Entry point."""
    parser = argparse.ArgumentParser(prog=as_called("kept"), description=__doc__)
    parser.add_argument("--gone", nargs="*", default=(), help="what is to go, as Things/ThingsTable8FAAD6DD")
    parser.add_argument("--check", action="store_true", help="write nothing: 1 if the file is not current")
    asked = parser.parse_args()
    before = held()
    if asked.check and not before:
        return 0
    _require_known(asked.gone, before, parser)
    stages = json.loads((project().root / "cdk.json").read_text())["context"]["stages"]
    now = {stack: kept for stage in stages for stack, kept in of_stage(stage).items()}
    for stack, kept in before.items():
        require_held(kept, now.get(stack, {}), stack, gone=asked.gone)
    if asked.check:
        if now != before:
            print(f"{FILE.name} does not have all that is kept: {as_called('kept')}", file=sys.stderr)
            return 1
        return 0
    FILE.write_text(json.dumps(now, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
