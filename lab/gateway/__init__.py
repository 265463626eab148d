"""Torture of a gateway: killed again and again, before an API that lies."""
