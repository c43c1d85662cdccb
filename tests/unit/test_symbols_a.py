"""Definitions of Python, JavaScript, TypeScript, Go, Rust, Java, C, C++, C# and Ruby, one realistic file each."""

from cocosearch_py.model.files import ParseStatus
from cocosearch_py.model.symbols import Symbol
from cocosearch_py.parsing import parse_source

Row = tuple[str, str, str, str]  # kind, qualified name, visibility, first line of the doc


def symbols_of(language_id: str, source: str) -> tuple[Symbol, ...]:
    parsed = parse_source(language_id, source.encode())
    assert parsed.status is ParseStatus.OK, parsed.error
    for position, symbol in enumerate(parsed.symbols):
        assert symbol.parent is None or symbol.parent < position
        assert symbol.start_line == source.encode()[: symbol.start_byte].count(b"\n") + 1
        assert "\n" not in symbol.signature
    return parsed.symbols


def rows_of(language_id: str, source: str) -> list[Row]:
    return [
        (one.kind, one.qualified_name, one.visibility, one.doc.split("\n")[0])
        for one in symbols_of(language_id, source)
    ]


def signature_of(language_id: str, source: str, name: str) -> str:
    return next(one.signature for one in symbols_of(language_id, source) if one.qualified_name == name)


PYTHON = '''"""Module."""
import os

LIMIT_BYTES = 10
_cache: dict[str, int] = {}
double = lambda x: 2 * x
type Pair[T] = tuple[T, T]

# Loads things.
# Slowly.
@retry(
    times=3,
)
async def load(
    path: str,  # where
    *, strict: bool = True,
) -> bytes:
    """Read a file.

    Args: none.
    """
    local = 1
    CONSTANT_IN_FUNCTION = 2

    def inner():
        pass

    return b""


class Store(Base[int]):  # noqa
    """Keeps things."""

    # how many
    size: int = 0
    name: str

    def __init__(self) -> None:
        self.x = 1

    @property
    def _secret(self): return 1

    class Meta:
        pass
'''


def test_python() -> None:
    assert rows_of("python", PYTHON) == [
        ("constant", "LIMIT_BYTES", "public", ""),
        ("variable", "_cache", "private", ""),
        ("function", "double", "public", ""),
        ("type", "Pair", "public", ""),
        ("function", "load", "public", "Read a file."),
        ("function", "load.inner", "public", ""),
        ("class", "Store", "public", "Keeps things."),
        ("field", "Store.size", "public", "how many"),
        ("field", "Store.name", "public", ""),
        ("method", "Store.__init__", "public", ""),
        ("method", "Store._secret", "private", ""),
        ("class", "Store.Meta", "public", ""),
    ]
    load = symbols_of("python", PYTHON)[4]
    assert load.signature == "async def load( path: str, *, strict: bool = True, ) -> bytes:"
    assert (load.start_line, load.end_line) == (11, 28)  # from the decorator on
    assert load.doc == "Read a file.\n\nArgs: none."
    assert symbols_of("python", PYTHON)[5].function_depth == 1


GO = """package store

// Store keeps things.
// It is safe.
type Store[K comparable] struct {
	// mu guards.
	mu   sync.Mutex
	A, b int
	Embedded
}

type (
	// Reader reads.
	Reader interface {
		Read(p []byte) (int, error)
	}
	alias = Store[int]
	Handler func(int) error
)

const Limit = 10

const (
	// First one.
	First = iota
	second
)

var (
	cache map[string]int
	Err   = errors.New("x")
)

// New makes one.
func New(size int) (*Store[int], error) {
	const local = 1
	var other = 2
	return nil, nil
}

// Get returns.
func (s *Store[K]) Get(key K) (v int, ok bool) { return 0, false }

func (Handler) call() {}
"""


def test_go() -> None:
    assert rows_of("go", GO) == [
        ("struct", "Store", "public", "Store keeps things."),
        ("field", "Store.mu", "internal", "mu guards."),
        ("field", "Store.A", "public", ""),
        ("field", "Store.b", "internal", ""),
        ("interface", "Reader", "public", "Reader reads."),
        ("method", "Reader.Read", "public", ""),
        ("type", "alias", "internal", ""),
        ("type", "Handler", "public", ""),
        ("constant", "Limit", "public", ""),
        ("constant", "First", "public", "First one."),
        ("constant", "second", "internal", ""),
        ("variable", "cache", "internal", ""),
        ("variable", "Err", "public", ""),
        ("function", "New", "public", "New makes one."),
        ("method", "Store.Get", "public", "Get returns."),
        ("method", "Handler.call", "internal", ""),
    ]
    assert signature_of("go", GO, "New") == "func New(size int) (*Store[int], error)"
    assert signature_of("go", GO, "Store") == "type Store[K comparable] struct"


