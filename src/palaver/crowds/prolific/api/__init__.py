"""Prolific's API, call by call, by what is asked for."""
