"""Samples: those of a package whose requests stand beside its tests are what its handlers make of them."""

from andon.project import project
from andon.testing.recorder import recorded, samples_of, text_of


def test_samples_are_what_the_handlers_make() -> None:
    made = {path: text_of(sample) for package in recorded() for path, sample in samples_of(package).items()}
    kept = {path: (project().events / path).read_text() for path in made if (project().events / path).is_file()}

    assert kept == made, "run: andon samples"
