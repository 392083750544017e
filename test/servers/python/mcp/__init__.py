"""Stands for what a new server takes from the Python SDK, which no package of Debian has."""
