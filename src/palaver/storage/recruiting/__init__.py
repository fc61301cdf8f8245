"""Recruitments, what panels say of submissions, deliveries of hooks, payments, and budgets."""
