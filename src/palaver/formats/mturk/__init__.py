"""Files of Mechanical Turk, which closed on 30 September 2026: what old studies have kept of it."""
