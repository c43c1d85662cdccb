"""Whatever a project's file holds: a clear refusal or settings, and never a choice that is the user's."""

import tempfile
from pathlib import Path

import yaml
from hypothesis import given
from hypothesis import strategies as st

from cocosearch_py.config.keys import setting_rules, setting_values
from cocosearch_py.config.load import load_settings
from cocosearch_py.config.settings import Settings
from cocosearch_py.errors import ConfigurationError

SECRET = "sk-of-the-environment"
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["${KEY}", "x${KEY:-y}", "openai", "http://evil.example/${KEY}", "postgresql://evil/x", "*"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
settings = st.dictionaries(st.sampled_from(sorted(setting_rules())), values, max_size=4)


def write(chosen: dict[str, object], file: Path) -> None:
    content: dict[str, object] = {}
    for key, value in chosen.items():
        section, _, name = key.rpartition(".")
        (content.setdefault(section, {}) if section else content)[name] = value  # type: ignore[index]
    file.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")


@given(settings)
def test_a_projects_file_decides_nothing_for_the_user(chosen: dict[str, object]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(chosen, Path(folder) / "cocosearch.yaml")
        try:
            loaded = load_settings(start=Path(folder), environ={"KEY": SECRET})
        except ConfigurationError as error:
            assert error.message
            assert SECRET not in error.message
            return
    found, default = setting_values(loaded.settings), setting_values(Settings())
    assert SECRET not in str(found) + str(loaded)
    for key, rule in setting_rules().items():
        if rule.user_only:
            assert found[key] == default[key]
    assert {item.key for item in loaded.ignored} <= set(chosen)


@given(st.text(max_size=200))
def test_any_text_is_settings_or_a_clear_refusal(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "cocosearch.yaml").write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
        try:
            load_settings(start=Path(folder), environ={})
        except ConfigurationError as error:
            assert error.hint
