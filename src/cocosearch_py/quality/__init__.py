"""The state of code: complexity, what is documented and tested, what changed since a commit."""
