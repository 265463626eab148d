"""What comes back of expired logs: all that state_log keeps of an event. Pure."""

from views.state_log.view import ON

__all__ = ["ON"]