JAVASCRIPT = """'use strict';
var fs = require('fs'), one = 1;
const { join } = require('path');
const debug = require('debug')('app');
const isIP = require('net').isIP;
/**
 * Adds.
 * @param {number} a
 */
export const add = (a, b) => {
  const local = 1;
  const helper = () => 2;
  return a + b;
};
export const LIMIT = 3, OTHER = 4;
let state = {}, more;
var legacy = function () {};

// Makes.
export default async function make() {}
function* ids() {}

/** A view. */
@decorate()
export class View extends Base {
  #count = 1;
  static kind = 'view';
  constructor(a) { super(); }
  get count() { return 1; }
  handle = (e) => {};
  #hidden() {}
}

exports.parse = function (text) {};
module.exports.print = () => 1;
exports.Router = Router;
module.exports.query = require('query');
exports.count += 1;
// Extends the prototype.
View.prototype.render = function render() {};
app.use = function use(fn) {};
module.exports = { shared: function () {} };

const api = {
  get(url) { return url; },
  post: async (url) => url,
  version: 1,
};
items.map((item) => { const inside = 1; return item; });

describe('add', () => {
  it('adds numbers', async () => {});
});
"""


def test_javascript() -> None:
    assert rows_of("javascript", JAVASCRIPT) == [
        ("variable", "one", "public", ""),
        ("function", "add", "public", "Adds."),
        ("function", "add.helper", "public", ""),
        ("constant", "LIMIT", "public", ""),
        ("constant", "OTHER", "public", ""),
        ("variable", "state", "public", ""),
        ("variable", "more", "public", ""),
        ("function", "legacy", "public", ""),
        ("function", "make", "public", "Makes."),
        ("function", "ids", "public", ""),
        ("class", "View", "public", "A view."),
        ("field", "View.#count", "private", ""),
        ("field", "View.kind", "public", ""),
        ("constructor", "View.constructor", "public", ""),
        ("method", "View.count", "public", ""),
        ("method", "View.handle", "public", ""),
        ("method", "View.#hidden", "private", ""),
        ("function", "parse", "public", ""),
        ("function", "print", "public", ""),
        ("export", "Router", "public", ""),
        ("export", "query", "public", ""),
        ("method", "View.render", "public", "Extends the prototype."),
        ("method", "app.use", "public", ""),
        ("function", "shared", "public", ""),
        ("constant", "api", "public", ""),
        ("method", "api.get", "public", ""),
        ("function", "api.post", "public", ""),
        ("test", "add", "public", ""),
        ("test", "add.adds numbers", "public", ""),
    ]
    assert signature_of("javascript", JAVASCRIPT, "add") == "export const add = (a, b)"
    assert signature_of("javascript", JAVASCRIPT, "make") == "export default async function make()"


TYPESCRIPT = """/** A shape. */
export interface Shape<T> extends Base {
  readonly area: number;
  scale(by: number): Shape<T>;
}
export type Id = string | { raw: number };
export enum Color { Red = 1, Green }

// Abstract.
export abstract class Widget<T> implements Shape<T> {
  private readonly id: number = 1;
  protected abstract draw(): void;
  constructor(private name: string) { super(); }
  static make?(): void {}
  /** Doc behind a decorator. */
  @Input()
  public go(x: number): Promise<void> { return null; }
  onClick = (e: Event): void => {};
}

declare module 'ambient' {
  export function f(a: number): void;
}
namespace Outer.Inner {
  export const depth = 1;
  function helper() {}
}
declare function over(a: string): void;
declare const VERSION: string;
export const pick = <T,>(x: T): T => x;
export const router = create({ q: () => 1 });
declare global {
  interface Window { extra: number }
}
export default class extends Widget<number> {}
"""


