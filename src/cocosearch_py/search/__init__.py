"""From a question to ranked answers: analyse, retrieve, rank, show."""
