"""Jobs: claimed, worked on, and finished or given up."""
