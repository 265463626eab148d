"""The start of a Lambda's worker, without botocore: the emulator imports it in each, to count calls in a circle.

The count is for functions that invoke one another by boto3 for ever. No function of a project invokes another one, and
most do without boto3: to them the import is 0.25 s of CPU, three quarters of a cold start.
"""

from typing import Final

COUNTS_CALLS: Final = "    _ms_install_invoke_depth()\n"


def without_botocore(script: str) -> str:
    """Return the script of the emulator's workers, which leaves importing to the handler."""
    return script.replace(COUNTS_CALLS, "")
