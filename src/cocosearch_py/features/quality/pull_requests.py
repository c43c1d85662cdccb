"""A pull request of GitHub, asked from its API: nothing of it is fetched, and no other host is asked."""

import http.client
import json
import ssl
from dataclasses import dataclass

from cocosearch_py.errors import NotFoundError, ServiceError

_HOST = "api.github.com"
_TIMEOUT_S = 15.0
_MAX_BYTES = 4 * 2**20
_NOT_FOUND, _REFUSED = 404, (401, 403)


@dataclass(frozen=True, slots=True)
class GitHubPullRequest:
    """A pull request, with its branches and last commit."""

    number: int
    title: str
    base: str
    head: str
    head_commit: str


def ask_pull_request(owner: str, name: str, number: int, token: str | None) -> GitHubPullRequest:
    """Ask GitHub for a pull request.

    Raises:
        NotFoundError: there is none, or the token may not see it.
        ServiceError: GitHub cannot be reached, or does not answer as it should.
    """
    headers = {"Accept": "application/vnd.github+json", "User-Agent": "cocosearch-py"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    connection = http.client.HTTPSConnection(_HOST, timeout=_TIMEOUT_S, context=ssl.create_default_context())
    try:
        connection.request("GET", f"/repos/{owner}/{name}/pulls/{number}", headers=headers)
        answer = connection.getresponse()
        status, body = answer.status, answer.read(_MAX_BYTES)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise ServiceError(
            f"GitHub cannot be reached: {type(error).__name__}",
            hint="without a network, pass the base of the pull request as since_ref",
        ) from None
    finally:
        connection.close()
    return read_pull_request(f"{owner}/{name}#{number}", number, status, body)


def read_pull_request(shown: str, number: int, status: int, body: bytes) -> GitHubPullRequest:
    """The pull request in an answer of the API.

    Raises:
        NotFoundError, ServiceError.
    """
    token_hint = "set GITHUB_TOKEN or GH_TOKEN to a token that may read the repository"
    if status == _NOT_FOUND:
        raise NotFoundError(f"GitHub has no pull request {shown}", hint=f"if it is private, {token_hint}")
    if status in _REFUSED:
        raise ServiceError(f"GitHub refuses to show {shown} ({status})", hint=token_hint)
    try:
        found = json.loads(body) if status == http.client.OK else {}
        return GitHubPullRequest(
            number, str(found["title"]), str(found["base"]["ref"]), str(found["head"]["ref"]), str(found["head"]["sha"])
        )
    except (ValueError, TypeError, KeyError):
        raise ServiceError(f"GitHub does not show {shown} ({status})", hint="pass since_ref instead") from None
