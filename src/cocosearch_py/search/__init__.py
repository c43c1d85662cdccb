"""From a question to ranked answers: query analysis, two legs, fusion, ranking of files, context."""
