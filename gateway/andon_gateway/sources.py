"""Sources of a configuration, each with the tags that machines use."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from andon_gateway.clock import Clock
from andon_gateway.config import Configuration
from andon_gateway.kinds import AnySource, LinesSource, MqttSource, OpcuaSource, SparkplugSource
from andon_gateway.lines import Lines
from andon_gateway.reading import Messages, Source
from andon_gateway.sparkplug_nodes import Nodes
from andon_gateway.tables import BadConfiguration
from andon_gateway.topics import Topics


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
    match settings:
        case LinesSource():
            return Lines(settings, tags=tags, messages=messages, clock=clock, counts=counts)
        case OpcuaSource():
            with needing("opcua", f"source {settings.name}"):
                from andon_gateway.opcua import Opcua  # noqa: PLC0415  the core needs no package
            return Opcua(settings, tags=tags, messages=messages, clock=clock, counts=counts)
        case MqttSource():
            reader: Topics | Nodes = Topics(tags, time=settings.time, quiet_ms=settings.quiet_ms, counts=counts)
        case SparkplugSource():
            reader = Nodes(tags, has_times=settings.has_times, counts=counts)
    with needing("mqtt", f"source {settings.name}"):
        from andon_gateway.mqtt import Mqtt  # noqa: PLC0415  the core needs no package
    return Mqtt(settings.name, settings.broker, reader, messages=messages, clock=clock, counts=counts)


@contextmanager
def needing(extra: str, place: str) -> Iterator[None]:
    """Name the missing extra of the distribution where an import fails.

    Raises:
        BadConfiguration: it fails.

    """
    try:
        yield
    except ImportError as error:
        raise BadConfiguration(f"{place}: pip install 'andon-gateway[{extra}]' first: {error}") from error
