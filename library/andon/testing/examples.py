"""Profiles of hypothesis."""

from hypothesis import Phase, settings

from andon.testing.environment import is_quick


def most(examples: int) -> int:
    """Return how many examples a property is tried on; in a quick run an eighth."""
    return examples // 8 + 1 if is_quick() else examples


# The same examples at every run, so that a submission fails for what it changed; no deadline on a busy machine.
settings.register_profile("andon", deadline=None, derandomize=True, database=None, max_examples=most(60))
settings.load_profile("andon")

# Every example is a series of writes to moto: fewer of them, and none spent on making a failing one smaller.
ON_TABLES = settings(max_examples=most(30), phases=[Phase.explicit, Phase.generate])
