"""Profiles of hypothesis."""

from hypothesis import Phase, settings

# The same examples at every run, so that a submission fails for what it changed; no deadline on a busy machine.
settings.register_profile("andon", deadline=None, derandomize=True, database=None, max_examples=60)
settings.load_profile("andon")

# Every example is a series of writes to moto: fewer of them, and none spent on making a failing one smaller.
ON_TABLES = settings(max_examples=30, phases=[Phase.explicit, Phase.generate])
