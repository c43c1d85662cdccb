"""The fact tables, by name. A module in this folder declares one as `TABLE`; there is no other list of them."""

from importlib import import_module
from pkgutil import iter_modules

from cocosearch_py.storage.schema.registry import FactTable

TABLES: dict[str, FactTable] = {
    name: import_module(f"{__name__}.{name}").TABLE for name in sorted(module.name for module in iter_modules(__path__))
}
