"""Macros and dialects of C and C++: what a compiler accepts is parsed whole, with its definitions."""

import time

import pytest

from cocosearch_py.languages.c_family import repair, repairs
from cocosearch_py.parsing import parse_source

CPP = {
    "template <typename S,\n          LIB_ENABLE_IF(is_a<S>::value&&  //\n                        is_b<S>::value)>\n"
    "LIB_CONSTEVAL LIB_INLINE auto one(const S& s) -> int {\n  return 1;\n}\n": "one",
    "struct S {\n  enum : unsigned { low = 0x7, high = 0x8 };\n"
    "  void put(size_t n) { data = (data & ~low) | (unsigned(n) << high); }\n};\n": "S low high put",
    "template class Access<Tag, &std::filebuf::place>;\nint after() { return 1; }\n": "after",
    "template <typename... T> void args(const T&...) = delete;\nint after() { return 1; }\n": "after args",
    "int both() {\n  LIB_TRY {\n    a();\n    b();\n    c();\n    d();\n    e();\n    f();\n  }\n"
    "  LIB_CATCH(const std::bad& e) {\n    g();\n  }\n  return 1;\n}\n": "both",
    "template <typename T>\n#if LIB_CLANG >= 307 && !LIB_ICC\n__attribute__((no_sanitize(\"undefined\")))\n#endif\n"
    "inline auto reserve(T it) -> int {\n  return 1;\n}\n": "reserve",
    "template <typename J, typename T>\nauto read(const J& j, T& a, tag<3> /*unused*/)\n-> decltype(\n"
    "    a.reserve(std::declval<typename T::size_type>()),\n    j.template get<typename T::value_type>(),\n"
    "    void())\n{\n    return 1;\n}\n": "read",
    "namespace n {\nlib_inline constexpr bool fast() {\n  return true;\n}\n}\n": "fast",
}  # fmt: skip
C = {
    "typedef int (reader_t)(int);\nextern reader_t *LIB_MUTABLE reader;\nint f(void) { return 1; }\n": "reader f",
    "static DWORD WINAPI loop(void* param);\nstatic DWORD WINAPI loop(void* param) { return 1; }\n": "loop",
    "enum kinds {\n#define OP(a) kind_##a,\n\tALL_THE_KINDS\n#undef OP\n\tlast_kind\n};\n": "kinds last_kind",
    "static const long steps[] = {\n#define STEP(a, b)\t\\\n\tb,\n\tALL_THE_STEPS\n#undef STEP\n};\n": "steps",
    "proto(, heap, node_t);\n\nint f(void) { return 1; }\n": "f",
    "struct zone {\n\tvoid (*each)(int, void (^)(void *, int));\n};\n": "zone each",
    "int f(int a) {\n\tif (a)\n\t\tswap(long, a, b)\n\telse\n\t\tswap(char, a, b)\n\treturn a;\n}\n": "f",
    "int f(ref_t __unused s, const void __unused *p) {\n    return 1;\n}\n": "f",
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "source", "names"),
    [*(("cpp", *pair) for pair in CPP.items()), *(("c", *pair) for pair in C.items())],
)
def test_files_are_parsed_whole(language: str, source: str, names: str) -> None:
    parsed = parse_source(language, source.encode())
    assert (parsed.status.value, parsed.error) == ("ok", "")
    assert set(names.split()) <= {one.name for one in parsed.symbols}


def test_a_comment_at_the_end_of_a_line_is_no_name_before_a_macro() -> None:
    rows = "".join(f"  LIB_INC({10**n}), LIB_INC({10**n}),  // {8 * n}\n" for n in range(1, 6))
    source = f"template <typename T> void f(T) = delete;\nstatic const int table[] = {{\n{rows}}};\n".encode()
    for turn in range(3):
        mended = bytearray(source)
        for at, text in repair(source, [(0, len(source))], turn):
            mended[at : at + len(text)] = text
        assert mended.count(b"\n  LIB_INC(") >= 4, turn  # the first may be an enumerator


@pytest.mark.parametrize("unit", [b"A_B(", b"decltype(", b"enum : a ", b"#define X(a) \\\n", b"x_y(,", b"\nab (a)\n"])
def test_repairs_take_time_in_proportion(unit: bytes) -> None:
    source = unit * (20_000 // len(unit))
    started = time.thread_time()
    for turn in range(3):
        for at, text in repair(source, [(0, len(source))], turn):
            assert 0 <= at <= len(source) - len(text)
    assert time.thread_time() - started < 60  # what grows with the square takes hours


def test_a_pattern_is_looked_for_where_it_matches() -> None:
    more = (
        "f<A, &B::c>(1);\nx.operator[](1);\nx.operator()<int>(1);\n(a.*(b))(1);\na = typename T::type(1);\n",
        "MY_TRY { f(); } MY_CATCH (...) { g(); }\nextern template class A<int>;\nenum : int { B };\n",
    )
    seen = set()
    for source in (one.encode() for one in (*CPP, *C, *more)):
        for pattern, held in repairs._HELD.items():
            if pattern.search(source):
                seen.add(pattern)
                assert held.search(source), (pattern, source)
    assert seen == set(repairs._HELD)


def test_what_a_turn_has_found_is_of_its_source_alone() -> None:
    sources = [one.encode() for one in (*CPP, *C)]
    errors = {source: [(0, len(source))] for source in sources}
    alone = {
        (source, turn): list(repair(bytes(bytearray(source)), errors[source], turn))
        for source in sources
        for turn in range(3)
    }
    for turn in range(3):
        for source in sources:
            assert list(repair(source, errors[source], turn)) == alone[source, turn]
    for source in sources:
        for turn in range(3):
            assert list(repair(source, errors[source], turn)) == alone[source, turn]
