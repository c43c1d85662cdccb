"""References, imports and figures of functions in Elixir, Haskell, Dart, Julia, OCaml, Zig and Solidity."""

import pytest
from tests.fact_cases import check_facts

ELIXIR = """\
defmodule A.B do
  use GenServer
  import Ecto.Query, only: [from: 2]
  alias A.C
  alias A.D, as: E
  alias A.{F, G.H}
  require Logger
  @behaviour Plug
  @spec run(integer) :: String.t()
  def run(a, b \\\\ 1) when a > 1 and b do
    if a && b do foo(a) else C.bar(1) end
    case a do
      1 -> Logger.info("x")
      _ -> %E{x: 1}
    end
    cond do
      a -> 1
      true -> 2
    end
    a |> Enum.map(&go/1) |> local()
    for x <- list, do: x
    try do x rescue e in Err -> e end
    with {:ok, x} <- y() do x end
    unless a, do: b
    fn x -> x end
  end
end
"""
ELIXIR_USES = """\
2: inherit GenServer
3: type Ecto Query
4: type A C
5: type A D, type E
6: type A, type F, type G H
7: type Logger
8: inherit Plug
9: call run, type String, call String t
11: call foo, type C, call C bar
13: type Logger, call Logger info
14: type E
20: type Enum, call Enum map, call go, call local
22: type Err
23: call y
"""
ELIXIR_IMPORTS = """\
2: GenServer - -
3: Ecto.Query - -
4: A.C - -
5: A.D - E
6: A F -
6: A G.H -
7: Logger - -
"""
ELIXIR_FIGURES = """\
run 13 1 2
"""
HASKELL = """\
module A.B where
import Data.Map
import qualified Data.List as L
import Foo (bar, Baz(..))
import Qux hiding (x)
class Super a => Cls a where
  m :: a -> Foo
data T = C Int | D { f :: Bar } deriving (Show, Eq)
instance Cls T where
  m x = go x
run :: Int -> Maybe Foo -> IO ()
run a b
  | a > 1 && q = foo a
  | otherwise = L.map bar b
run a b = case a of
  1 -> baz
  _ -> if a then b else c <> d `infx` e
"""
HASKELL_USES = """\
4: type Baz
6: inherit Super
7: type Foo
8: type Int, type Bar, inherit Show, inherit Eq
9: inherit Cls, type T
10: call go
11: type Int, type Maybe, type Foo, type IO
13: call foo
14: call L map, read bar
17: call infx
"""
HASKELL_IMPORTS = """\
2: Data.Map * -
3: Data.List - L
4: Foo bar -
4: Foo Baz -
5: Qux * -
"""
HASKELL_FIGURES = """\
m 1 0 1
m 1 0 1
run 7 2 2
"""
DART = """\
import 'dart:io';
import 'package:foo/bar.dart' as f;
import 'x.dart' show A, B;
export 'src/y.dart';
part 'z.g.dart';
@Ann()
class A<T extends Bound> extends B<T> with M implements I {
  final Foo f = Foo(1);
  Bar run(int a, {required String b, List<Foo>? c}) async {
    if (a > 1 && b != null || q) { this.go(); } else if (a < 2) Foo.bar();
    for (var x in list) { x.go(() => run()); }
    switch (a) { case 1: foo(); break; default: }
    try { } on IOErr catch (e) { }
    while (a) {} do {} while (b);
    final z = new Zed.named(MAX) ?? c;
    return a ? b : c as Qux;
  }
}
"""
DART_USES = """\
6: call Ann
7: type T, type Bound, inherit B, type T, inherit M, inherit I
8: type Foo, call Foo
9: type Bar, type int, type String, type List, type Foo
10: call go, call bar
11: call go, call run
12: call foo
13: type IOErr
15: call Zed
16: type Qux
"""
DART_IMPORTS = """\
1: dart:io - -
2: package:foo/bar.dart - f
3: x.dart A -
3: x.dart B -
4: src/y.dart - -
5: z.g.dart - -
"""
DART_FIGURES = """\
"""
JULIA = """\
module A
using Foo, Bar.Baz
import X: y, z
import Q as R
include("x/y.jl")
struct S <: Super
  f::Foo
end
function run(a::Int, b=1; c=2)::Bar
  if a > 1 && b || c
    foo(a)
  elseif d
    M.bar(1)
  end
  for x in list
    go(x)
  end
  while a end
  try catch e end
  y = a ? b : MAX
  @macro z
  map(x) do q q end
  Vector{Foo}(1)
end
g(x) = x + 1
end
"""
JULIA_USES = """\
5: call include
6: inherit Super
7: type Foo
9: type Int, type Bar
11: call foo
13: call M bar
16: call go
21: call macro
22: call map
23: call Vector, type Foo
"""
JULIA_IMPORTS = """\
2: Foo - -
2: Bar.Baz - -
3: X y -
3: X z -
4: Q - R
5: ./x/y.jl - -
"""
JULIA_FIGURES = """\
run 9 1 3
g 1 0 0
"""
OCAML = """\
open Foo
open Bar.Baz
module M = Map.Make(String)
include Qux
type t = Foo.t list
class c = object inherit d end
let rec run a ?(b=1) ~c : bar =
  if a && b || c then foo a else M.bar 1;
  match a with
  | 1 -> go ()
  | x when x > 1 -> List.map f x
  | _ -> Ctor 1;
  for i = 1 to 2 do () done;
  while a do () done;
  try h () with Not_found -> ();
  let o = new cls in o#meth 1
"""
OCAML_USES = """\
5: type Foo t, type list
6: inherit d
7: type bar
8: read c, call foo, call M bar
10: call go
11: call List map
12: call Ctor
15: call h
16: call cls, call o meth
"""
OCAML_IMPORTS = """\
1: Foo - -
2: Bar.Baz - -
4: Qux - -
"""
OCAML_FIGURES = """\
run 10 2 3
"""
ZIG = """\
const std = @import("std");
const b = @import("x/b.zig");
const Foo = b.Foo;
pub fn run(a: u32, c: ?*Bar) !Qux {
  if (a > 1 and c or d) { foo(a); } else if (q) {}
  for (list) |x| { x.go(); }
  while (a) {}
  switch (a) { 1, 2 => b.bar(1), else => {} }
  const z = try std.mem.eql(u8, x) catch return;
  const y = a orelse MAX;
  return Foo{ .x = 1 };
}
"""
ZIG_USES = """\
4: type Bar, type Qux
5: call foo
6: call x go
8: call b bar
9: call std.mem eql
10: read MAX
11: call Foo
"""
ZIG_IMPORTS = """\
1: std - std
2: x/b.zig - b
"""
ZIG_FIGURES = """\
run 10 2 2
"""
SOLIDITY = """\
pragma solidity ^0.8.0;
import "./X.sol";
import {A, B as C} from "@oz/Y.sol";
import * as D from "z.sol";
contract K is A, D.E(1) {
  using Lib for uint256;
  Foo public f;
  event Ev(uint a);
  modifier m() { _; }
  function run(uint a, Bar memory b) public m returns (Qux) {
    if (a > 1 && c || d) { foo(a); } else { lib.bar(1); }
    for (uint i; i < 2; i++) { emit Ev(1); }
    while (a) {} do {} while (b);
    try x.y() {} catch {}
    Foo z = new Foo(MAX);
    revert Err(1);
    return a ? b : Qux(1);
  }
}
"""
SOLIDITY_USES = """\
5: inherit A, inherit E
6: type Lib
7: type Foo
10: type Bar, call m, type Qux
11: call foo, call lib bar
12: call Ev
14: call x y
15: type Foo, call Foo, read MAX
16: call Err
17: call Qux
"""
SOLIDITY_IMPORTS = """\
2: ./X.sol - -
3: @oz/Y.sol A -
3: @oz/Y.sol B -
4: z.sol - D
"""
SOLIDITY_FIGURES = """\
m 1 0 0
run 9 1 2
"""


@pytest.mark.parametrize(
    ("language_id", "source", "uses", "imports", "figures"),
    [
        ("elixir", ELIXIR, ELIXIR_USES, ELIXIR_IMPORTS, ELIXIR_FIGURES),
        ("haskell", HASKELL, HASKELL_USES, HASKELL_IMPORTS, HASKELL_FIGURES),
        ("dart", DART, DART_USES, DART_IMPORTS, DART_FIGURES),
        ("julia", JULIA, JULIA_USES, JULIA_IMPORTS, JULIA_FIGURES),
        ("ocaml", OCAML, OCAML_USES, OCAML_IMPORTS, OCAML_FIGURES),
        ("zig", ZIG, ZIG_USES, ZIG_IMPORTS, ZIG_FIGURES),
        ("solidity", SOLIDITY, SOLIDITY_USES, SOLIDITY_IMPORTS, SOLIDITY_FIGURES),
    ],
)
def test_facts(language_id: str, source: str, uses: str, imports: str, figures: str) -> None:
    check_facts(language_id, source, uses, imports, figures)
