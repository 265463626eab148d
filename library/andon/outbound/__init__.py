"""The external service gateway: people are told through channels that others own, at most twice and never silently.

How a message is sent once is told, and done, in `sender.py`; what a service and a channel must know of it is
`delivery.py`, a call of a provider `provider.py`.
"""
