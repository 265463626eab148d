"""Names of the variables that the infrastructure sets for senders, from the stage's settings."""

from typing import Final

MAIL_FROM: Final = "MAIL_FROM"  # the address that mail comes from, and that push services may write to
SMS_MOST_DOLLARS: Final = "SMS_MOST_DOLLARS"  # for one message, as `0.25`
SMS_PER_DAY: Final = "SMS_PER_DAY"  # of all recipients together
WEBHOOK_HOSTS: Final = "WEBHOOK_HOSTS"  # separated by spaces
PUSH_HOSTS: Final = "PUSH_HOSTS"  # separated by spaces
PUSH_SECRET: Final = "PUSH_SECRET"  # noqa: S105  the name of the variable that names the secret
LINK_SECRET: Final = "LINK_SECRET"  # noqa: S105  the name of the variable that names the secret
LINK_HOURS: Final = "LINK_HOURS"  # so long a link counts
DEFAULT_LINK_HOURS: Final = 4
LINK_ORIGIN: Final = "LINK_ORIGIN"  # of the page that links lead to, as `https://things.example.com`

# On one machine all requests to hosts go to this server instead, as `…/<host><path>`: set where the stage is local. It
# can be nothing but a port of the function's own machine, so that by mistake nobody else is reached.
SINK: Final = "OUTBOUND_SINK"
