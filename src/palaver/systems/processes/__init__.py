"""Programs and Python of somebody's own, in processes that end with ours."""
