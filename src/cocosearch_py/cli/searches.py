"""Searches on a terminal."""

from cocosearch_py.cli.remarks import on_search
from cocosearch_py.cli.session import Session
from cocosearch_py.cli.views.searching import show_search
from cocosearch_py.features.search.arguments import SearchCodeArguments
from cocosearch_py.features.search.service import Searched


def hits(session: Session, searched: Searched, asked: SearchCodeArguments) -> None:
    """Show the notes on a search, then its hits."""
    on_search(session, searched, asked)
    show_search(session, searched, asked)
