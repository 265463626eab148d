"""The drill: a region is lost in the middle of writes, and another one goes on from the copy of its lake."""
