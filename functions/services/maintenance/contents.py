"""Photos and documents of orders, each once in the bucket of maintenance."""

from typing import Final

from andon.content.contents import Contents
from services.maintenance.tables import TABLE

CONTENTS: Final = Contents(TABLE, "ATTACHMENTS_BUCKET")
