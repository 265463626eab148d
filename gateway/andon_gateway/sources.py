"""Sources of a configuration, each with the tags that machines use."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping

from andon_gateway.clock import Clock
from andon_gateway.config import Configuration
from andon_gateway.kinds import AnySource, OpcuaSource
from andon_gateway.lines import Lines
from andon_gateway.reading import Messages, Source
from andon_gateway.tables import BadConfiguration


def sources_of(
    configuration: Configuration, messages: Messages, clock: Clock, counts: Counter[str]
) -> Mapping[str, Source]:
    """Return sources that have not begun.

    Raises:
        BadConfiguration: what a kind needs is not installed.

    """
    tags: defaultdict[str, set[str]] = defaultdict(set)
    for wired in configuration.machines.values():
        tags[wired.source] |= set(wired.tags.values())
    return {one.name: _made(one, tags[one.name], messages, clock, counts) for one in configuration.sources}


def _made(settings: AnySource, tags: Collection[str], messages: Messages, clock: Clock, counts: Counter[str]) -> Source:
    if isinstance(settings, OpcuaSource):
        try:
            from andon_gateway.opcua import Opcua  # noqa: PLC0415  the core needs no package
        except ImportError as error:
            raise BadConfiguration(
                f"source {settings.name}: pip install 'andon-gateway[opcua]' first: {error}"
            ) from error
        return Opcua(settings, tags=tags, messages=messages, clock=clock, counts=counts)
    return Lines(settings, tags=tags, messages=messages, clock=clock, counts=counts)
