"""Definitions of Python that are alive although no code names them."""

import re

from cocosearch_py.languages.language import words
from cocosearch_py.languages.liveness import Liveness

_NEUTRAL = words("""
staticmethod classmethod property cached_property functools.cached_property abstractmethod abc.abstractmethod
abstractproperty contextmanager contextlib.contextmanager asynccontextmanager contextlib.asynccontextmanager
lru_cache functools.lru_cache cache functools.cache wraps functools.wraps total_ordering functools.total_ordering
singledispatch functools.singledispatch dataclass dataclasses.dataclass attr.s attrs.define define attrs.frozen frozen
final typing.final t.final overload typing.overload t.overload no_type_check runtime_checkable typing.runtime_checkable
t.runtime_checkable unique enum.unique deprecated typing_extensions.deprecated warnings.deprecated types.coroutine
""")
_ENTRIES = r"""
setup|conftest|noxfile|tasks|fabfile|manage|wsgi|asgi|urls|settings|sitecustomize|usercustomize|gunicorn\.conf|conf
|hatch_build|__main__|dodo|locustfile|scons\w*|wscript|\w+_pb2|\w+_pb2_grpc
"""
# A module of this name is run by its tool; a folder of one of these names has nothing else.
_PATHS = rf"(?x:(?:^|/)(?:{_ENTRIES})\.pyw?$|\.pyi$|(?:^|/)(?:migrations|versions|alembic)/[^/]+\.py$)"
_HOOKS = r"""
__\w+__|_(?:missing|generate_next_value|ignore|repr_\w+|ipython_\w+)_|pytest_\w+|(?:visit|depart|leave|generic_visit)_\w+
|(?:setUp|tearDown)(?:Class|Module)?|(?:setup|teardown)_(?:class|module|method|function)|asyncSetUp|asyncTearDown
|do_[A-Z]+|load_tests|main
"""
_PLAIN = words("""
object ABC abc.ABC ABCMeta Protocol typing.Protocol t.Protocol te.Protocol Generic typing.Generic t.Generic NamedTuple
typing.NamedTuple t.NamedTuple TypedDict typing.TypedDict t.TypedDict te.TypedDict Enum IntEnum StrEnum Flag IntFlag
enum.Enum enum.IntEnum enum.StrEnum enum.Flag enum.IntFlag
Exception BaseException ValueError TypeError KeyError IndexError LookupError AttributeError RuntimeError OSError IOError
ImportError NotImplementedError ArithmeticError AssertionError StopIteration Warning UserWarning DeprecationWarning
FutureWarning RuntimeWarning PendingDeprecationWarning dict list set tuple frozenset str int float bytes
""")

LIVENESS = Liveness(
    is_measured=True,
    comment=re.compile(r"\s*#"),
    quotes=('"""', "'''"),
    neutral=frozenset(_NEUTRAL),
    decorator=re.compile(r"\s*@\s*([\w.]+)"),
    hooks=re.compile(f"(?x:{_HOOKS})"),
    entries=re.compile(_PATHS),
    bases=re.compile(r"^\s*class\s+\w+[^(]*\((.*)\)\s*:?$"),
    plain_bases=frozenset(_PLAIN),
    registers=re.compile(r"\b__init_subclass__\b|\b__subclasses__\b|\bmetaclass\s*="),
    composed=re.compile(
        r"""["']([A-Za-z_]\w*)(?:\{|%s|%\(|["']\s*(?:\+|%|\.format))|(?:\}|%s|\)s|\+\s*["'])(_\w*[A-Za-z]\w*)["']"""
    ),
    looks_up=re.compile(
        r"\b(?:[gs]et|has)attr\b|\battrgetter\b|\bmethodcaller\b|\b(?:globals|locals|vars)\(|__dict__|\bdir\("
    ),
    reflects=re.compile(r"\b(?:globals|locals|vars)\(\)|\bsys\.modules\[|\binspect\.getmembers\b"),
    is_private=lambda name, _: name.startswith("_"),
    is_deferred=lambda line: line[:1].isspace(),
    published={
        "pyproject.toml": re.compile(r"^\[(?:project|tool\.poetry|tool\.flit\.metadata)\]", re.MULTILINE),
        "setup.py": re.compile(r"\bsetup\("),
        "setup.cfg": re.compile(r"^\[metadata\]", re.MULTILINE),
    },
)
