"""What `make bench` runs: our figures and their floors, side by side in one run."""
