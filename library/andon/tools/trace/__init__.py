"""One fact from its cause to all that followed from it, out of the lake."""
