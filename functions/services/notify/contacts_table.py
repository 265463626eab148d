"""The table of addresses, and of nothing else: no stream, no history, and no backup older than a day has them.

| pk | sk | row |
|---|---|---|
| `Person#<id>` | `contact` | how a person is reached, versioned; after the erasure a fence without any address |
| `Person#<id>` | `code#<channel>` | a code that was sent to an address; it lives for ten minutes |
| `Person#<id>` | `test#<channel>` | that a test was asked for, as long as a code lives |
| `Person#<id>` | `verified#<channel>` | the address that answered with its code, and when |
"""

from typing import Final

from andon.dynamodb.client import Table
from andon.dynamodb.schema import Keys, TableSchema

KEYS = Keys("pk", "sk", one_partition_per="entity")
SCHEMA: Final = TableSchema(KEYS, recovery_days=1)
CONTACTS = Table("CONTACTS_TABLE", KEYS)

CONTACT: Final = "contact"
CODE: Final = "code#"
TEST: Final = "test#"
VERIFIED: Final = "verified#"
