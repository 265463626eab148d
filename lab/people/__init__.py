"""Proofs about people and places: nobody's name is where it must not be, and no company sees another one."""
