"""Pipelines: chains of questions to an index, each of which works on what the one before it found.

`lexer` reads their text, `verbs` says which steps there are, `chain` checks that they fit together. `streams` does the
work of each step, lazily and by the services that the single tools ask; `running` joins them and keeps the bounds.
"""
