"""What keeps something new from being made."""


class NotNew(Exception):
    """Nothing was made; the text says why, and what to write instead."""
