"""Calls to web services: connections, statuses, secrets, streams."""
