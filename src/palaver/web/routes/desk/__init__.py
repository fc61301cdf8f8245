"""The routes of the researcher's desk."""
