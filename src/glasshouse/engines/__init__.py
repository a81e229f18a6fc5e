"""What runs a task, one package an engine."""
