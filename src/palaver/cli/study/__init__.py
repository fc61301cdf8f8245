"""Commands about studies, their data and their people."""
