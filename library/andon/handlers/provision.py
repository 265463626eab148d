"""who asks to be a thing, by a claim -> whether they may."""

import os
from functools import partial

from andon.handlers.declared import Handler, load, name_of, of_environment
from andon.ingress.provisioning import provision
from andon.wire import aws


def handler_of(package: str) -> Handler:
    """Return the pre-provisioning hook of a service."""
    ingress = load(package, "ingress").INGRESS
    return partial(provision, service=name_of(package), kinds=ingress.kinds, provisioning=ingress.provisioning)


handler = of_environment(handler_of)

# It takes a second of CPU, which initialisation has whole; a request, for which AWS IoT waits five, has half of one.
if "AWS_LAMBDA_INITIALIZATION_TYPE" in os.environ:
    aws.client("iot")
