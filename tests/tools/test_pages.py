"""`andon docs`: each link of a page is a name under which the command shows what it leads to, or plain words."""

import re
from functools import cache
from pathlib import Path

import pytest

from andon.testing.installed import python
from andon.tools import docs
from andon.tools.docs_index import LINK, listed_in
from andon.tools.new.template import PROJECT

pages = cache(docs.pages)

NAMED = re.compile(r" \[([\w/.-]+(?:#[^\]\s]+)?)\]")


@pytest.mark.parametrize("page", pages())
def test_links_of_a_page_are_names_that_the_command_knows_or_plain_words(page: str) -> None:
    shown = docs.CODE.sub("", docs.shown(pages(), page) or "")
    said = NAMED.findall(shown)

    for _, target in LINK.findall(docs.CODE.sub("", pages()[page])):
        path, _, anchor = target.partition("#")
        file = ((docs.SOURCE / page).parent / path).resolve() if path else docs.SOURCE / f"{page}.md"
        if file.suffix == ".md" and file.is_relative_to(docs.SOURCE):
            name = str(file.relative_to(docs.SOURCE).with_suffix("")) + (f"#{anchor}" if anchor else "")
            said.remove(name)
            assert docs.shown(pages(), name), target
    assert [name for name in said if docs.shown(pages(), name)] == []
    assert LINK.findall(shown) == []


def test_the_readme_of_a_new_project_names_sections_that_there_are() -> None:
    readme = (PROJECT / "README.md").read_text()
    named = re.findall(r"^\|.*\| `([\w#-]+)` \|$", readme, re.MULTILINE)

    assert len(named) > 5
    assert [name for name in named if not docs.shown(pages(), name)] == []


def test_each_page_of_the_index_is_listed_and_shown() -> None:
    said = docs.listed(pages())

    for one in listed_in(pages()["README"]):
        name = one.path.removesuffix(".md")
        assert f"  {name} " in said
        assert docs.shown(pages(), name)


QUESTIONS = {
    "what does down lose": "how-do-i#know-what-down-loses",
    "what does it cost idle": "how-do-i#know-what-it-costs-idle-while-nothing-happens",
    "rename a member": "recipes#rename-a-member-the-upcaster-whole",
    "sum per day": "how-do-i#sum-up-as-per-day",
    "ask a view by another key": "how-do-i#ask-a-view-by-another-key",
    "a unique name": "how-do-i#keep-a-name-unique",
    "how to erase a person": "erase-a-person#erase-a-person",
    "do without libcurl": "how-do-i#do-without-libcurl",
    "how do I add a view": "recipes#add-a-view",
    "bring back what expired": "lake#bring-back-what-expired",
    # asked of such libraries, in:
    # https://github.com/aws/eventbridge-kafka-connector/issues/230
    "messages in SQS are in random order EventBridge": "order-on-eventbridge#order-on-eventbridge",
    # https://github.com/kurrent-io/KurrentDB/issues/1605
    "the same event received multiple times": "patterns/inverse-optimistic-lock#inverse-optimistic-lock",
    # https://github.com/aws-powertools/powertools-lambda-dotnet/issues/164
    "duplicate events idempotency": "patterns/inverse-optimistic-lock#inverse-optimistic-lock",
    # https://github.com/EventStore/documentation/issues/431
    "exactly once processing": "guarantees#what-is-not-promised",
    # https://github.com/solita/solita.github.com/pull/376
    "one bad record blocks the shard": "patterns/fault#fault",
    # https://github.com/AxonFramework/ReferenceGuide/pull/71
    "replay past events to one projection": "lake#replay",
    # https://github.com/JasperFx/marten/issues/1720
    "zero downtime projection rebuild": "rebuild-a-view#rebuild-a-view",
    # https://www.cruxible.dev/learn/sd48-eventual-consistency-cqrs
    "read your own writes eventual consistency": "patterns/read-your-writes#read-your-writes",
    # https://github.com/commanded/recipes/issues/5
    "rename event fields upcasting": "recipes#change-the-shape-of-an-event",
    # https://github.com/eventflow/EventFlow/issues/572
    "GDPR right to be forgotten": "erase-a-person#erase-a-person",
    # https://github.com/aws/aws-sam-cli/issues/5058
    "test dynamodb streams locally": "running#running-it",
    # https://github.com/aws-powertools/powertools-lambda-python/issues/2352
    "reduce cold start import time": "coming-from-powertools#what-it-costs",
    # https://discuss.axoniq.io/t/set-base-consistency-validation-using-unique-field-on-event/3446
    "unique email constraint": "how-do-i#keep-a-name-unique",
    # https://github.com/pawelkaczor/akka-ddd/issues/3
    "saga schedule timeout": "how-do-i#do-something-at-a-deadline",
    # https://github.com/JasperFx/marten/issues/754
    "multi tenancy event store": "how-do-i#keep-tenants-apart-multi-tenancy",
    # https://github.com/lambci/lambci/pull/132
    "idle cost when there is no traffic": "how-do-i#know-what-it-costs-idle-while-nothing-happens",
    # https://github.com/aws-samples/serverless-patterns/issues/1763
    "outbox dual write": "patterns/database-first-events#database-first-events",
    # https://github.com/event-driven-io/emmett/pull/11
    "optimistic concurrency expected version": "patterns/optimistic-lock#optimistic-lock",
}


@pytest.mark.parametrize(("asked", "answer"), QUESTIONS.items())
def test_a_question_in_plain_words_is_answered_among_the_first_three(asked: str, answer: str) -> None:
    assert answer in [f"{page}#{one.anchor}" for page, one in docs.found(pages(), asked.split())[:3]]


def test_they_are_there_without_a_project(wheel: Path, tmp_path: Path) -> None:
    shipped = wheel / "andon" / "tools" / "pages"
    written = {file.relative_to(docs.SOURCE): file.read_text() for file in docs.SOURCE.rglob("*.md")}

    said = python("-m", "andon.tools.cli", "docs", "how-do-i#count", imports=(wheel,), cwd=tmp_path)

    assert {file.relative_to(shipped): file.read_text() for file in shipped.rglob("*") if file.is_file()} == written
    assert said.startswith("## count\n\n")