def test_typescript() -> None:
    expected = [
        ("interface", "Shape", "public", "A shape."),
        ("property", "Shape.area", "public", ""),
        ("method", "Shape.scale", "public", ""),
        ("type", "Id", "public", ""),
        ("enum", "Color", "public", ""),
        ("constant", "Color.Red", "public", ""),
        ("constant", "Color.Green", "public", ""),
        ("class", "Widget", "public", "Abstract."),
        ("field", "Widget.id", "private", ""),
        ("method", "Widget.draw", "protected", ""),
        ("constructor", "Widget.constructor", "public", ""),
        ("field", "Widget.name", "private", ""),
        ("method", "Widget.make", "public", ""),
        ("method", "Widget.go", "public", "Doc behind a decorator."),
        ("method", "Widget.onClick", "public", ""),
        ("module", "ambient", "public", ""),
        ("function", "ambient.f", "public", ""),
        ("namespace", "Outer.Inner", "public", ""),
        ("constant", "Outer.Inner.depth", "public", ""),
        ("function", "Outer.Inner.helper", "public", ""),
        ("function", "over", "public", ""),
        ("variable", "VERSION", "public", ""),
        ("function", "pick", "public", ""),
        ("constant", "router", "public", ""),
        ("interface", "Window", "public", ""),
        ("property", "Window.extra", "public", ""),
    ]
    assert rows_of("typescript", TYPESCRIPT) == expected
    assert rows_of("tsx", TYPESCRIPT) == expected
    assert signature_of("typescript", TYPESCRIPT, "Widget.go") == "public go(x: number): Promise<void>"


def test_tsx_component() -> None:
    source = "/** Shows. */\nexport const Card: FC<Props> = ({ title }) => {\n  return <div>{title}</div>;\n};\n"
    assert rows_of("tsx", source) == [("function", "Card", "public", "Shows.")]


RUST = """//! Crate doc.
use std::fmt;

/// A point.
#[derive(
    Debug,
)]
pub struct Point<T> { pub x: T, y: i32 }
pub struct Unit;
pub(crate) enum Shape { Dot, Line(i32) }

impl<T> fmt::Display for Point<T> {
    const K: i32 = 1;
    type Out = i32;
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }
}

impl<'a> geo::Grid<'a> {
    /// Makes one.
    pub const fn new() -> Self { const LOCAL: i32 = 1; fn helper() {} Self }
    fn hidden(&self) {}
}

pub trait Area {
    type Unit;
    fn area(&self) -> f64;
    fn twice(&self) -> f64 { 2.0 * self.area() }
}

mod inner { pub static COUNT: i32 = 1; }
// Macro.
macro_rules! point { () => {} }
type Alias = i32;
union Bits { a: u32 }
extern "C" { fn strlen(s: *const u8) -> usize; }
pub const LIMIT: usize = 1;
"""


def test_rust() -> None:
    assert rows_of("rust", RUST) == [
        ("struct", "Point", "public", "A point."),
        ("field", "Point.x", "public", ""),
        ("field", "Point.y", "private", ""),
        ("struct", "Unit", "public", ""),
        ("enum", "Shape", "internal", ""),
        ("constant", "Shape.Dot", "public", ""),
        ("constant", "Shape.Line", "public", ""),
        ("impl", "Point", "public", ""),
        ("constant", "Point.K", "public", ""),
        ("type", "Point.Out", "public", ""),
        ("method", "Point.fmt", "public", ""),
        ("impl", "Grid", "public", ""),
        ("method", "Grid.new", "public", "Makes one."),
        ("function", "Grid.new.helper", "private", ""),
        ("method", "Grid.hidden", "private", ""),
        ("trait", "Area", "public", ""),
        ("type", "Area.Unit", "public", ""),
        ("method", "Area.area", "public", ""),
        ("method", "Area.twice", "public", ""),
        ("module", "inner", "private", ""),
        ("constant", "inner.COUNT", "public", ""),
        ("macro", "point", "private", "Macro."),
        ("type", "Alias", "private", ""),
        ("struct", "Bits", "private", ""),
        ("field", "Bits.a", "private", ""),
        ("function", "strlen", "private", ""),
        ("constant", "LIMIT", "public", ""),
    ]
    assert signature_of("rust", RUST, "Grid.new") == "pub const fn new() -> Self"


JAVA = """package a.b;

import java.util.List;

/**
 * Reads.
 */
@Deprecated
public class Reader<T> extends Base implements Closeable {
  private static final int LIMIT = 1, OTHER = 2;
  T value;
  static { init(); }

  /** Makes. */
  public Reader(int size) { super(size); }

  @Override
  protected <R> List<R> map(Function<T, R> how) {
    int local = 1;
    class Local { void m() {} }
    return null;
  }

  abstract int[] raw();

  static class Node {}
}

interface Source {
  int DEFAULT = 1;
  void open();
}

enum Level {
  // the lowest
  LOW(1), HIGH { void show() {} };
  private int rank;
}

@interface Marker { String value() default ""; }

record Pair(int a, int b) {
  Pair { check(a); }
}
"""


