"""What raters are handed and what they answered."""
