"""The library as others get it: a wheel, in a project that has nothing of this repository."""

import json
import shutil
from pathlib import Path

import pytest

from andon.testing.installed import python
from andon.testing.synthesised import UNTRACED, assembled

FOREIGN = Path(__file__).parent / "foreign"
ROOMS = "import andon.views.materialize, andon.cdk, andon.tools, andon.testing.plugin; print(andon.__file__)"


@pytest.fixture(scope="module")
def lending(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of another domain, outside of this repository."""
    return shutil.copytree(FOREIGN, tmp_path_factory.mktemp("lending"), dirs_exist_ok=True)


def test_the_wheel_has_all_rooms_the_mark_of_types_the_licence_and_the_command(wheel: Path, lending: Path) -> None:
    said = python("-c", ROOMS, imports=(wheel, lending / "functions"), cwd=lending)

    assert said == str(wheel / "andon" / "__init__.py")
    assert (wheel / "andon" / "py.typed").is_file()
    assert [*wheel.glob("andon-*.dist-info/licenses/LICENSE")]
    assert (wheel / "bin" / "andon").is_file()


def test_another_domain_runs_in_memory(wheel: Path, lending: Path) -> None:
    said = python("lend.py", imports=(wheel, lending / "functions"), cwd=lending)

    assert said.splitlines()[-2:] == [
        "200 {'books': ['emma']} 304 None {'books': []}",  # in objects: Bob has it no more
        "204 book-lent 200 {'book': 'emma', 'holder': 'Ada'}",
    ]


@pytest.fixture(scope="module")
def synthesised(wheel: Path, lending: Path) -> Path:
    """The folder of the other domain's templates."""
    (lending / "layer").mkdir()
    context = json.dumps(UNTRACED | {"target": "local", "layer": str(lending / "layer")})

    python(
        "app.py",
        imports=(wheel, lending / "functions"),
        cwd=lending,
        CDK_CONTEXT_JSON=context,
        CDK_OUTDIR=str(lending / "cdk.out"),
    )
    return lending / "cdk.out"


def test_another_domain_is_synthesised(synthesised: Path) -> None:
    written = "".join(file.read_text() for file in synthesised.glob("*.template.json"))
    assert "services/loans/trigger" in written
    assert "views/borrowed/listener" in written
    assert "views/shelves/recompute" in written


def test_a_view_in_objects_has_a_private_bucket_and_few_may_read_it_and_fewer_write(synthesised: Path) -> None:
    [file] = synthesised.glob("*shelves*.template.json")
    made = assembled(synthesised, json.loads(file.read_text()))
    [(name, bucket)] = made.of_type("AWS::S3::Bucket").items()

    assert [rule["ExpirationInDays"] for rule in bucket["LifecycleConfiguration"]["Rules"]] == [91]
    assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    assert "BucketEncryption" in bucket
    [policy] = made.of_type("AWS::S3::BucketPolicy").values()
    assert '"aws:SecureTransport": "false"' in json.dumps(policy)
    of_objects = {
        role: {(action, resource) for action, resource in made.allowed(f"views/shelves/{role}") if name in resource}
        for role in ("query", "listener", "recompute")
    }
    reads = {("s3:GetObject", f"{name}.Arn/rows/*"), ("s3:ListBucket", f"{name}.Arn")}
    writes = {*reads, ("s3:PutObject", f"{name}.Arn/rows/*")}
    assert of_objects == {"query": reads, "listener": writes, "recompute": writes}
    assert [one["ScalingConfig"] for one in made.mappings("views/shelves/listener")] == [{"MaximumConcurrency": 2}]


def test_the_command_finds_the_project_from_below(wheel: Path, lending: Path) -> None:
    below = lending / "functions" / "views"

    python("-m", "andon.tools.cli", "openapi", imports=(wheel,), cwd=below)

    document = json.loads((lending / "docs" / "openapi.json").read_text())
    assert document["info"] == {"title": "Lending", "version": "1", "description": ""}
    assert {"/books/{id}/loan", "/faults", "/drift", "/replays"} <= document["paths"].keys()


def test_a_project_without_docs_and_verbs_tells_programs_of_its_packages(wheel: Path, lending: Path) -> None:
    (lending / "llms.txt").touch()
    python("-m", "andon.tools.cli", "agents", imports=(wheel,), cwd=lending)

    assert "| `services/loans` | `PUT /books/{id}/loan` | book-lent |  |" in (lending / "AGENTS.md").read_text()
    assert "- [views/borrowed](functions/views/borrowed/): routes: 1; topics" in (lending / "llms.txt").read_text()


def test_without_a_project_the_command_says_so(wheel: Path, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="there is no functions"):
        python("-m", "andon.tools.cli", "down", imports=(wheel,), cwd=tmp_path)


def test_the_project_of_another_domain_is_small() -> None:
    lines = [line for file in FOREIGN.rglob("*.py") for line in file.read_text().splitlines()]
    assert len([line for line in lines if line and not line.startswith(("from ", "import "))]) <= 100
