"""Fixtures, and the laws of the library, which its plugin brings to every package."""

pytest_plugins = ["andon.testing.plugin"]
