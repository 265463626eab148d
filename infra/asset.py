"""What of `functions/` a package's Lambda functions get."""

from pathlib import Path

from aws_cdk import IgnoreMode
from aws_cdk import aws_lambda as lambda_

from patterns.packages.package import FUNCTIONS, SIDES, Package


def code_of(package: Package, root: Path = FUNCTIONS) -> lambda_.AssetCode:
    """Pack `functions/` without every other package, so that touching one package changes one asset."""
    # As in a .gitignore, the last line that matches wins.
    others = [line for side in SIDES for line in (f"/{side}/*", f"!/{side}/__init__.py")]
    own = f"!/{package.side}/{package.name}"
    exclude = [*others, own, "__pycache__", "*.pyc", ".*"]
    return lambda_.Code.from_asset(str(root), exclude=exclude, ignore_mode=IgnoreMode.GIT)
