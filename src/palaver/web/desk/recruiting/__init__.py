"""Recruiting at the desk: a study at a panel, its submissions, decisions and payments."""
