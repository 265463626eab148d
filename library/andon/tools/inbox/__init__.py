"""Messages to people on this machine, as they would read them."""
