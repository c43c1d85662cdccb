"""References, imports and figures of functions of the languages beside Python, JavaScript and TypeScript."""

from itertools import groupby

import pytest

from cocosearch_py.model.references import FileFacts
from cocosearch_py.parsing import has_grammar, parse_source

GO = """\
package p

import (
	"fmt"
	h "net/http"
	. "math"
	_ "embed"
)

type A struct {
	B
	*pkg.C
	x map[string]Foo
}

type I interface {
	Other
	M(a int, b ...string) error
}

func (a *A) run(x, y int, z ...string) (Bar, error) {
	if x > 0 && y > 0 || z != nil {
		fmt.Println(x)
	}
	v := Foo{1}
	w := &pkg.Thing[int]{}
	g := Map[int, string](x)
	switch x {
	case 1, 2:
	default:
	}
	select {
	case <-c:
	}
	go a.loop(MAX, cb)
	return v.(Foo), nil
}
"""
GO_USES = """\
11: inherit B
12: inherit pkg C
13: type Foo
17: inherit Other
21: type A, type Bar
23: call fmt Println
25: type Foo
26: type pkg Thing
27: type Map
35: call a loop, read MAX
36: type Foo
"""
GO_IMPORTS = """\
4: fmt - -
5: net/http - h
6: math * -
7: embed - -
"""
GO_FIGURES = """\
M 1 0 0
run 6 1 3
"""
RUST = """\
use std::fmt;
use a::b::{self, C, d::E as F, g::{H, i::*}};
use x::Y as Z;
use q::*;
pub(crate) use crate::{one, two::Three};
mod child;
mod inline {
    use super::*;
    use super::Thing;
    use crate::Other;
}
struct S<T: Bound + pkg::Other> { f: Vec<Foo>, g: &'a pkg::Bar }
trait Tr: Super + Clone {}
impl Tr for S { 
    fn run(&self, a: u8, b: Option<K>) -> Result<(), Error> {
        if a > 1 && b.is_some() { foo(a); }
        while let Some(x) = it.next() {}
        match a { 1 => Foo::new(), 2 | 3 if x => self.go(), _ => pkg::call::<T>(x) }
        let s = Foo { x: 1 };
        println!("{}", bar(1));
        let c = |x| x?;
        loop { break; }
        for q in list {}
        Vec::<u8>::with_capacity(MAX_SIZE);
    }
}
"""
RUST_USES = """\
12: type T, type Bound, type pkg Other, type Vec, type Foo, type pkg Bar
13: inherit Super, inherit Clone
14: inherit Tr
15: type Option, type K, type Result, type Error
16: call b is_some, call foo
17: call it next
18: call Foo new, call self go, call pkg call, type T
19: type Foo
20: call println, call bar
24: type Vec, call … with_capacity, read MAX_SIZE
"""
RUST_IMPORTS = """\
1: std fmt -
2: a::b C -
2: a::b::d E F
2: a::b::g H -
2: a::b::g::i * -
3: x Y Z
4: q * -
5: crate one -
5: crate::two Three -
6: child - -
10: crate Other -
"""
RUST_FIGURES = """\
run 11 1 3
"""
JAVA = """\
package p;
import a.b.C;
import a.b.*;
import static a.b.C.m;
import static a.b.C.*;
@Service
@Path(value = "x")
class A<T extends Bound> extends B<T> implements I, J<K> {
    private List<Foo> f = new ArrayList<>();
    int run(int a, String... b) throws Err {
        if (a > 1 && b != null) { this.go(); } else if (a<2) { Foo.bar(); }
        for (Foo x : f) { x.go(); }
        switch (a) { case 1: case 2: break; default: }
        int y = switch (a) { case 1 -> 2; default -> 3; };
        try { } catch (IOException | Foo e) { }
        Runnable r = () -> foo();
        Function<A, B> q = Foo::bar;
        new Outer.Inner(MAX);
        return a ? b : (Foo) c;
    }
}
interface K extends L, M<N> {}
"""
JAVA_USES = """\
6: call Service
7: call Path
8: type T, type Bound, inherit B, type T, inherit I, inherit J, type K
9: type List, type Foo, call ArrayList
10: type String, type Err
11: call this go, call Foo bar
12: type Foo, call x go
15: type IOException, type Foo
16: type Runnable, call foo
17: type Function, type A, type B, call Foo bar
18: type Outer, call Outer Inner, read MAX
19: type Foo
22: inherit L, inherit M, type N
"""
JAVA_IMPORTS = """\
2: a.b C -
3: a.b * -
4: a.b.C m -
5: a.b.C * -
"""
JAVA_FIGURES = """\
run 10 1 2
"""
KOTLIN = """\
package p
import a.b.C
import a.b.d as e
import a.b.*
@Serializable @Path("x")
class A<T : Bound>(val x: Foo, y: Int = 1) : B<T>(x), I, pkg.J {
    fun run(a: Int, vararg b: String?): Bar {
        if (a > 1 && b != null || q) { this.go() } else if (a < 2) Foo.bar()
        for (x in list) x.go { it.run() }
        when (a) { 1, 2 -> foo(); else -> {} }
        try { } catch (e: IOException) { }
        val z = x?.y ?: Foo(MAX_VALUE)
        while (true) { }
        listOf<Foo>(1)
        x as Foo
        x is Bar
        return ::ref
    }
}
"""
KOTLIN_USES = """\
5: type Serializable, call Path
6: type Bound, type Foo, type Int, inherit B, type T, inherit I, inherit J
7: type Int, type String, type Bar
8: call this go, call Foo bar
9: call x go, call it run
10: call foo
11: type IOException
12: call Foo, read MAX_VALUE
15: type Foo
16: type Bar
17: call ref
"""
KOTLIN_IMPORTS = """\
2: a.b C -
3: a.b d e
4: a.b * -
"""
KOTLIN_FIGURES = """\
run 10 1 2
"""
SCALA = """\
package p
import a.b.C
import a.b.{D, E => F, _}
import a._
import x.y.*
@Ann
class A[T <: Bound](x: Foo) extends B[T](x) with I with J[K] {
  def run(a: Int, b: String*)(implicit c: Ctx): Bar = {
    if (a > 1 && b != null || q) this.go() else Foo.bar(1)
    for (x <- list; y <- z if x) { x.go { it.run() } }
    a match { case 1 | 2 => foo(); case Some(x) if x => y; case _ => }
    try { } catch { case e: IOException => }
    val z = new Foo[Int](MAX)
    while (true) { }
    list map f
    gen[Foo](1)
    obj.gen2[X](2)
    return x :: Nil
  }
}
object O extends Q
trait R extends S with U
"""
SCALA_USES = """\
6: type Ann
7: type Bound, type Foo, inherit B, type T, inherit I, inherit J, type K
8: type Int, type String, type Ctx, type Bar
9: call this go, call Foo bar
10: call x go, call it run
11: call foo, type Some
12: type IOException
13: call Foo, type Int, read MAX
15: call list map
16: call gen, type Foo
17: call obj gen2, type X
21: inherit Q
22: inherit S, inherit U
"""
SCALA_IMPORTS = """\
2: a.b C -
3: a.b D -
3: a.b E F
3: a.b * -
4: a * -
5: x.y * -
"""
SCALA_FIGURES = """\
run 12 1 3
"""
C = """\
#include <stdio.h>
#include "x/y.h"
#include MACRO
typedef struct foo { Bar *b; struct baz q; } foo_t;
static int run(struct foo *f, size_t n, ...) {
  if (n > 0 && f || n) go(f);
  for (;;) { f->cb(n); obj.method(1); (*fp)(2); }
  switch (n) { case 1: case 2: break; default: break; }
  do { } while (n);
  Bar *v = (Bar *) malloc(sizeof(Qux));
  int x = n ? MAX : handler;
  table[0] = handler_fn;
  return x;
}
"""
C_USES = """\
4: type Bar, type baz
5: type foo
6: call go
7: call f cb, call obj method, call fp
10: type Bar, type Bar, call malloc
11: read MAX
"""
C_IMPORTS = """\
1: <stdio.h> - -
2: x/y.h - -
"""
C_FIGURES = """\
run 9 1 2
"""
CPP = """\
#include <vector>
using namespace std;
using ns::Thing;
class A : public B, private ns::C<int>, virtual D { E e; };
template <typename T> int A::run(const Foo& f, std::vector<Bar> v = {}) {
  if (n > 0 && f) go(f);
  for (auto x : v) { x.call(); this->go(); ns::f(1); ns::g<int>(2); h<T>(3); obj->tmpl<int>(); }
  try { } catch (const Err& e) { }
  auto p = new Foo(1); auto q = new ns::Qux<int>{};
  auto l = [&](int a) { return a; };
  while (x) {}
  Foo local(1); Bar b{2};
  static_cast<Zed*>(p);
  return a ? b : MAX;
}
"""
CPP_USES = """\
3: type ns
4: inherit B, type ns, inherit ns C, inherit D, type E
5: type T, type A, type Foo, type std, type vector, type Bar
6: call go
7: call x call, call this go, type ns, call ns f, type ns, call ns g, call h, type T, call obj tmpl
8: type Err
9: call Foo, type ns, type Qux
12: type Foo, type Bar
13: call static_cast, type Zed
14: read MAX
"""
CPP_IMPORTS = """\
1: <vector> - -
"""
CPP_FIGURES = """\
run 7 1 2
"""
CSHARP = """\
using System;
using A.B;
using static A.B.C;
using X = A.B.D;
global using Q;
namespace N;
[Attr("x")]
class A<T> : B<T>, I where T : Bound {
  private List<Foo> f = new List<Foo>();
  public Bar P { get; set; }
  int Run(int a, params string[] b) {
    if (a > 1 && b != null || x) { this.Go(); } else if (a < 2) Foo.Bar();
    foreach (Foo x in f) x?.Go<int>();
    switch (a) { case 1: case 2: break; default: break; }
    var y = a switch { 1 => 2, _ => 3 };
    try { } catch (IOException e) when (z) { }
    var q = new Outer.Inner(MAX) { Z = 1 };
    var r = x ?? new();
    for (;;) {} while (a) {} do {} while (b);
    return a ? b : (Foo) c;
  }
  A(int a) : base(a) { Generic<int>(nameof(Foo)); }
}
"""
CSHARP_USES = """\
7: call Attr
8: inherit B, type T, inherit I, type Bound
9: type List, type Foo, call List, type Foo
10: type Bar
12: call this Go, call Foo Bar
13: type Foo, call x Go
16: type IOException
17: call Outer Inner, read MAX
20: type Foo
22: call Generic, call nameof
"""
CSHARP_IMPORTS = """\
1: System - -
2: A.B - -
3: A.B.C - -
4: A.B.D - X
5: Q - -
"""
CSHARP_FIGURES = """\
Run 16 1 2
A 1 0 1
"""
RUBY = """\
require "json"
require_relative "foo/bar"
require_relative "../x"
load "y.rb"
autoload :Thing, "lib/thing"
module M
  class A < B::C
    include Comparable
    extend ActiveSupport::Concern
    attr_reader :x
    def run(a, b = 1, *c, d: 2, **e, &blk)
      if a && b || !c then foo(a) elsif d then bar end
      return baz unless a
      x.each do |y| y.go; self.stop! end
      Foo.new(1)
      Foo::Bar.call
      case a when 1 then 2 when 3 then 4 else 5 end
      begin; rescue Err => e; ensure; end
      while a do end
      until b do end
      a ? b : MAX
      b and c
      super(a)
      helper :x
      obj&.safe
      plain
    end
    def self.s; end
  end
end
class D < E; end
"""
RUBY_USES = """\
1: call require
2: call require_relative
3: call require_relative
4: call load
5: call autoload
7: type B, inherit B C
8: call include, inherit Comparable
9: call extend, type ActiveSupport, inherit Concern
10: call attr_reader
12: call foo
14: call x each, call y go, call self stop!
15: type Foo, call Foo new
16: type Foo, type Foo Bar, call Foo::Bar call
18: type Err
21: type MAX
24: call helper
25: call obj safe
31: inherit E
"""
RUBY_IMPORTS = """\
1: json - -
2: ./foo/bar - -
3: ../x - -
4: ./y.rb - -
5: lib/thing - -
"""
RUBY_FIGURES = """\
run 13 1 6
s 1 0 0
"""
PHP = """\
<?php
namespace N;
use A\\B\\C;
use A\\B\\{D, E as F};
use function A\\f;
use G as H;
require __DIR__ . '/x.php';
include_once 'y.php';
#[Attr]
class K extends C implements I, \\J\\L {
  use T1, T2;
  private ?Foo $f;
  public function run(int $a, Bar|Baz ...$b): ?Qux {
    if ($a && $b || !$a and $b) { $this->go(); } elseif ($a) { Foo::bar(); } else { self::$x; }
    foreach ($b as $c) { foo($c); \\N\\g(); }
    switch ($a) { case 1: case 2: break; default: }
    $m = match($a) { 1, 2 => 3, default => 4 };
    try { } catch (Err | \\Exception $e) { }
    $o = new Foo(MAX); $p = new \\A\\Zed;
    $q = fn($x) => $x ?? Foo::CONST;
    while ($a) { for (;;) {} } do { } while ($b);
    return $a ? $b : $o?->safe() instanceof Quux;
  }
}
"""
PHP_USES = """\
7: read __DIR__
9: call Attr
10: inherit C, inherit I, inherit L
11: inherit T1, inherit T2
12: type Foo
13: type Bar, type Baz, type Qux
14: call $this go, type Foo, call Foo bar
15: call foo, call g
18: type Err, type Exception
19: call Foo, read MAX, call Zed
20: type Foo
22: call $o safe, type Quux
"""
PHP_IMPORTS = """\
3: A\\B C -
4: A\\B D -
4: A\\B E F
5: A f -
6: G - H
7: __DIR__.'/x.php - -
8: y.php - -
"""
PHP_FIGURES = """\
run 15 2 2
q 2 0 1
"""
SWIFT = """\
import Foundation
import struct Mod.Sub
@testable import App
@Ann
class A<T: Bound>: B<T>, I {
  var f: [Foo] = []
  func run(_ a: Int, b: String...) -> Bar? {
    if a > 1 && b != nil || q { self.go() } else if a < 2 { Foo.bar() }
    guard let z = x?.y else { return nil }
    for x in list where x { x.go { it.run() } }
    switch a { case 1, 2: foo() 
      default: break }
    do { try h() } catch let e as IOErr { }
    let z = Foo<Int>(MAX) ?? c
    while true { }
    repeat { } while a
    return a ? b : Ns.Inner(x: 1) as! Qux
  }
}
extension A: P {}
protocol P: Q {}
"""
SWIFT_USES = """\
3: type testable
4: type Ann
5: type T, type Bound, inherit B, type T, inherit I
6: type Foo
7: type Int, type String, type Bar
8: call self go, call Foo bar
10: call x go, call it run
11: call foo
13: call h, type IOErr
14: call Foo, type Int, read MAX
17: call Ns Inner, type Qux
20: inherit P
21: inherit Q
"""
SWIFT_IMPORTS = """\
1: Foundation - -
2: Mod.Sub - -
3: App - -
"""
SWIFT_FIGURES = """\
run 13 2 2
"""


