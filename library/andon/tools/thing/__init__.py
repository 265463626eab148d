"""Things of a deployment, each with a certificate of its own."""
