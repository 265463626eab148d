"""Templates of a clone of this project that has more views than it: one process synthesises all of them.

To load the CDK and to start its kernel takes as long as a synth.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from andon.testing.synthesised import Properties, Synthesised
from tests.support.clone import Clone, clone

MADE_UP: Final = 2
"""Views that are copies of one; each takes as much of a quota as the next one."""

COPIED: Final = "state_log"
NEXT: Final = "board"
"""The view of which there are two versions."""

SYNTHESISE: Final = """
import json, sys
import tests.support.infra.kernel
from pathlib import Path
from andon.cdk.view import View
from andon.packages import discovery, serving
from andon.tools.views import new_version
from infra.stack import Andon
from tests.support.infra.synthesised import PROJECT, only, synthesise

layer, made_up, name = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
declare_as_it_is = Andon.declare

def declare(stack, hub, api):
    declare_as_it_is(stack, hub, api)
    for number in range(made_up):
        View(stack, f"made_up_{number}", hub, api)

many = synthesise(layer, declare=declare).templates

new_version.write(name, PROJECT)
discovery._names.cache_clear()  # a process looks once which packages there are
both = {}
for when, switched in {"before": {}, "after": {name: {"serves": f"{name}_v2", "before": name}}}.items():
    serving.write(switched)
    made = synthesise(layer, declare=only(f"views/{name}", f"views/{name}_v2"))
    both[when] = {"Resources": made.resources, "Outputs": made.outputs}
print(json.dumps({"many": many, "both": both}))
"""


class Cloned(NamedTuple):
    """What was synthesised.

    many: the templates of the stack with the views that are made up, by file. both: the stack of two versions of a
    view, `before` the switch from one to the other and `after` it.
    """

    many: Mapping[str, Properties]
    both: Mapping[str, Synthesised]


def cloned(folder: Path, layer: Path) -> Cloned:
    """Clone this project into a folder, and synthesise it."""
    project = clone(folder)
    _make_up(project)
    made = json.loads(project.done("-c", SYNTHESISE, str(layer), str(MADE_UP), NEXT).splitlines()[-1])
    return Cloned(made["many"], {when: Synthesised(template) for when, template in made["both"].items()})


def _make_up(project: Clone) -> None:
    views = project.file("functions", "views")
    for number in range(MADE_UP):
        copied = views / f"made_up_{number}"
        copied.mkdir()
        for file in (views / COPIED).glob("*.py"):
            text = file.read_text().replace(COPIED, copied.name).replace(COPIED.upper(), copied.name.upper())
            (copied / file.name).write_text(text.replace("GET /", f"GET /{copied.name}/"))