def _uses(facts: FileFacts) -> str:
    lines = groupby(facts.references, key=lambda one: one.line)
    return "".join(
        f"{line}: {', '.join(f'{one.kind} {one.qualifier and one.qualifier + chr(32)}{one.name}' for one in uses)}\n"
        for line, uses in lines
    )


@pytest.mark.parametrize(
    ("language_id", "source", "uses", "imports", "figures"),
    [
        ("go", GO, GO_USES, GO_IMPORTS, GO_FIGURES),
        ("rust", RUST, RUST_USES, RUST_IMPORTS, RUST_FIGURES),
        ("java", JAVA, JAVA_USES, JAVA_IMPORTS, JAVA_FIGURES),
        ("kotlin", KOTLIN, KOTLIN_USES, KOTLIN_IMPORTS, KOTLIN_FIGURES),
        ("scala", SCALA, SCALA_USES, SCALA_IMPORTS, SCALA_FIGURES),
        ("c", C, C_USES, C_IMPORTS, C_FIGURES),
        ("cpp", CPP, CPP_USES, CPP_IMPORTS, CPP_FIGURES),
        ("csharp", CSHARP, CSHARP_USES, CSHARP_IMPORTS, CSHARP_FIGURES),
        ("ruby", RUBY, RUBY_USES, RUBY_IMPORTS, RUBY_FIGURES),
        ("php", PHP, PHP_USES, PHP_IMPORTS, PHP_FIGURES),
        ("swift", SWIFT, SWIFT_USES, SWIFT_IMPORTS, SWIFT_FIGURES),
    ],
)
def test_facts(language_id: str, source: str, uses: str, imports: str, figures: str) -> None:
    """Imports are written as line, module, name, local name; figures as complexity, nesting, parameters."""
    if not has_grammar(language_id):
        pytest.skip("its grammar is not installed here")
    parsed = parse_source(language_id, source.encode())
    facts = parsed.facts
    assert _uses(facts) == uses
    shown = (f"{one.line}: {one.module} {one.name or '-'} {one.alias or '-'}\n" for one in facts.imports)
    assert "".join(shown) == imports
    rows = (
        f"{parsed.symbols[number].name} {one.cyclomatic} {one.max_nesting} {one.parameter_count}\n"
        for number, one in facts.metrics
    )
    assert "".join(rows) == figures
