"""Notices: who is told what of a study, once for each occasion, by letter or by a hook of theirs."""
