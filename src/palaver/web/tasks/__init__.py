"""The public pages of the evaluation server: boards, models, data sets, submissions."""
