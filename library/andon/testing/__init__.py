"""A project in one process: AWS in memory, the loop over it, and the laws of packages as a plugin of pytest."""
