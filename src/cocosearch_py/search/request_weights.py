"""Effect of a request's weights on the files that a search found."""

from collections.abc import Mapping

from cocosearch_py.model.search import FileWeights
from cocosearch_py.storage.connection import Connection
from cocosearch_py.storage.queries.search import FileFacts, matching_globs
from cocosearch_py.storage.queries.target import Target


def file_factors(
    conn: Connection, target: Target, weights: FileWeights, paths: Mapping[int, FileFacts]
) -> dict[int, float]:
    """The product of all weights that fit, by file_id; files that none fits are left out.

    Args:
        paths: what is known of the candidates, by file_id.
    """
    factors: dict[int, float] = {}
    if not weights:
        return factors
    by_language = dict(weights.languages)
    for file_id, (path, language, _) in paths.items():
        name = path.lower()
        fitting = [factor for extension, factor in weights.extensions if name.endswith(f".{extension}")]
        if language in by_language:
            fitting.append(by_language[language])
        for factor in fitting:
            factors[file_id] = factors.get(file_id, 1.0) * factor
    if weights.paths:
        for file_id, number in matching_globs(conn, target, [glob for glob, _ in weights.paths], list(paths)):
            factors[file_id] = factors.get(file_id, 1.0) * weights.paths[number][1]
    return factors
