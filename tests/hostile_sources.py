"""Sources that no author would write, made for tests: each grammar's own, damaged; nesting, long lines, encodings."""

import codecs
import random
from collections.abc import Iterator

from cocosearch_py.languages.table import LANGUAGES
from cocosearch_py.parsing.parsers import has_grammar

# One small source for each language with a grammar; the lines between begin with three signs and name it.
_TEXT = r'''
=== bash
greet() {
  local name="$1"
  echo "hi ${name:-you}" | tr a-z A-Z
}
=== c
#include <stdio.h>
static int add(int a, int b) {
  return a + b; /* sum */
}
=== cpp
template <typename T>
class Box : public Base<T> {
 public:
  explicit Box(T v) : v_(v) {}
  T v_;
};
=== csharp
namespace A {
  public class B<T> where T : C {
    public int X { get; set; } = 1;
  }
}
=== css
@media (max-width: 9px) {
  a:hover > .b::after { content: '\201C'; color: #fff; }
}
=== dart
class A extends B with C {
  final int x;
  A(this.x);
  Future<int> f() async => await g('$x');
}
=== dockerfile
FROM a:1 AS b
RUN apt-get update && \
    apt-get install -y c
CMD ["x", "y"]
=== elixir
defmodule A.B do
  @doc """
  Says #{1 + 1}.
  """
  def f(x) when x > 0, do: {:ok, ~r/a/}
end
=== go
package a

// F does.
func (r *R[T]) F(x int) (string, error) {
	return `raw`, nil
}
=== haskell
module A where

-- | Says.
f :: Int -> Maybe a
f x = do
  y <- g x
  let z = y
  return (z, \w -> w)
=== hcl
resource "a" "b" {
  x = "${var.y}-z"
  y = <<EOT
text
EOT
}
=== html
<!DOCTYPE html>
<div class="a"><script>let x = 1 < 2;</script><br><!-- c --></div>
=== java
package a;
@B(c = 1)
public class A<T> extends D {
  /** Doc. */
  int f(int... x) throws E { return x[0]; }
}
=== javascript
export class A extends B {
  async *f({a, ...b} = {}) { yield `t${a}` ?? /re[/]/g; }
}
=== json
{"a": [1, 2.5e3, true, null], "b": {"c": "\u00e9\n"}}
=== julia
module A
function f(x::T; y=1) where {T<:Real}
    return "$(x + y)" .* r"a"
end
end
=== jupyter
{"cells": [{"cell_type": "code", "source": ["x = 1\n"], "outputs": []}], "nbformat": 4}
=== kotlin
package a
/** Doc. */
class A<T>(val x: Int) : B() {
  fun f(): String = "v $x ${x + 1}"
}
=== lua
local M = {}
function M.f(a, ...)
  return [[long]] .. #a -- c
end
return M
=== make
X := $(shell a)
all: b.o
	@echo $(X) $<
ifdef Y
b: c
endif
=== markdown
# Title

- a
  - b `c`

```py
x = 1
```

| a | b |
|---|---|
=== ocaml
module A = struct
  let rec f x = function
    | Some y -> x ^ y (* c *)
    | None -> ""
end
=== ocaml_interface
module type A = sig
  val f : int -> string list
  type t = B of int | C
end
=== php
<?php
namespace A;
final class B extends C {
  public function f(int $x): string { return "v {$x}"; }
}
=== python
class A(B):
    """Doc."""

    @c
    async def f(self, *x: int) -> str:
        return f"{x!r:>{9}}"
=== ruby
module A
  class B < C
    def f(x = 1, *y)
      %w[a b].map { |z| "#{z}" } <<~T
        text
      T
    end
  end
end
=== rust
impl<'a, T: B> A<'a, T> {
    pub fn f(&self) -> Option<u8> { r#"raw"#; vec![1]; Some(b'x') }
}
=== scala
object A extends B {
  def f[T](x: Int)(implicit y: T): String = s"v $x" match { case _ => """t""" }
}
=== solidity
pragma solidity ^0.8.0;
contract A is B {
  function f(uint x) public view returns (uint) { return x; }
}
=== sql
CREATE TABLE a (id INT PRIMARY KEY, b TEXT);
SELECT a.b FROM a JOIN c ON a.id = c.id WHERE b LIKE '%x%';
=== svelte
<script lang="ts">
  export let x = 1;
</script>
{#if x}<p class={x}>{x}</p>{:else}no{/if}
<style>p { color: red }</style>
=== swift
public struct A<T>: B {
  let x = "v \(1 + 1)"
  func f(_ y: Int) throws -> T? { guard y > 0 else { return nil } }
}
=== toml
[a.b]
x = "y"
z = [1, 2.0, 1979-05-27]
[[c]]
d = """
raw"""
=== tsx
export const A: FC<P> = ({x}: P) => <B y={x as number}>{x ? <></> : null}</B>;
=== typescript
export abstract class A<T> implements B {
  constructor(private readonly x?: number) {}
  abstract f<K extends keyof T>(k: K): T[K];
}
=== xml
<?xml version="1.0"?>
<a xmlns:b="c"><b:d e="f"/><![CDATA[raw]]><!-- g --></a>
=== yaml
a: &x
  - b: |
      text
  - {c: [1, 2], <<: *x}
---
d: 'e'
=== zig
const std = @import("std");
pub fn f(comptime T: type, x: []const T) !void {
    for (x) |y| _ = y;
}
'''
SAMPLES = {
    head: source.encode() for head, _, source in (part.partition("\n") for part in _TEXT.strip("\n").split("=== ")[1:])
}
_SIGNS = b"()[]{}<>\"'`#$\\/*\n\t =;:,@!%&|-"
# Found by damaging sources: tree-sitter's Kotlin grammar never comes to an end with it.
ENDLESS_KOTLIN = (
    b'{g\nr\n` []npu#Sturn@-1\n  adA)\n    0\n\n    overri`e fun skip( ount: Long): Long"= discard(count)\n\n'
    b'    ov=rr#de fun cl"s*() {\n        th;s@asStfset,\tl!ngth)\n    0\n\n'
    b'    overri`e fun skip( ount: Long): Long"= discard(count)\n\n    ov=rr#de fun cl"s*() {\n'
    b'        th;s@asStfset,\tl!ngth)\n    0\n\n    overri`e fun skip( ount: Long): Long"= discard(count)\n\n  '
)


