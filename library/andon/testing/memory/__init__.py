"""One AWS in memory: under production's own wire, thread-safe, and many times as fast as moto."""
