"""Answers for people: tables and coloured text. Imported only when somebody looks."""
