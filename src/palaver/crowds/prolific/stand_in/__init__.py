"""A service that speaks as Prolific does, to try a study on and to test against."""
