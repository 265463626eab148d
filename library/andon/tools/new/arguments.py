"""Arguments of `andon new KIND`; they need no project, so `--help` works anywhere."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

BY_ANOTHER_KEY: Final = "andon docs how-do-i#ask-a-view-by-another-key"
PER_DAY: Final = "andon docs how-do-i#sum-up-as-per-day"
ONE_ROW: Final = (
    "one row for each {one}: its second {name} is a new version of the first; with --time-based one for each time"
)
"""Shape of what a new fact records, unless it is time-based."""


class Subcommand(NamedTuple):
    """A subcommand: a line about it, and the function that adds its arguments to a parser; its module has a `make`."""

    about: str
    add_to: Callable[[ArgumentParser], None]


def _of_project(parser: ArgumentParser) -> None:
    """Add DIR, NAME and options."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="where it is to be: an empty folder, or none yet")
    parser.add_argument("name", metavar="NAME", help="of the project, as Permits")
    parser.add_argument("--service", metavar="THINGS", default="things", help="name of its first service, as permits")
    parser.add_argument("--one", metavar="THING", help="the singular of that, if it is irregular")
    _of_shape(parser)
    parser.add_argument("--view", metavar="NAME", help="name of its first view, as register; inventory without it")
    parser.add_argument("--no-view", action="store_true", help="without a view, which may be written later")
    rule = "name of its first rule, and of the service that decides by it; watch/restless without it"
    parser.add_argument("--rule", metavar="SERVICE/NAME", help=rule)
    parser.add_argument("--no-rule", action="store_true", help="without a rule, which may be written later")
    persons = "with a service of persons' names, too, which are erased: its name, as passengers; people without it"
    parser.add_argument("--person", metavar="PEOPLE", nargs="?", const="people", help=persons)
    parser.add_argument("--wheel", metavar="FILE", type=Path, help="the library's, to be put into its vendor/")


def of_service(parser: ArgumentParser) -> None:
    """Add NAME, its singular and fields."""
    parser.add_argument("name", metavar="NAME", help="of the service, a plural, as permits")
    parser.add_argument("--one", metavar="NAME", help="the singular of that, if it is irregular")
    _of_shape(parser)
    person = "they are persons, as passengers: their names, by id, until one is erased; --partition says where they are"
    parser.add_argument("--person", action="store_true", help=person)


def _of_shape(parser: ArgumentParser) -> None:
    """Add the words of a service's fact and fields, and its shape."""
    field = "what each of them says, as district: a text, of a time-based one a number; place or value without it"
    parser.add_argument("--field", metavar="FIELD", help=field)
    fact = "what its fact is called, as registered, or permit-registered; moved or recorded without it"
    parser.add_argument("--fact", metavar="VERB", help=fact)
    unique = "a text that no two of them have, as number: another one gets 409"
    parser.add_argument("--unique", metavar="FIELD", help=unique)
    date = "a time that each of them says, as endsAt, at which a rule may be due; several times"
    parser.add_argument("--date", metavar="FIELD", action="append", default=[], help=date)
    partition = "what they are grouped by, as station: a view of them is a list of each; itself without it"
    parser.add_argument("--partition", metavar="NAME", help=partition)
    timed = "each has a time of its own, and comes late and twice, as readings do; --partition says what of, as meter"
    parser.add_argument("--time-based", action="store_true", help=timed)


def of_view(parser: ArgumentParser) -> None:
    """Add NAME, facts, what is counted, and where its rows lie."""
    parser.add_argument("name", metavar="NAME", help="of the view, as register")
    of = "a fact that it shows, as permits/permit-moved; several times"
    parser.add_argument("--of", metavar="SOURCE/TYPE", action="append", default=[], help=of)
    count_by = "a text of its rows, as place, by which they are counted, wherever they move; no time: see below"
    parser.add_argument("--count-by", metavar="FIELD", help=count_by)
    objects = "keep its rows as one object of S3 for each day of the facts, which is read as a whole, with an ETag"
    parser.add_argument("--objects", action="store_true", help=objects)
    parser.epilog = f"a list of its rows by another key: {BY_ANOTHER_KEY}\na number or a sum per day: {PER_DAY}"


def of_fact(parser: ArgumentParser) -> None:
    """Add SERVICE and NAME."""
    parser.add_argument("service", metavar="SERVICE", help="a service of this project")
    parser.add_argument("name", metavar="NAME", help="what is recorded, as inspection")
    parser.add_argument("--field", metavar="FIELD", help="what each says: lines, of a time-based one a number")
    parser.add_argument("--fact", metavar="VERB", help="what the fact is called, as done; recorded without it")
    timed = "each occurrence is a row of its own, by its time, however late and often it comes"
    parser.add_argument("--time-based", action="store_true", help=timed)
    parser.epilog = ONE_ROW.format(name="inspection", one="thing")


def of_rule(parser: ArgumentParser) -> None:
    """Add SERVICE, NAME, a fact, and its date."""
    parser.add_argument("service", metavar="SERVICE", help="a control service, or the name of a new one")
    parser.add_argument("name", metavar="NAME", help="of the rule, as restless")
    parser.add_argument("--of", metavar="SOURCE/TYPE", help="the fact that it decides upon, as permits/permit-moved")
    due_at = "a date that the fact says, as endsAt, at which the rule decides"
    parser.add_argument("--due-at", metavar="FIELD", help=due_at)


KINDS: Final[Mapping[str, Subcommand]] = {
    "project": Subcommand("a project of its own, with a service, a view and a rule", _of_project),
    "service": Subcommand("a service with a command, a table and a fact of its own", of_service),
    "view": Subcommand("a view with a row for each subject of some facts, and a query of it", of_view),
    "fact": Subcommand("a fact more of a service, with a row, a command and a route of its own", of_fact),
    "rule": Subcommand("a rule over some facts; a new service of rules, if need be", of_rule),
}


def parser() -> ArgumentParser:
    """Return the parser of all kinds; what it reads has the name of the kind as `kind`, None if there is none."""
    whole = ArgumentParser(prog="andon new", description="Write something new that works and is tested.")
    kinds = whole.add_subparsers(dest="kind", metavar="KIND", title="kinds (more about one: andon new KIND --help)")
    for name, kind in KINDS.items():
        about = f"{kind.about[0].upper()}{kind.about[1:]}."
        kind.add_to(
            kinds.add_parser(name, help=kind.about, description=about, formatter_class=RawDescriptionHelpFormatter)
        )
    return whole
