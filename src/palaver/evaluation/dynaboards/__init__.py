"""Boards of models: Dynascore with intervals, forks and snapshots."""
