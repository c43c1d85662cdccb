"""References, imports and figures of functions in C, C++, C#, Ruby, PHP, Lua and Bash."""

import pytest
from tests.fact_cases import check_facts

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
12: call this Go, read Foo, call Foo Bar
13: type Foo, call x Go
16: type IOException
17: call Outer Inner, read MAX
20: type Foo
22: call Generic, call nameof, read Foo
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
LUA = """\
local a = require("x.y")
local b = require "z"
require('q')
local M = {}
function M.run(a, b, ...)
  if a and b or c then foo(a) elseif d then M.bar(1) end
  for i = 1, 2 do obj:go(i) end
  for k, v in pairs(t) do end
  while a do end
  repeat until b
  return MAX
end
local f = function(x) return x end
"""
LUA_USES = """\
1: call require
2: call require
3: call require
6: call foo, read M, call M bar
7: call obj go
8: call pairs
11: read MAX
"""
LUA_IMPORTS = """\
1: x.y - a
2: z - b
3: q - -
"""
LUA_FIGURES = """\
run 9 1 3
f 1 0 1
"""
BASH = """\
source ./lib.sh
. "$DIR/x/util.sh"
. lib/y.sh
run() {
  if a && b || c; then foo "$1"; elif d; then bar; fi
  for x in 1 2; do go; done
  while a; do x; done
  until a; do x; done
  case $a in 1) y ;; 2|3) z ;; esac
  v=$(cmd MAX)
  [[ $a && $b ]]
}
"""
BASH_USES = """\
1: call source
5: call a, call b, call c, call foo, call d, call bar
6: call go
7: call a, call x
8: call a, call x
9: call y, call z
10: call cmd
"""
BASH_IMPORTS = """\
1: ./lib.sh - -
2: $DIR/x/util.sh - -
3: lib/y.sh - -
"""
BASH_FIGURES = """\
run 11 1 0
"""


@pytest.mark.parametrize(
    ("language_id", "source", "uses", "imports", "figures"),
    [
        ("c", C, C_USES, C_IMPORTS, C_FIGURES),
        ("cpp", CPP, CPP_USES, CPP_IMPORTS, CPP_FIGURES),
        ("csharp", CSHARP, CSHARP_USES, CSHARP_IMPORTS, CSHARP_FIGURES),
        ("ruby", RUBY, RUBY_USES, RUBY_IMPORTS, RUBY_FIGURES),
        ("php", PHP, PHP_USES, PHP_IMPORTS, PHP_FIGURES),
        ("lua", LUA, LUA_USES, LUA_IMPORTS, LUA_FIGURES),
        ("bash", BASH, BASH_USES, BASH_IMPORTS, BASH_FIGURES),
    ],
)
def test_facts(language_id: str, source: str, uses: str, imports: str, figures: str) -> None:
    check_facts(language_id, source, uses, imports, figures)