def test_java() -> None:
    assert rows_of("java", JAVA) == [
        ("class", "Reader", "public", "Reads."),
        ("field", "Reader.LIMIT", "private", ""),
        ("field", "Reader.OTHER", "private", ""),
        ("field", "Reader.value", "internal", ""),
        ("constructor", "Reader.Reader", "public", "Makes."),
        ("method", "Reader.map", "protected", ""),
        ("class", "Reader.map.Local", "internal", ""),
        ("method", "Reader.map.Local.m", "internal", ""),
        ("method", "Reader.raw", "internal", ""),
        ("class", "Reader.Node", "internal", ""),
        ("interface", "Source", "internal", ""),
        ("constant", "Source.DEFAULT", "public", ""),
        ("method", "Source.open", "public", ""),
        ("enum", "Level", "internal", ""),
        ("constant", "Level.LOW", "public", "the lowest"),
        ("constant", "Level.HIGH", "public", ""),
        ("method", "Level.HIGH.show", "internal", ""),
        ("field", "Level.rank", "private", ""),
        ("interface", "Marker", "internal", ""),
        ("method", "Marker.value", "public", ""),
        ("class", "Pair", "internal", ""),
        ("field", "Pair.a", "internal", ""),
        ("field", "Pair.b", "internal", ""),
        ("constructor", "Pair.Pair", "internal", ""),
    ]
    assert signature_of("java", JAVA, "Reader.map") == "@Override protected <R> List<R> map(Function<T, R> how)"


C = """#ifndef POOL_H
#define POOL_H
#define POOL_SIZE 8
#define POOL_EACH(p, x) \\
  for (x = p; x; x = x->next)

typedef void (*pool_cb)(int status);
typedef struct { int fd; } pool_file;
typedef struct pool pool_t;

/* A pool
 * of things. */
struct pool {
  int size;
  char *names[3];
  int (*grow)(struct pool *, int);
  union { int a; } u;
};

enum color { RED, GREEN = 2 };
union value { int i; };

LIB_EXPORT int pool_open(pool_t *pool, int flags);
LIB_EXPORT const char *pool_name(void);

#ifdef DEBUG
static const char *names[] = {"a"};
#endif
int counter = 0, other;
extern int shared;

// Grows.
static int grow(struct pool *p, int by) {
  int local = by;
  static int kept;
  return p->size + local;
}

char **list(void) { return 0; }

TEST_IMPL(pool_grows) { return 0; }
#endif
"""


def test_c() -> None:
    assert rows_of("c", C) == [
        ("macro", "POOL_SIZE", "public", ""),
        ("macro", "POOL_EACH", "public", ""),
        ("type", "pool_cb", "public", ""),
        ("struct", "pool_file", "public", ""),
        ("field", "pool_file.fd", "public", ""),
        ("type", "pool_t", "public", ""),
        ("struct", "pool", "public", "A pool"),
        ("field", "pool.size", "public", ""),
        ("field", "pool.names", "public", ""),
        ("field", "pool.grow", "public", ""),
        ("field", "pool.u", "public", ""),
        ("field", "pool.u.a", "public", ""),
        ("enum", "color", "public", ""),
        ("constant", "color.RED", "public", ""),
        ("constant", "color.GREEN", "public", ""),
        ("struct", "value", "public", ""),
        ("field", "value.i", "public", ""),
        ("function", "pool_open", "public", ""),
        ("function", "pool_name", "public", ""),
        ("variable", "names", "private", ""),
        ("variable", "counter", "public", ""),
        ("variable", "other", "public", ""),
        ("variable", "shared", "public", ""),
        ("function", "grow", "private", "Grows."),
        ("function", "list", "public", ""),
        ("function", "pool_grows", "public", ""),
    ]
    assert signature_of("c", C, "POOL_EACH") == "#define POOL_EACH(p, x)"


