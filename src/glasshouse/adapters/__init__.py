"""What stands behind the ports of core, one implementation a file."""
