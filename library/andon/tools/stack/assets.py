"""Zip files of a cloud assembly, put where `cdk deploy` looks for them.

It packs only what it does not find there, and as small as can be, which takes longer than the rest of a deployment.
"""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from andon.tools.listings import keys_in
from andon.tools.stack import aws

QUALIFIER: Final = "hnb659fds"
"""The CDK's own, of the names of what every deployment expects of an account."""

BUCKET: Final = f"cdk-{QUALIFIER}-assets-{aws.ACCOUNT}-{aws.REGION}"
_LEVEL: Final = 1
"""Of compression: each Lambda worker of the emulator gets copies of its zip files, so that some of it pays."""


def upload(s3: Any, assembly: Path) -> None:  # noqa: ANN401  a client
    """Put the zip files of an assembly that are not there yet into the bucket of assets."""
    there = {*keys_in(s3, BUCKET)}
    for key, folder in _folders(assembly).items():
        if key not in there:
            files = (file for file in sorted(folder.rglob("*")) if file.is_file())
            content = {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}
            s3.put_object(Bucket=BUCKET, Key=key, Body=packed(content))


def packed(content: Mapping[str, bytes]) -> bytes:
    """Return a zip file; content: of each file, by its place."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for place, written in content.items():
            entry = zipfile.ZipInfo(place)  # of no time: the same files are the same zip file
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, written, zipfile.ZIP_DEFLATED, _LEVEL)
    return packed.getvalue()


def _folders(assembly: Path) -> dict[str, Path]:
    """Return the folders that an assembly needs as zip files, by the keys of these."""
    manifests = (json.loads(file.read_text()) for file in assembly.glob("*.assets.json"))
    zipped = [one for made in manifests for one in made["files"].values() if one["source"].get("packaging") == "zip"]
    return {
        where["objectKey"]: assembly / asset["source"]["path"]
        for asset in zipped
        for where in asset["destinations"].values()
    }
