"""requests to become a thing, by a claim -> yes or no."""

from functools import partial

from andon.handlers.declared import Handler, load, name_of, of_environment
from andon.ingress.provisioning import provision


def handler_of(package: str) -> Handler:
    """Return the pre-provisioning hook of a service."""
    ingress = load(package, "ingress").INGRESS
    return partial(provision, service=name_of(package), kinds=ingress.kinds, provisioning=ingress.provisioning)


handler = of_environment(handler_of)
