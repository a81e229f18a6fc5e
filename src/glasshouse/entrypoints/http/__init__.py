"""The HTTP door: it translates between requests and core, and decides nothing."""
