"""Knowledge about a piece of equipment beside its events: its place, its people on duty, its chains."""

from functools import partial
from typing import Final, NamedTuple

from andon.rules.rule import History
from andon.rules.stored_event import CorrelationKey
from contract import factories
from contract.chains import NO_PERSONS, Chain, chains_in
from contract.duty import Roster
from contract.factories import Place
from services.dispatch import roster
from services.dispatch.chains import CHAINS
from services.dispatch.erased import erased_among
from services.dispatch.roster import ROSTERS
from services.dispatch.tables import KEYS, TABLE, equipment_in, partition_of

NOBODY: Final = Roster((), None)


class Known(NamedTuple):
    """The context of dispatch's rules; the roster is without the erased people in `gone`.

    roster: None: there is none, or nobody is left on it.
    """

    place: Place
    roster: Roster | None
    chains: tuple[Chain, ...] = ()
    gone: frozenset[str] = frozenset()

    def on_duty(self, at_ms: int) -> Roster:
        """Return the people on duty at a time, on the line of the equipment."""
        return NOBODY if self.roster is None else self.roster.at(at_ms, self.place.line_id)

    def supervisor_at(self, at_ms: int) -> str | None:
        """Return the supervisor on duty at a time, or, where none is, that of the roster."""
        return self.on_duty(at_ms).supervisor or (self.roster and self.roster.supervisor)


def known_of(key: CorrelationKey) -> Known | None:
    """Read the knowledge of a piece of equipment; None: its factory is unknown, or has neither roster nor chains."""
    place = factories.place_of(TABLE.get(factories.key_of(KEYS, partition_of(equipment_in(key))), consistent=True))
    if place is None:
        return None
    of_roster, of_chains = TABLE.get_many([ROSTERS.key_of(place.factory_id), CHAINS.key_of(place.factory_id)])
    there, begun = None if of_roster is None else Roster.of(of_roster), chains_in(of_chains)
    if begun:
        return _with_chains(place, there, begun)
    left = there and roster.on_duty(there, equipment_in(key), partial(erased_among, TABLE))
    return left and Known(place, left)


def _with_chains(place: Place, there: Roster | None, begun: tuple[Chain, ...]) -> Known:
    """Return the context where chains may ask any of the people whom roster and chains name."""
    of_chains = (step.tell for chain in begun for step in chain.steps if step.tell not in NO_PERSONS)
    gone = erased_among(TABLE, [*(there.people if there else ()), *of_chains])
    return Known(place, there and roster.if_any(there.without(gone)), begun, gone)


def known_in(history: History) -> Known:
    """Return the context of a rule that needs one."""
    return history.context_as(Known)


def has_roster(context: object) -> bool:
    """Return True if there is somebody on a roster."""
    return isinstance(context, Known) and context.roster is not None


def has_chains(context: object) -> bool:
    """Return True if there are chains."""
    return isinstance(context, Known) and bool(context.chains)
