"""What is rotten in a repository: code that nobody uses, secrets in files, and copies."""
