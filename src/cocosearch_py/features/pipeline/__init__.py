"""Pipelines: chains of queries, where each step works on the results of the step before."""
