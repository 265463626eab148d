"""Who erases a person: nobody but an administrator who assumes the role, and with it no more than a sweep needs."""

from collections.abc import Iterator

from andon.cdk.names import pascal
from andon.packages.discovery import packages
from andon.testing.synthesised import Properties, Synthesised, listed, text

NAMES = "PeopleTable"


def role(aws: Synthesised) -> str:
    return str(text(aws.outputs["EraserRoleArn"]["Value"])).removesuffix(".Arn")


def statements(aws: Synthesised) -> Iterator[Properties]:
    yield from aws.attached(role(aws))


def on(aws: Synthesised, *actions: str) -> set[str]:
    """Return the resources on which the role may do something."""
    return {
        text(resource)
        for statement in statements(aws)
        if {*actions} & {*listed(statement["Action"])}
        for resource in listed(statement["Resource"])
    }


def looked_through(aws: Synthesised) -> set[str]:
    """Return the buckets but those of contents, whose objects are named by the digest of their bytes."""
    contents = {aws.output(pascal(package.contents.variable)) for package in packages() if package.contents}
    assert contents
    return {*aws.of_type("AWS::S3::Bucket")} - contents


def test_an_administrator_of_the_account_assumes_it_and_no_function_has_it(aws: Synthesised) -> None:
    made = aws.of_type("AWS::IAM::Role")[role(aws)]

    [trusted] = made["AssumeRolePolicyDocument"]["Statement"]
    assert text(trusted["Principal"]["AWS"]).endswith(":iam::AWS::AccountId:root")
    assert not [one for one in aws.functions().values() if role(aws) in text(one["Role"])]


def test_it_sweeps_every_table_but_where_names_are_of_which_it_touches_its_jobs_alone(aws: Synthesised) -> None:
    tables = {name for package in packages() for name in package.tables}
    names = f"{aws.output(NAMES)}.Arn"
    [jobs] = [one for one in statements(aws) if names in {text(resource) for resource in listed(one["Resource"])}]

    assert on(aws, "dynamodb:Scan") == {f"{name}.Arn" for name in aws.of_type("AWS::DynamoDB::Table")} - {names}
    assert len(on(aws, "dynamodb:Scan")) == len(tables) - 1
    assert listed(jobs["Action"]) == ["dynamodb:GetItem", "dynamodb:PutItem"]
    assert jobs["Condition"] == {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["Erasure#*"]}}
    assert not on(aws, "dynamodb:DeleteItem")


def test_on_the_lake_it_writes_and_neither_deletes_nor_reads_old_versions(aws: Synthesised) -> None:
    buckets = {f"{name}.Arn/*" for name in looked_through(aws)}
    deletes = {f"{aws.output(name)}.Arn/*" for name in ("ArchiveBucket", "FaultsBucket", "DriftBucket")}

    assert on(aws, "s3:PutObject") == on(aws, "s3:GetObject") == buckets
    assert on(aws, "s3:DeleteObject") == deletes
    assert not on(aws, "s3:GetObjectVersion", "s3:DeleteObjectVersion", "s3:BypassGovernanceRetention")


def test_every_bucket_but_of_contents_and_every_dead_letter_queue_is_looked_through(
    aws: Synthesised, prod: Synthesised
) -> None:
    swept = {text(one) for one in text(aws.outputs["SweptBuckets"]["Value"]).split(",")}
    dead = {aws.output(name) for name in aws.outputs if name.endswith("DeadLetterQueueUrl")}

    assert swept == looked_through(aws)
    assert on(aws, "sqs:ReceiveMessage") == {f"{name}.Arn" for name in dead}
    [trail] = prod.of_type("AWS::CloudTrail::Trail").values()  # its log says who read what, and is signed
    assert text(trail["S3BucketName"]) not in text(prod.outputs["SweptBuckets"]["Value"])
