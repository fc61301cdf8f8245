"""Trained models as folders: weights, vocabulary, settings and a card; nothing that runs code."""
