"""Accounts: who may look at a deployment, who may change it, and what proves it."""
