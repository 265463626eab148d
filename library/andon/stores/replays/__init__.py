"""Replays. `job.py` tells in its first lines how one goes on after a crash, with each figure; all work is done there.

`command.py` and `query.py` serve the routes, whose bodies `parameters.py` has; `listener.py` is a call of `job.work`;
`store.py` declares the table and the settings.
"""
