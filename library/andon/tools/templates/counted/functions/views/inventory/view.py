"""Updates of inventory by event, whose rows are counted by place."""

from andon.dynamodb.schema import Keys, counted

BY_PLACE = Keys("place", "thing", one_partition_per="tenant")
INDEXES = {"ByPlace": counted(BY_PLACE)}
