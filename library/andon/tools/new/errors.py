"""The error of something new that cannot be made."""


class NotNew(Exception):
    """Nothing was made; the text says why, and what to write instead."""
