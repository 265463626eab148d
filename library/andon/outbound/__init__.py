"""The external service gateway: people are told through channels that others own, at most twice and never silently.

One way: an event wakes the sender (`sender.py`) -> what waits for its recipient (`gateway.py`) -> the next step
(`step.py`) -> a claim (`mailbox.py`) -> one call of a channel (`channel.py`) -> the mark of how it ended.
"""
