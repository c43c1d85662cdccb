"""Pages that people and agents keep about a repository, in every version."""
