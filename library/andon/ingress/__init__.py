"""Things that publish to AWS IoT's broker -> events. Pure but for `ingest`."""
