"""What is said between Glasshouse and the world: ids, tasks, events, errors. pydantic only, no I/O."""
