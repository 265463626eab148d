"""Orders: every view has the rows of its facts in whatever order they come; see `andon/testing/convergence.py`."""

import pytest

from andon.packages.discovery import views
from andon.testing.convergence import converges, stories_of, unread_by, view_of

STORIES = {package.name: stories_of(package.name) for package in views()}


@pytest.mark.parametrize(("view", "story"), [(view, story) for view in STORIES for story in STORIES[view]], ids=str)
def test_a_view_has_the_same_rows_whatever_order_duplicate_batch_crash_or_delay_its_events_meet(
    view: str, story: str
) -> None:
    converges(view_of(view), STORIES[view][story])


@pytest.mark.parametrize("view", STORIES)
def test_a_view_reads_each_sample_of_what_it_subscribes_to(view: str) -> None:
    unread = unread_by(view)

    assert not unread, "\n".join(unread)


def test_every_view_gets_all_that_it_subscribes_to() -> None:
    for package in views():
        delivered = {event.type for story in STORIES[package.name].values() for event in story}

        lacking = {event_type for _, event_type in package.subscriptions} - delivered
        assert not lacking, (
            f"no story of views/{package.name} has {', '.join(sorted(lacking))}: let samples be of one row, or tell it "
            f"in STORIES of tests/views/{package.name}/stories.py"
        )
