"""A word to systemd: https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html."""

import os
import socket


def notify(state: str) -> None:
    """Send a state, such as READY=1 or WATCHDOG=1, if systemd began us."""
    if path := os.environ.get("NOTIFY_SOCKET"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
            channel.sendto(state.encode(), "\0" + path[1:] if path.startswith("@") else path)
