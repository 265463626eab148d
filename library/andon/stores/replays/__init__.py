"""Replays. Begin with `job.py`: its first lines tell how one goes on after a crash, with each figure."""
