"""Errors of the local stack; their messages are for the person at the terminal."""


class Failed(Exception):
    """The command cannot go on; the message says what happened and what to do, in as few lines as possible."""


class PortBusy(Failed):
    """Something else listens on the port."""


class NotRunning(Failed):
    """There is no stack to talk to."""
