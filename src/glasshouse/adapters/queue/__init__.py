"""Which admitted task runs when, one implementation a file."""
