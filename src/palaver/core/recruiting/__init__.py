"""Records of recruiting: a study at a panel, what the panel says of people, and what is paid."""
