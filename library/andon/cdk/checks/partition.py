"""Refuses regions and endpoints that the functions' own wire does not know, before anything is deployed."""

import os
from typing import Final

from aws_cdk.region_info import RegionInfo

AWS: Final = "aws"
"""The partition of AWS's public regions: the wire's hosts, and policies on `kms:ViaService`, end in amazonaws.com."""

# The SDKs' variables: https://docs.aws.amazon.com/sdkref/latest/guide/feature-endpoints.html
ENDPOINTS: Final = {"AWS_USE_FIPS_ENDPOINT": "FIPS", "AWS_USE_DUALSTACK_ENDPOINT": "dual-stack"}


def refuse_foreign(region: str | None) -> None:
    """Refuse a region of China, GovCloud, the European Sovereign Cloud or an isolated cloud, and other endpoints.

    Raises:
        ValueError: the region, or a variable of the environment, asks for what functions would not use.

    """
    partition = RegionInfo.get(region).partition if region else None
    if partition not in {None, AWS}:
        raise ValueError(
            f"{region} is a region of the partition {partition}: only {AWS} is supported, see docs/deploy.md"
        )
    for variable, kind in ENDPOINTS.items():
        if os.environ.get(variable, "").lower() == "true":
            raise ValueError(f"{variable}: functions do not use {kind} endpoints, see docs/deploy.md; unset it")
