"""Andon. On Lambda, whatever is imported from it first makes the collector of cycles run seldom."""

import gc
import os

# Modules stay alive, and a batch has some thousand objects, none of them in a cycle: what is no longer used is freed
# without a collection. It runs before all other imports, for those of a handler would lead to a hundred collections.
if "AWS_LAMBDA_INITIALIZATION_TYPE" in os.environ:
    gc.set_threshold(20_000)
