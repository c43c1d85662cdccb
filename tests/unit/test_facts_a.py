"""References, imports and figures of functions in Go, Rust, Java, Kotlin, Scala and Swift."""

import pytest
from tests.fact_cases import check_facts

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
11: call this go, read Foo, call Foo bar
12: type Foo, call x go
15: type IOException, type Foo
16: type Runnable, call foo
17: type Function, type A, type B, read Foo, call Foo bar
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
8: call this go, read Foo, call Foo bar
9: call x go, call it run
10: call foo
11: type IOException
12: call Foo, read MAX_VALUE
14: read Foo
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
8: call self go, read Foo, call Foo bar
10: call x go, call it run
11: call foo
13: call h, type IOErr
14: call Foo, type Int, read MAX
17: read Ns, call Ns Inner, type Qux
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


@pytest.mark.parametrize(
    ("language_id", "source", "uses", "imports", "figures"),
    [
        ("go", GO, GO_USES, GO_IMPORTS, GO_FIGURES),
        ("rust", RUST, RUST_USES, RUST_IMPORTS, RUST_FIGURES),
        ("java", JAVA, JAVA_USES, JAVA_IMPORTS, JAVA_FIGURES),
        ("kotlin", KOTLIN, KOTLIN_USES, KOTLIN_IMPORTS, KOTLIN_FIGURES),
        ("scala", SCALA, SCALA_USES, SCALA_IMPORTS, SCALA_FIGURES),
        ("swift", SWIFT, SWIFT_USES, SWIFT_IMPORTS, SWIFT_FIGURES),
    ],
)
def test_facts(language_id: str, source: str, uses: str, imports: str, figures: str) -> None:
    check_facts(language_id, source, uses, imports, figures)
