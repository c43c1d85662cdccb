"""Times of answers in the local time zone."""

from datetime import datetime


def local_time(text: str, form: str = "%Y-%m-%d %H:%M") -> str:
    """Format a UTC time of an answer in the local time zone."""
    return datetime.fromisoformat(text).astimezone().strftime(form)
