"""A region is lost: the rows of services come back from the lake's copy in another one."""
