"""Whole numbers in JSON and in rows."""

from typing import TypeGuard


def is_whole(value: object) -> TypeGuard[int]:
    """Return True if a value is a whole number; to Python, a bool is an int, too."""
    return type(value) is int
