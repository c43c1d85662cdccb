"""C, C++, Objective-C: a header beside the file, or one whose path ends like the text of the include."""

from cocosearch_py.languages.imports import (
    EXTERNAL,
    UNRESOLVED,
    Project,
    Resolution,
    folder_of,
    for_folder,
    join,
    nearest,
    to_file,
)
from cocosearch_py.model.references import Import

# Of C, C++ and POSIX; a project's own header of such a name is found beside the file only.
_STANDARD = frozenset(
    """assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic
    stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype unistd fcntl pthread
    dirent netdb poll pwd grp sched semaphore syslog termios dlfcn memory malloc strings windows winsock2""".split()
)


@for_folder
def resolve_import(project: Project, path: str, one: Import) -> Resolution:
    """Resolve `"x.h"`, `<x.h>` or x.h, with or without its quotes."""
    written = one.module
    angled = written.startswith("<")
    header = written.strip("<>\"' ").replace("\\", "/")
    if not angled and (beside := join(folder_of(path), header)) in project.paths:
        return to_file(beside)
    tail = header.lstrip("./")
    if not tail or tail.removesuffix(".h") in _STANDARD:
        return EXTERNAL
    if files := project.ending(tail):
        return to_file(nearest(path, files)[0])
    return EXTERNAL if angled or "." not in header else UNRESOLVED