CPP = """#include <string>
LIB_BEGIN_NAMESPACE
/// The library.
namespace lib::io {
// Holds things.
template <class T, int N = 2>
class LIB_API Box final : public Base<T> {
  int hidden_;
 public:
  Box();
  explicit Box(int n) : hidden_(n) {}
  // Ends.
  LIB_API ~Box();
  int get() const;
  T& at(int i) { std::string local(i); return data_[i]; }
  static int count, *other;
  bool operator==(const Box& o) const;
  operator bool() const { return true; }
  enum class Mode { Read, Write };
  using value_type = T;
 protected:
  template <class U> U convert(U u);
};
LIB_INLINE void reset(int a) {}
}  // namespace lib::io
LIB_END_NAMESPACE

int lib::Box<int>::get() const { return 1; }
template <class T> T lib::parse(T* x) { return *x; }
Box::~Box() {}
Box::Box() : hidden_(1) {}
struct Point { int x, y; virtual void draw() = 0; };
extern "C" { int c_api(void); }
static int counter = 1;
std::ostream& operator<<(std::ostream& o, int a) { return o; }
auto make() -> Point { return {}; }
template <> struct hash<Point> { };
TEST(BoxTest, Grows) { int local = 3; }
"""


def test_cpp() -> None:
    assert rows_of("cpp", CPP) == [
        ("namespace", "lib.io", "public", "The library."),
        ("class", "lib.io.Box", "public", "Holds things."),
        ("field", "lib.io.Box.hidden_", "private", ""),
        ("constructor", "lib.io.Box.Box", "public", ""),
        ("constructor", "lib.io.Box.Box", "public", ""),
        ("method", "lib.io.Box.~Box", "public", "Ends."),
        ("method", "lib.io.Box.get", "public", ""),
        ("method", "lib.io.Box.at", "public", ""),
        ("field", "lib.io.Box.count", "public", ""),
        ("field", "lib.io.Box.other", "public", ""),
        ("method", "lib.io.Box.operator==", "public", ""),
        ("method", "lib.io.Box.operator bool", "public", ""),
        ("enum", "lib.io.Box.Mode", "public", ""),
        ("constant", "lib.io.Box.Mode.Read", "public", ""),
        ("constant", "lib.io.Box.Mode.Write", "public", ""),
        ("type", "lib.io.Box.value_type", "public", ""),
        ("method", "lib.io.Box.convert", "protected", ""),
        ("function", "lib.io.reset", "public", ""),
        ("method", "lib.Box.get", "public", ""),
        ("method", "lib.parse", "public", ""),
        ("method", "Box.~Box", "public", ""),
        ("constructor", "Box.Box", "public", ""),
        ("struct", "Point", "public", ""),
        ("field", "Point.x", "public", ""),
        ("field", "Point.y", "public", ""),
        ("method", "Point.draw", "public", ""),
        ("function", "c_api", "public", ""),
        ("variable", "counter", "private", ""),
        ("function", "operator<<", "public", ""),
        ("function", "make", "public", ""),
        ("struct", "hash", "public", ""),
        ("test", "BoxTest.Grows", "public", ""),
    ]
    assert signature_of("cpp", CPP, "lib.io.Box.at") == "T& at(int i)"
    assert signature_of("cpp", CPP, "lib.io.Box").startswith("template <class T, int N = 2> class LIB_API Box")


CSHARP = """using System;

namespace Shop.Core
{
    /// <summary>A cart.</summary>
    [Serializable]
    public class Cart<T> : Base, IDisposable
    {
        private int count = 1, other;
        const int Limit = 2;
        public string Name { get; set; }
        public int Total => count;
        public event Action Changed;

        // Makes.
        public Cart(int size) : base(size) { }
        ~Cart() { }

        protected internal async Task<T> LoadAsync<U>(U key) where U : class
        {
            int Local(int a) => a;
            return default;
        }
        public int this[int i] => i;
        public static Cart<T> operator +(Cart<T> a, Cart<T> b) => a;
        void IDisposable.Dispose() { }
        delegate void Handler(int x);
    }

    interface IStore { void Save(); }
    public struct Money { public decimal Amount; }
    public record Line(int Id, string Text);
    enum Kind { First, Second = 2 }
}
"""


