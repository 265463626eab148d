"""Names of constructs and outputs."""


def pascal(name: str) -> str:
    """Write `state_log` as `StateLog`, `STATE_LOG_TABLE` as `StateLogTable`."""
    return "".join(word.capitalize() for word in name.split("_"))
