"""What is decided, with nothing from outside but the ports in `ports.py`."""
