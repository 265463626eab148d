"""The entities of the domain events, on which services agree. Events from elsewhere are read tolerantly.

A member that does not apply is left out, never null. Times are fixed-width UTC, but for `TriggerRef.timestamp`.
"""
