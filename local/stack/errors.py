"""What goes wrong while the local stack is handled, in words for the person at the terminal."""


class Failed(Exception):
    """The work stops here; the message says what happened and what to do, in as few lines as can be."""


class PortBusy(Failed):
    """Something else listens on the port."""


class NotRunning(Failed):
    """There is no stack to talk to."""
