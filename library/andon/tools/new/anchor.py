"""The fact that a new rule decides upon, in the place of the template's own."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final, NamedTuple, Self

from andon.runtime.whole_number import is_whole
from andon.tools.new import template
from andon.tools.new.errors import NotNew
from andon.tools.new.known import Heard, is_time, only_fact
from andon.tools.new.words import HUMP, Name, Words

OF_TEXT: Final = """.optional_text("due")
    return None if date is None else times.to_ms(date)
"""
OF_NUMBER: Final = """.get("due")
    return date if isinstance(date, int) else None
"""
IN_NUMBERS: Final = {
    OF_TEXT: OF_NUMBER,
    "from andon.runtime import times\n": "",
    '"2026-01-02T00:00:00.000Z"': "1_767_312_000_000",
    "times.to_utc(NOW_MS + date * DAY_MS)": "NOW_MS + date * DAY_MS",
}
"""What a rule and its test say of a text that is a time -> of epoch milliseconds."""


class RuleAnchor(NamedTuple):
    """A fact, and the member of its entity with the date at which a rule is due; None: it waits for no date."""

    heard: Heard
    due_at: str | None

    @classmethod
    def of(cls, fact: str | None, due_at: str | None) -> Self:
        """Return the fact that somebody typed, by default the only one that there is.

        Raises:
            NotNew: nobody publishes it, or it says no such date.

        """
        found = cls(Heard.of(fact or only_fact()[0]), due_at)
        if due_at is not None and not found.is_in_text and not is_whole(found.heard.entity.get(due_at)):
            members = ", ".join(name for name in found.heard.entity if name != "id")
            raise NotNew(f"{due_at!r} is no date of {'/'.join(found.heard.topic)}, a time in UTC: it says {members}")
        return found

    @property
    def subject(self) -> Name:
        """The subject of the fact, as `thing`."""
        named = self.heard.entity_name if self.heard.shares_partition else self.heard.subject
        snake = HUMP.sub("_", named).lower()
        return Name(snake, snake)

    @property
    def is_in_text(self) -> bool:
        """True if the date is a text, and not a number of milliseconds."""
        return is_time(self.heard.entity.get(self.due_at or ""))

    def named(self, name: Name) -> list[tuple[Name, Name]]:
        """Return the words of the template's rules, and those of one that is called otherwise."""
        return [(template.RESTLESS, name), (template.OVERDUE, name), (template.THINGS, self.subject)]

    def slice(self, part: str) -> dict[PurePosixPath, str]:
        """Return the template's control service with the one of its rules; part: `first`, or `beside` others."""
        return template.control(template.RESTLESS if self.due_at is None else template.OVERDUE, part)

    def fitted(self, words: Words, text: str) -> str:
        """Return a file of the template with other words, and with this fact in the place of its own."""
        if self.due_at is not None and not self.is_in_text:
            for old, new in IN_NUMBERS.items():
                text = text.replace(old, new)
        return words.fitted(text, self._instead)

    @property
    def _id(self) -> str:
        """The id of what the sample is about: of what shares a partition, with an id of its own."""
        key = self.heard.event.partition_key
        return f"{key}:{self.heard.entity['id']}" if self.heard.shares_partition else key

    @property
    def _shared(self) -> Mapping[str, str]:
        """The ids of what events are about, where their partition keys are those of several."""
        if not self.heard.shares_partition:
            return {}
        own = f'.entity("{self.heard.entity_name}").text("id")'
        found = ("history.anchor", "anchor", "event")
        return {f"{one}.partition_key": f'":".join(({one}.partition_key, {one}{own}))' for one in found}

    @property
    def _instead(self) -> Mapping[str, str]:
        source, event_type = self.heard.topic
        return {
            **self._shared,
            '("things", "thing-moved")': f'("{source}", "{event_type}")',
            'source="things"': f'source="{source}"',
            '"thing-moved"': f'"{event_type}"',
            '"thing-1"': repr(self._id),
            "on_thing_moved": f"on_{event_type.replace('-', '_')}",
            'event.entity("thing")': f'event.entity("{self.heard.entity_name}")',
            '"due"': f'"{self.due_at}"',
            "due=DATE": f"{self.due_at}=DATE",
            "of the first of them": "of the first of them" if self.due_at is None else "of the date",
        }
