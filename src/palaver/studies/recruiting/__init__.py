"""Recruiting by a panel's API: a study offered there, its submissions, decisions and payments."""
