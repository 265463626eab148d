"""Errors of the local stack; their messages are for the person at the terminal."""


class ToolFailed(Exception):
    """The command cannot go on; the message says what happened and what to do, in as few lines as possible."""


class PortBusy(ToolFailed):
    """Something else listens on the port."""


class NotRunning(ToolFailed):
    """There is no stack to talk to."""
