"""A system that was there before: a plain SQL table, kept in step with equipment, both ways."""
