"""The bucket of attachments: each role does with it what it is for, and a browser only what the page needs."""

import pytest

from andon.cdk.buckets import refuse_unreleased
from andon.content.contents import Contents
from andon.dynamodb.client import Table
from andon.packages.package import Package
from andon.testing.synthesised import Synthesised
from services.maintenance.contents import CONTENTS
from services.maintenance.tables import HISTORY, HISTORY_TABLE

MAINTENANCE = Package("services", "maintenance")


def allowed(template: Synthesised, role: str) -> set[tuple[str, str]]:
    """Return what a function may do with the objects."""
    bucket = f"{template.output('AttachmentsBucket')}.Arn"
    grants = template.grants(MAINTENANCE.path(role))
    return {(action, resource.removeprefix(bucket)) for action, resource, _ in grants if resource.startswith(bucket)}


def test_each_role_may_do_what_it_is_for_and_nothing_else(aws: Synthesised) -> None:
    below = "/contents/*"

    assert allowed(aws, "command") == {("s3:GetObject", below), ("s3:PutObject", below), ("s3:ListBucket", "")}
    assert allowed(aws, "query") == {("s3:GetObject", below), ("s3:ListBucket", "")}
    assert allowed(aws, "trigger") == {("s3:DeleteObject", below)}
    assert allowed(aws, "listener") == set()


def test_the_page_and_no_other_may_upload_to_it(aws: Synthesised) -> None:
    made = aws.of_type("AWS::S3::Bucket")[aws.output("AttachmentsBucket")]

    [rule] = made["CorsConfiguration"]["CorsRules"]
    assert sorted(rule["AllowedMethods"]) == ["GET", "PUT"]
    assert rule["AllowedHeaders"] == ["content-type", "x-amz-checksum-sha256"]
    assert len(rule["AllowedOrigins"]) == 1
    assert "*" not in rule["AllowedOrigins"]
    assert "LifecycleConfiguration" not in made, "the trigger deletes, by what the table says"


@pytest.mark.parametrize(
    ("package", "contents", "why"),
    [
        (MAINTENANCE, Contents(HISTORY_TABLE, "A_BUCKET"), "MAINTENANCE_HISTORY_TABLE"),
        (MAINTENANCE, Contents(Table("OTHER_TABLE", HISTORY), "A_BUCKET"), "OTHER_TABLE"),
        (Package("services", "planning"), CONTENTS, "control service"),
    ],
)
def test_contents_that_nobody_would_delete_are_refused(package: Package, contents: Contents, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        refuse_unreleased(package, contents)


def test_contents_are_of_a_table_with_a_stream_and_a_ttl() -> None:
    refuse_unreleased(MAINTENANCE, CONTENTS)
