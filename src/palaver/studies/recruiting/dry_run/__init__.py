"""A dry run of recruiting: the whole way at a stand-in of the panel, in a home that is thrown away."""