def grammars() -> list[str]:
    """Ids of all languages with a grammar here."""
    return sorted(language_id for language_id in LANGUAGES if has_grammar(language_id))


def file_name(language_id: str, stem: str) -> str:
    """A name by which a file is taken to be in a language."""
    language = LANGUAGES[language_id]
    return f"{stem}{language.extensions[0]}" if language.extensions else f"{stem}/{language.filenames[0]}"


def damaged(sample: bytes, chance: random.Random) -> bytes:
    """A source with pieces cut out, repeated, doubled many times, or overwritten."""
    source = bytearray(sample * chance.choice([1, 1, 5, 40]))
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(source) + 1)
        end = min(len(source), at + chance.randrange(1, 80))
        kind = chance.randrange(6)
        if kind == 0:
            del source[at:]
        elif kind == 1:
            del source[at:end]
        elif kind == 2:
            source[at:at] = source[at:end] * chance.choice([2, 10, 100])
        elif kind == 3:
            source[at:at] = bytes([chance.choice(_SIGNS)]) * chance.choice([1, 3, 300, 3000])
        elif kind == 4:
            source[at:at] = chance.randbytes(chance.randrange(20))
        elif source:
            for _ in range(30):
                source[chance.randrange(len(source))] = chance.choice(_SIGNS)
    return bytes(source[:60_000])


def damaged_files(count: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """Names and contents of so many damaged files, in all languages with a grammar by turns."""
    chance = random.Random(seed)
    known = grammars()
    for number in range(count):
        language_id = known[number % len(known)]
        yield file_name(language_id, f"{language_id}-{number}"), damaged(SAMPLES[language_id], chance)


def strange_files() -> dict[str, bytes]:
    """Deep nesting in several languages, long lines, and texts in every encoding."""
    text = "def größe():\n    return 'ß'  # 変数 🎉\n" * 3
    files = {
        "endless.kt": ENDLESS_KOTLIN,
        "deep.xml": b"<a>" * 50_000 + b"</a>" * 50_000,
        "deep.json": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        "deep.yaml": b"".join(b" " * depth + b"k:\n" for depth in range(1_200)),
        "deep.py": b"".join(b" " * depth + b"if x:\n" for depth in range(1_200)),
        "deep.rs": b"fn f() {" * 4_900 + b"}" * 4_900,
        "deep.hs": b"f = " + b"(" * 4_900 + b"x" + b")" * 4_900 + b"\n",
        "deep.lua": b"x = {" * 4_900 + b"}" * 4_900,
        "deep.md": b">" * 20_000 + b" quoted\n",
        "open.html": b"<div>" * 30_000,
        "line.js": b"var a=1;" * 100_000,
        "line.py": b"x = '" + b"word " * 300_000 + b"'\n",
        "line.sql": b"INSERT INTO a VALUES " + b"(1,'x')," * 100_000 + b"(2,'y');\n",
        "surrogate.py": b"x = '\xed\xa0\x80\xed\xb0\x80'\n" * 20,
        "overlong.py": b"x = '\xc0\xaf\xe0\x80\xaf'\n" * 20,
        "nul.go": b"package a\n\x00\nfunc F() {}\n" * 60,
        "half_utf16.py": text.encode("utf-16-le")[:-1],
        "marks.py": codecs.BOM_UTF8 * 3 + text.encode(),
    }
    for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        files[f"in_{encoding}.py"] = text.encode(encoding)
    for encoding in ("latin-1", "cp1252", "shift_jis", "koi8-r"):
        files[f"in_{encoding}.py"] = text.encode(encoding, "replace")
    return files
