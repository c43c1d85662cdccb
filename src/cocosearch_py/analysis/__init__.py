"""Words of code and questions: splitting, stemming, term weights, what a path says. For indexing and search."""
