"""The event log and its projections behind the port `Store`, one package a database."""