def test_csharp() -> None:
    assert rows_of("csharp", CSHARP) == [
        ("namespace", "Shop.Core", "public", ""),
        ("class", "Shop.Core.Cart", "public", "<summary>A cart.</summary>"),
        ("field", "Shop.Core.Cart.count", "private", ""),
        ("field", "Shop.Core.Cart.other", "private", ""),
        ("field", "Shop.Core.Cart.Limit", "private", ""),
        ("property", "Shop.Core.Cart.Name", "public", ""),
        ("property", "Shop.Core.Cart.Total", "public", ""),
        ("field", "Shop.Core.Cart.Changed", "public", ""),
        ("constructor", "Shop.Core.Cart.Cart", "public", "Makes."),
        ("method", "Shop.Core.Cart.Cart", "private", ""),
        ("method", "Shop.Core.Cart.LoadAsync", "protected", ""),
        ("function", "Shop.Core.Cart.LoadAsync.Local", "private", ""),
        ("property", "Shop.Core.Cart.this", "public", ""),
        ("method", "Shop.Core.Cart.+", "public", ""),
        ("method", "Shop.Core.Cart.Dispose", "private", ""),
        ("type", "Shop.Core.Cart.Handler", "private", ""),
        ("interface", "Shop.Core.IStore", "internal", ""),
        ("method", "Shop.Core.IStore.Save", "public", ""),
        ("struct", "Shop.Core.Money", "public", ""),
        ("field", "Shop.Core.Money.Amount", "public", ""),
        ("class", "Shop.Core.Line", "public", ""),
        ("enum", "Shop.Core.Kind", "internal", ""),
        ("constant", "Shop.Core.Kind.First", "public", ""),
        ("constant", "Shop.Core.Kind.Second", "public", ""),
    ]


def test_csharp_file_scoped_namespace() -> None:
    assert rows_of("csharp", "namespace A.B;\nclass C { int D => 1; }\n") == [
        ("class", "A.B.C", "internal", ""),
        ("property", "A.B.C.D", "private", ""),
    ]


RUBY = """# frozen_string_literal: true

module Shop::Core
  # A cart.
  # Holds lines.
  class Cart < Base
    LIMIT = 10
    attr_reader :lines, :total
    scope :open, -> { where(open: true) }
    Line = Struct.new(:id) do
      def label = id.to_s
    end

    def self.build(id)
      local = 1
      new(id)
    end

    def empty? = lines.none?
    def +(other); end

    class << self
      def reset; end
    end

    private

    # Secret.
    def secret(a,
               b)
    end

    public
    def open_again; end
    private def inline; end
    alias_method :size, :count
  end

  def self.version; end
  def helper; end
end

def top; end

test "works well" do
  assert true
end
"""


def test_ruby() -> None:
    assert rows_of("ruby", RUBY) == [
        ("module", "Shop.Core", "public", ""),
        ("class", "Shop.Core.Cart", "public", "A cart."),
        ("constant", "Shop.Core.Cart.LIMIT", "public", ""),
        ("property", "Shop.Core.Cart.lines", "public", ""),
        ("property", "Shop.Core.Cart.total", "public", ""),
        ("method", "Shop.Core.Cart.open", "public", ""),
        ("class", "Shop.Core.Cart.Line", "public", ""),
        ("method", "Shop.Core.Cart.Line.label", "public", ""),
        ("method", "Shop.Core.Cart.build", "public", ""),
        ("method", "Shop.Core.Cart.empty?", "public", ""),
        ("method", "Shop.Core.Cart.+", "public", ""),
        ("method", "Shop.Core.Cart.reset", "public", ""),
        ("method", "Shop.Core.Cart.secret", "private", "Secret."),
        ("method", "Shop.Core.Cart.open_again", "public", ""),
        ("method", "Shop.Core.Cart.inline", "private", ""),
        ("method", "Shop.Core.Cart.size", "public", ""),
        ("method", "Shop.Core.version", "public", ""),
        ("method", "Shop.Core.helper", "public", ""),
        ("function", "top", "public", ""),
        ("test", "works well", "public", ""),
    ]


def test_a_comment_behind_code_documents_nothing_below_it() -> None:
    assert rows_of("python", "x = 1  # about x\ndef f(): pass\n")[1] == ("function", "f", "public", "")


def test_a_blank_line_parts_a_comment_from_a_definition() -> None:
    assert rows_of("go", "package a\n\n// License.\n\nfunc F() {}\n") == [("function", "F", "public", "")]


def test_long_signatures_are_cut() -> None:
    arguments = ", ".join(f"argument_{number}: int" for number in range(40))
    (symbol,) = symbols_of("python", f"def f({arguments}): pass\n")
    assert len(symbol.signature) == 200
    assert symbol.signature.endswith("…")
