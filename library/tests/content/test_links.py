"""Addresses of contents: at AWS and at an endpoint of one's own."""

import pytest

from andon.content.keep import address_of
from andon.testing.environment import ENVIRONMENT, environment


@pytest.mark.parametrize(
    ("variables", "address"),
    [
        ({}, "https://things.s3.us-east-1.amazonaws.com/contents/a/1"),
        ({"AWS_DEFAULT_REGION": "cn-north-1"}, "https://things.s3.cn-north-1.amazonaws.com.cn/contents/a/1"),
        ({"AWS_ENDPOINT_URL": "http://127.0.0.1:4566"}, "http://127.0.0.1:4566/things/contents/a/1"),
        ({"AWS_ENDPOINT_URL_S3": "http://s3.example:1/"}, "http://s3.example:1/things/contents/a/1"),
    ],
)
def test_an_object_has_the_address_of_its_endpoint(variables: dict[str, str], address: str) -> None:
    with environment(ENVIRONMENT | variables):
        assert address_of("things", "contents/a/1") == address
