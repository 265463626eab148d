"""What was sent to people on this machine, as they would read it."""
