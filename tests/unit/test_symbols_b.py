"""Definitions of PHP, Kotlin, Swift, Scala, shell, Lua, Elixir, Haskell and Zig, by their queries.

Each source holds every form of definition that its query knows, and forms that are none: locals, imports,
closures. Several clauses or equations of one function count once here.
"""

import re

import pytest

from cocosearch_py.languages.table import LANGUAGES
from cocosearch_py.model.files import ParseStatus
from cocosearch_py.model.symbols import Symbol
from cocosearch_py.parsing.source import parse_source

PHP = r"""<?php
namespace Shop\Billing;

use Shop\Model\Order;

const TAX_RATE = 0.19, DISCOUNT = 0.05;
define('BILLING_VERSION', '2.1');

interface Payable extends Countable
{
    const CURRENCY = 'EUR';
    public function amount(): int;
}

trait LogsChanges
{
    protected array $changes = [];
    private function logChange(string $what): void
    {
        $local = 1;
        $closure = function () use ($what) { return $what; };
    }
}

enum Status: string
{
    case Open = 'open';
    public static function fromCode(int $code): self { return self::Open; }
}

/** An invoice for an order. */
#[Entity(table: 'invoices')]
abstract class Invoice implements Payable
{
    use LogsChanges;
    public const int MAX_LINES = 100, MIN_LINES = 1;
    public static int $count = 0, $other = 1;

    /**
     * Build an invoice.
     */
    public function __construct(private readonly Order $order, int $cents = 0)
    {
    }

    // The sum in cents.
    final public function amount(): int
    {
        return 0;
    }
    abstract protected function render(): string;
}

if (! function_exists('helper')) {
    function helper() { return new class { public function render(): string { return ''; } }; }
}
$handler = fn (int $x) => $x * 2;
$app = new Application();
"""

PHP_SYMBOLS = """
constant Shop.Billing.TAX_RATE | constant Shop.Billing.DISCOUNT | constant Shop.Billing.BILLING_VERSION |
interface Shop.Billing.Payable | constant Shop.Billing.Payable.CURRENCY |
method Shop.Billing.Payable.amount | trait Shop.Billing.LogsChanges |
property Shop.Billing.LogsChanges.changes | method Shop.Billing.LogsChanges.logChange |
function Shop.Billing.LogsChanges.logChange.closure | enum Shop.Billing.Status |
constant Shop.Billing.Status.Open | method Shop.Billing.Status.fromCode | class Shop.Billing.Invoice |
constant Shop.Billing.Invoice.MAX_LINES | constant Shop.Billing.Invoice.MIN_LINES |
property Shop.Billing.Invoice.count | property Shop.Billing.Invoice.other |
constructor Shop.Billing.Invoice.__construct | property Shop.Billing.Invoice.order |
method Shop.Billing.Invoice.amount | method Shop.Billing.Invoice.render | function Shop.Billing.helper |
method Shop.Billing.helper.render | function Shop.Billing.handler | variable Shop.Billing.app
"""

KOTLIN = """\
package io.shop.shapes

import kotlin.math.PI

/** The unit of every length. */
typealias Metres = Double

const val MAX_SIDES: Int = 12
private var cache = mutableMapOf<String, Shape>()
val <T> List<T>.second: T
    get() = this[1]
val (first, other) = Pair(1, 2)

/**
 * Something with an area.
 */
sealed interface Shape {
    val name: String
    fun area(): Metres
}

enum class Colour(val rgb: Int) {
    RED(0xFF0000),
    BLUE(0x0000FF);

    open fun hex(): String = rgb.toString(16)
}

@Serializable
data class Circle(val radius: Metres, private var tag: String = "", plain: Int) : Shape {
    override val name get() = "circle"
    private lateinit var owner: Owner

    constructor(diameter: Int) : this(diameter / 2.0)

    // Area of the disc.
    override fun area(): Metres {
        val square = radius * radius
        fun inner(x: Int) = x
        return PI * square
    }

    companion object {
        const val UNIT = "m"
        @JvmStatic fun unit(): Circle = Circle(1.0)
    }

    companion object Factory {
        fun make() = Circle(2.0)
    }

    inner class Slice(val angle: Int)
}

object Registry : Visitor {
    override fun visit(shape: Shape) { cache[shape.name] = shape }
}

internal suspend fun <T : Shape> T.scaled(by: Double): T = this
fun String?.orDash(): String = this ?: "-"
fun Map.Entry<String, Int>.flip() = value to key
inline fun <reified T> create(): T = TODO()
"""

KOTLIN_SYMBOLS = """
type Metres | constant MAX_SIDES | variable cache | property List.second | constant first | constant other |
interface Shape | property Shape.name | method Shape.area | enum Colour | property Colour.rgb |
constant Colour.RED | constant Colour.BLUE | method Colour.hex | class Circle | property Circle.radius |
property Circle.tag | property Circle.name | property Circle.owner | constructor Circle.constructor |
method Circle.area | function Circle.area.inner | property Circle.UNIT | method Circle.unit |
object Circle.Factory | method Circle.Factory.make | class Circle.Slice | property Circle.Slice.angle |
object Registry | method Registry.visit | method T.scaled | method String.orDash | method Entry.flip |
function create
"""

SWIFT = """\
import Foundation

/// The biggest number of sides.
public let maxSides = 12
private var registry: [String: Shape] = [:]
typealias Metres = Double

/// Something with an area.
public protocol Shape: AnyObject {
    associatedtype Unit
    var name: String { get }
    func area() -> Metres
    init(name: String)
}

enum Colour: Int {
    case red = 1, blue
    indirect case nested(Colour)
    var hex: String { String(rawValue, radix: 16) }
}

@available(iOS 13, *)
public final class Circle: Shape {
    public let radius: Metres
    static var unit = 1, other = 2
    lazy var block: () -> Void = { let local = 1; print(local) }

    public init(radius: Metres) {
        self.radius = radius
    }
    convenience init?(text: String) { return nil }
    deinit { print("gone") }

    /// Area of the disc.
    @discardableResult
    public func area(
        scale: Double
    ) -> Metres {
        let square = radius * radius
        func inner(_ x: Int) -> Int { x }
        return square
    }
    subscript(index: Int) -> Metres { radius }
    struct Slice { var angle: Int }
}

struct Point: Equatable {
    static func == (a: Point, b: Point) -> Bool { true }
    prefix static func <+> (a: Point) -> Point { a }
}

extension Circle: CustomStringConvertible {
    typealias Value = Int
    var description: String { "circle" }
    func scaled<T>(by factor: T) -> Circle { self }
}

actor Counter {
    func increment() async { }
}

func compose<A, B>(_ f: @escaping (A) -> B) -> (A) -> B { f }
@attached(member) public macro stringify() = #externalMacro(module: "M", type: "S")
"""

SWIFT_SYMBOLS = """
constant maxSides | variable registry | type Metres | protocol Shape | type Shape.Unit |
property Shape.name | method Shape.area | constructor Shape.init | enum Colour | constant Colour.red |
constant Colour.blue | constant Colour.nested | property Colour.hex | class Circle |
property Circle.radius | property Circle.unit | property Circle.other | property Circle.block |
constructor Circle.init | method Circle.deinit | method Circle.area | function Circle.area.inner |
method Circle.subscript | struct Circle.Slice | property Circle.Slice.angle | struct Point |
method Point.== | method Point.<+> | extension Circle | type Circle.Value | property Circle.description |
method Circle.scaled | class Counter | method Counter.increment | function compose | macro stringify
"""

SCALA = """\
package shop.shapes

import scala.math.Pi

/** Unit of length. */
type Metres = Double

/** Something with an area. */
sealed trait Shape extends Product {
  type Unit
  def area: Metres
  val sides: Int
  lazy val label: String = name
}

final case class Circle(radius: Metres, private val tag: String = "") extends Shape {
  def this(d: Int) = this(d / 2.0)
  override def area: Metres = {
    val square = radius * radius
    def inner(x: Int): Int = x
    Pi * square
  }
  val (a, b) = (1, 2)
  var c, d = 1
}

class Engine(val power: Int, weight: Int)

object Circle {
  implicit val ordering: Ordering[Circle] = Ordering.by(_.radius)
  def apply(r: Int): Circle = new Circle(r)
  implicit class Ops(val c: Circle) extends AnyVal { def +(o: Circle) = c }
}

case object Empty extends Shape

package object util { def helper = 1 }

enum Colour(val rgb: Int):
  case Red extends Colour(0xFF0000)
  case Blue, Green
  case Custom(r: Int)
  def hex: String = rgb.toHexString

given intOrd: Ordering[Int] with
  def compare(x: Int, y: Int): Int = x - y

given Show[Int] = Show.fromToString

extension [A](xs: List[A])
  def second: A = xs(1)

opaque type Id = Long

@main def run(args: String*): Unit = println("run")
val top = 1
"""

SCALA_SYMBOLS = """
type Metres | trait Shape | type Shape.Unit | method Shape.area | property Shape.sides |
property Shape.label | class Circle | property Circle.radius | property Circle.tag |
constructor Circle.this | method Circle.area | function Circle.area.inner | property Circle.a |
property Circle.b | property Circle.c | property Circle.d | class Engine | property Engine.power |
object Circle | property Circle.ordering | method Circle.apply | class Circle.Ops | property Circle.Ops.c |
method Circle.Ops.+ | object Empty | object util | method util.helper | enum Colour | property Colour.rgb |
constant Colour.Red | constant Colour.Blue | constant Colour.Green | constant Colour.Custom |
method Colour.hex | impl intOrd | method intOrd.compare | impl Show[Int] | extension List |
method List.second | type Id | function run | constant top
"""

BASH = """\
#!/usr/bin/env bash
set -euo pipefail

readonly VERSION="1.2"
export PATH_PREFIX=/opt/shop
declare -r MAX_RETRIES=3
declare -A TARGETS=([a]=b)
LOG_FILE="/tmp/x.log"
DEBUG=0 some_command --flag

# Print a message and leave.
die() {
  local code=$1
  message="oops"
  echo "$code" >&2
  exit 1
}

function retry {
  local n=0
  until "$@"; do n=$((n + 1)); done
}

function with_parens() {
  inner() { echo inner; }
  inner
}

my::namespaced-func() ( cd /tmp && ls )

if [[ -n "${CI:-}" ]]; then
  ci_setup() { echo ci; }
fi

main() { retry die; }
main "$@"
"""

BASH_SYMBOLS = """
constant VERSION | variable PATH_PREFIX | constant MAX_RETRIES | variable TARGETS | variable LOG_FILE |
function die | function retry | function with_parens | function with_parens.inner |
function my.namespaced-func | function ci_setup | function main
"""

LUA = """\
-- A small cache.
local M = {}

local uv = require("luv")
local setmetatable = setmetatable
local cache, hits = {}, 0
local MAX_SIZE = 100
version = "1.0"
M.limit = 100

---@class Cache
local Cache = {}
Cache.__index = Cache

--- Make a cache.
---@param size number
function M.new(size)
  local self = setmetatable({}, Cache)
  self.size = size
  local helper = function(x) return x end
  return self
end

--[[ Get a value. ]]
function Cache:get(key)
  return cache[key]
end

local function evict(n)
  return n
end

function globalFunction() end

M.drop = function(key) cache[key] = nil end
local on_event = function(e) print(e) end
M.a.b.deep = function() end
M["quoted"] = function() end

local handlers = {
  open = function(self) return self end,
  ["close"] = function() end,
  nested = { run = function() end },
  size = 3,
}

return { setup = function(opts) end, opts = {} }
"""

LUA_SYMBOLS = """
variable M | variable cache | variable hits | constant MAX_SIZE | variable version | field M.limit | variable Cache |
method M.new | function M.new.helper | method Cache.get | function evict | function globalFunction |
method M.drop | function on_event | method M.a.b.deep | method M.quoted | variable handlers |
function handlers.open | function handlers.close | function handlers.run | function setup
"""

ELIXIR = '''\
defmodule Shop.Billing do
  @moduledoc """
  Bills customers.
  """
  use GenServer
  import Ecto.Query, only: [from: 2]

  @behaviour Shop.Payable
  @max_lines 100
  @typedoc "How far it is"
  @type status :: :open | :paid
  @typep internal(a) :: {a, integer()}
  @callback charge(map, keyword) :: :ok | {:error, term}

  defstruct [:number, lines: [], total: 0]

  defmodule Line do
    @moduledoc false
    def new, do: %{}
  end

  @doc """
  Charges an order.
  """
  @spec charge(map, keyword) :: :ok
  @impl true
  def charge(order, opts) when is_list(opts) do
    fun = fn x -> x + 1 end
    fun.(order)
  end

  @doc ~S"Is it paid?"
  def paid?(%{status: s}), do: s == :paid

  defp helper(x) when x > 0, do: x
  defp plain, do: 1

  # Unless paid.
  defmacro unless_paid(order, do: block) do
    quote do
      def injected(x), do: x
    end
  end

  defmacrop priv(x), do: x
  defguard is_big(x) when x > 100
  defdelegate total(order), to: Shop.Math
  def a + b, do: Kernel.+(a, b)
end

defprotocol Shop.Payable do
  @doc "Amount in cents"
  def amount(thing)
end

defimpl Shop.Payable, for: Shop.Order do
  def amount(order), do: order.total
end

defmodule Shop.Error do
  defexception [:message, :code]
end

defmodule Shop.BillingTest do
  describe "charge/2" do
    setup do
      :ok
    end

    test "charges", %{a: a} do
      assert a
    end
  end
end
'''

ELIXIR_SYMBOLS = """
module Shop.Billing | constant Shop.Billing.max_lines | type Shop.Billing.status |
type Shop.Billing.internal | method Shop.Billing.charge | struct Shop.Billing.defstruct |
module Shop.Billing.Line | function Shop.Billing.Line.new | function Shop.Billing.charge |
function Shop.Billing.paid? | function Shop.Billing.helper | function Shop.Billing.plain |
macro Shop.Billing.unless_paid | function Shop.Billing.unless_paid.injected | macro Shop.Billing.priv |
macro Shop.Billing.is_big | function Shop.Billing.total | function Shop.Billing.+ | protocol Shop.Payable |
method Shop.Payable.amount | impl Shop.Order.Shop.Payable | method Shop.Order.Shop.Payable.amount |
module Shop.Error | struct Shop.Error.defexception | module Shop.BillingTest |
test Shop.BillingTest.charges
"""

HASKELL = """\
{-# LANGUAGE TypeFamilies, GADTs #-}
module Shop.Shapes (Shape(..), area) where

import qualified Data.Map as M

-- | Unit.
type Metres = Double

-- | A shape.
data Shape
  = Circle { radius :: Metres }
  | Square Metres
  deriving (Eq, Show)

newtype Id a = Id { unId :: Int } deriving newtype Eq

data Expr a where
  IntE :: Int -> Expr Int

-- | Has an area.
class Eq a => HasArea a where
  type Unit a :: *
  -- | the area
  area :: a -> Metres
  label :: a -> String

instance HasArea Shape where
  type Unit Shape = Metres
  area (Circle r) = pi * r * r
  area (Square s) = s * s

instance Show a => Show (Id a) where
  show x = "Id"

deriving instance Ord Shape

type family Elem c where
  Elem [e] = e

-- | Scale a shape.
scale
  :: Double
  -> Shape
  -> Shape
scale k (Circle r) = Circle (k * r)
scale k (Square s)
  | k > 0 = Square (k * s)
  | otherwise = go s
  where
    go :: Double -> Shape
    go x = Square x
    helper = 1

unsigned x y = x + y

pointFree :: Int -> Int
pointFree = unsigned 1

(|+|) :: Int -> Int -> Int
a |+| b = a + b

x `op` y = x

pattern Pair x y = (x, y)

foreign import ccall "math.h sin" c_sin :: Double -> Double

main :: IO ()
main = print 1
"""

HASKELL_SYMBOLS = """
type Metres | type Shape | constant Circle | field Circle.radius | constant Square | type Id | constant Id |
field Id.unId | type Expr | constant IntE | class HasArea | type HasArea.Unit | method HasArea.area |
method HasArea.label | impl Shape.HasArea | method Shape.HasArea.area | impl Id.Show | method Id.Show.show |
impl Shape.Ord | type Elem | function scale | function scale.go | function unsigned | function pointFree |
function |+| | function op | constant Pair | function c_sin | function main
"""

ZIG = """\
//! Shapes.
const std = @import("std");
const Allocator = std.mem.Allocator;
const testing = std.testing;

/// Most sides.
pub const max_sides: u32 = 12;
var counter: usize = 0;
extern "c" fn malloc(size: usize) ?*anyopaque;
version: u8 = 1,

/// A shape.
pub const Shape = union(enum) {
    circle: Circle,
    square: f64,

    pub fn area(self: Shape) f64 {
        const sq = 1;
        var x: u8 = 2;
        const Local = struct { a: u8 };
        return sq;
    }
};

pub const Circle = struct {
    radius: f64,

    const Self = @This();
    pub const unit: Circle = .{ .radius = 1 };

    pub fn init(allocator: Allocator, r: f64) !Circle {
        return .{ .radius = r };
    }
    pub const Inner = packed struct(u8) { b: u4, _: u4 = 0 };
};

const Colour = enum(u8) {
    red = 1,
    f16,
    type,
    _,
    pub fn hex(self: Colour) u8 { return @intFromEnum(self); }
};

pub const ShapeError = error{ TooBig, TooSmall };
pub const AnyError = error{Other} || ShapeError;

pub fn List(comptime T: type) type {
    return struct {
        items: []T,
        pub fn append(self: *@This(), item: T) !void {
            _ = self;
            _ = item;
        }
    };
}

pub inline fn add(a: i32, b: i32) i32 {
    return a + b;
}

test "area of a circle" {
    const c = Circle{ .radius = 1 };
    try std.testing.expect(c.radius == 1);
}
test add {
    _ = add(1, 2);
}
"""

ZIG_SYMBOLS = """
constant max_sides | variable counter | function malloc | field version | struct Shape |
field Shape.circle | field Shape.square | method Shape.area | struct Shape.area.Local |
field Shape.area.Local.a | struct Circle | field Circle.radius | constant Circle.unit | method Circle.init |
struct Circle.Inner | field Circle.Inner.b | enum Colour | constant Colour.red |
constant Colour.f16 | constant Colour.type | method Colour.hex |
enum ShapeError | constant AnyError | struct List | field List.items | method List.append | function add |
test area of a circle | test add
"""


SOURCES = {
    "php": (PHP, PHP_SYMBOLS),
    "kotlin": (KOTLIN, KOTLIN_SYMBOLS),
    "swift": (SWIFT, SWIFT_SYMBOLS),
    "scala": (SCALA, SCALA_SYMBOLS),
    "bash": (BASH, BASH_SYMBOLS),
    "lua": (LUA, LUA_SYMBOLS),
    "elixir": (ELIXIR, ELIXIR_SYMBOLS),
    "haskell": (HASKELL, HASKELL_SYMBOLS),
    "zig": (ZIG, ZIG_SYMBOLS),
}


def _symbols(language_id: str) -> list[Symbol]:
    return list(parse_source(language_id, SOURCES[language_id][0].encode()).symbols)


def _only(language_id: str, qualified_name: str) -> Symbol:
    """The first definition of that name: a function's doc and signature are those of its first clause."""
    return next(symbol for symbol in _symbols(language_id) if symbol.qualified_name == qualified_name)


@pytest.mark.parametrize("language_id", SOURCES)
def test_every_definition_is_found_and_nothing_else(language_id: str) -> None:
    source, expected = SOURCES[language_id]
    parsed = parse_source(language_id, source.encode())

    assert parsed.status is ParseStatus.OK
    found = [f"{symbol.kind} {symbol.qualified_name}" for symbol in parsed.symbols]
    assert list(dict.fromkeys(found)) == re.split(r" \|[ \n]", expected.strip())


@pytest.mark.parametrize("language_id", SOURCES)
def test_spans_hold_the_name_and_lie_within_the_parent(language_id: str) -> None:
    source = SOURCES[language_id][0].encode()
    symbols = _symbols(language_id)

    for position, symbol in enumerate(symbols):
        assert symbol.name in source[symbol.start_byte : symbol.end_byte].decode()
        assert source[: symbol.start_byte].count(b"\n") + 1 == symbol.start_line
        if symbol.parent is not None:
            assert symbol.parent < position
            outer = symbols[symbol.parent]
            assert outer.start_byte <= symbol.start_byte and symbol.end_byte <= outer.end_byte


@pytest.mark.parametrize(
    ("language_id", "qualified_name", "doc"),
    [
        ("kotlin", "Metres", "The unit of every length."),
        ("kotlin", "Circle.area", "Area of the disc."),
        ("swift", "Circle.area", "Area of the disc."),
        ("swift", "Shape", "Something with an area."),
        ("scala", "Shape", "Something with an area."),
        ("bash", "die", "Print a message and leave."),
        ("lua", "M.new", "Make a cache."),
        ("lua", "Cache.get", "Get a value."),
        ("elixir", "Shop.Billing", "Bills customers."),
        ("elixir", "Shop.Billing.paid?", "Is it paid?"),
        ("elixir", "Shop.Billing.status", "How far it is"),
        ("elixir", "Shop.Billing.unless_paid", "Unless paid."),
        ("elixir", "Shop.Payable.amount", "Amount in cents"),
        ("elixir", "Shop.Billing.plain", ""),
        ("haskell", "Shape", "A shape."),
        ("haskell", "scale", "Scale a shape."),
        ("haskell", "HasArea.area", "the area"),
        ("zig", "Shape", "A shape."),
        ("zig", "max_sides", "Most sides."),
    ],
)
def test_doc_is_the_comment_above_or_the_attribute(language_id: str, qualified_name: str, doc: str) -> None:
    assert _only(language_id, qualified_name).doc.split("\n")[0] == doc


@pytest.mark.parametrize(
    ("language_id", "qualified_name", "signature"),
    [
        ("kotlin", "Circle.area", "override fun area(): Metres"),
        ("kotlin", "T.scaled", "internal suspend fun <T : Shape> T.scaled(by: Double): T"),
        ("swift", "Circle.area", "@discardableResult public func area( scale: Double ) -> Metres"),
        ("swift", "compose", "func compose<A, B>(_ f: @escaping (A) -> B) -> (A) -> B"),
        ("scala", "Circle.area", "override def area: Metres"),
        ("bash", "with_parens", "function with_parens()"),
        ("lua", "M.new", "function M.new(size)"),
        ("elixir", "Shop.Billing.unless_paid", "defmacro unless_paid(order, do: block)"),
        ("elixir", "Shop.Billing.is_big", "defguard is_big(x) when x > 100"),
        ("haskell", "scale", "scale :: Double -> Shape -> Shape"),
        ("haskell", "HasArea", "class Eq a => HasArea a where"),
        ("zig", "Circle.init", "pub fn init(allocator: Allocator, r: f64) !Circle"),
        ("zig", "List", "pub fn List(comptime T: type) type"),
    ],
)
def test_signature_ends_where_the_body_begins(language_id: str, qualified_name: str, signature: str) -> None:
    assert _only(language_id, qualified_name).signature == signature


@pytest.mark.parametrize(
    ("language_id", "lines"),
    [
        ("php", [31, 39, 46]),
        ("kotlin", [5, 14, 36]),
        ("swift", [3, 8, 34]),
        ("scala", [5, 8]),
        ("bash", [1, 11]),
        ("lua", [1, 11, 15, 16, 24]),
        ("elixir", [2, 10, 22, 32, 38, 52]),
        ("haskell", [6, 9, 20, 23, 40]),
        ("zig", [1, 6, 12]),
    ],
)
def test_comments_are_found(language_id: str, lines: list[int]) -> None:
    source = SOURCES[language_id][0].encode()
    comments = parse_source(language_id, source).comments

    found = [source[:start].count(b"\n") + 1 for start, _end in comments]
    assert list(dict.fromkeys(found)) == lines


# Languages whose grammars come with an extra; their tests run where those are installed.

HCL = """\
# Bucket
resource "aws_s3_bucket" "logs" {
  bucket = "x"
  lifecycle { rule = 1 }
}
variable "region" { default = "eu" }
locals {
  name = "a"
}
module "vpc" { source = "./vpc" }
terraform { required_version = "1" }
"""

HCL_SYMBOLS = """
object aws_s3_bucket.logs | variable region | constant name | module vpc
"""

MAKE = """\
# comment
CC := gcc
export FLAGS ?= -O2
define RECIPE
echo
endef
.PHONY: all clean
all: main.o util.o
	$(CC) -o main
clean:
	rm -f *.o
%.o: %.c
	$(CC)
"""

MAKE_SYMBOLS = """
variable CC | variable FLAGS | macro RECIPE | function all | function clean
"""

SQL = """\
-- users
CREATE TABLE shop.users (id int primary key, name text);
CREATE VIEW active AS SELECT * FROM users;
CREATE UNIQUE INDEX idx_name ON users (name);
CREATE OR REPLACE FUNCTION add(a int, b int) RETURNS int AS $$ SELECT 1 $$ LANGUAGE sql;
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE SCHEMA shop;
CREATE TRIGGER t BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION add();
CREATE MATERIALIZED VIEW mv AS SELECT 1;
"""

SQL_SYMBOLS = """
struct shop.users | field shop.users.id | field shop.users.name | struct active | object idx_name |
function add | type mood | namespace shop | function t | struct mv
"""

JULIA = """\
module Shapes
# comment
"Doc of area"
function area(s::Shape)::Float64
    x = 1
    return x
end
scale(k, s) = k * s
Base.show(io::IO, s::Circle) = print(io)
abstract type Shape end
primitive type Byte 8 end
struct Circle{T<:Real} <: Shape
    r::T
    tag
end
mutable struct Box
    v::Int
end
macro twice(ex)
    ex
end
const MAX = 3
g = 2
function Base.length(b::Box) 1 end
function f(x::T) where {T} x end
@testset "all" begin
end
end
"""

JULIA_SYMBOLS = """
module Shapes | function Shapes.area | function Shapes.scale | method Shapes.Base.show | type Shapes.Shape |
type Shapes.Byte | struct Shapes.Circle | field Shapes.Circle.r | field Shapes.Circle.tag |
struct Shapes.Box | field Shapes.Box.v | macro Shapes.twice | constant Shapes.MAX | variable Shapes.g |
method Shapes.Base.length | function Shapes.f | test Shapes.all
"""

OCAML = """\
(* comment *)
type shape = Circle of float | Square of { side : float }
type r = { mutable x : int; y : string }
exception Bad of string
(** Area. *)
let area s = match s with Circle r -> r | _ -> 0.
let rec fact n = if n = 0 then 1 else n * fact (n - 1)
and other x = x
let pi = 3.14
let ( + ) a b = a
let f = fun x -> x
module M = struct
  let inner x = let local y = y in local x
  type t = int
end
module type S = sig
  val v : int -> int
  type t
end
class point x = object
  val mutable px = x
  method get = px
end
external c : int -> int = "c_stub"
module F (X : S) = struct end
"""

OCAML_SYMBOLS = """
type shape | constant Circle | constant Square | field Square.side | type r | field x | field y | type Bad |
function area | function fact | function other | constant pi | function ( + ) | function f | module M |
function M.inner | function M.inner.local | type M.t | interface S | method S.v | type S.t | class point |
field point.px | method point.get | function c | module F
"""

OCAML_INTERFACE = """\
val x : int
(** add *)
val add : int -> int -> int
type t = { a : int }
module M : sig val q : int end
exception E
"""

OCAML_INTERFACE_SYMBOLS = """
constant x | function add | type t | field a | module M | constant M.q | type E
"""

SOLIDITY = """\
pragma solidity ^0.8.0;
import "./A.sol";
/// @title Bank
contract Bank is Base {
    uint256 public constant MAX = 1;
    mapping(address => uint) balances;
    struct Account { uint id; address who; }
    enum State { Open, Closed }
    event Paid(address who, uint amount);
    error TooLow(uint need);
    modifier onlyOwner() { _; }
    constructor(uint x) { owner = msg.sender; }
    function pay(uint amount) external payable returns (bool) { uint local = 1; return true; }
    receive() external payable {}
    fallback() external {}
}
interface IBank { function pay(uint a) external; }
library Math { function add(uint a, uint b) internal pure returns (uint) { return a+b; } }
function free(uint a) pure returns (uint) { return a; }
uint constant TOP = 1;
type Price is uint256;
"""

SOLIDITY_SYMBOLS = """
class Bank | field Bank.MAX | field Bank.balances | struct Bank.Account | field Bank.Account.id |
field Bank.Account.who | enum Bank.State | constant Bank.State.Open | constant Bank.State.Closed |
type Bank.Paid | type Bank.TooLow | method Bank.onlyOwner | constructor Bank.constructor | method Bank.pay |
method Bank.receive | method Bank.fallback | interface IBank | method IBank.pay | object Math |
method Math.add | function free | constant TOP | type Price
"""

EXTRA_SOURCES = {
    "hcl": (HCL, HCL_SYMBOLS),
    "make": (MAKE, MAKE_SYMBOLS),
    "sql": (SQL, SQL_SYMBOLS),
    "julia": (JULIA, JULIA_SYMBOLS),
    "ocaml": (OCAML, OCAML_SYMBOLS),
    "ocaml_interface": (OCAML_INTERFACE, OCAML_INTERFACE_SYMBOLS),
    "solidity": (SOLIDITY, SOLIDITY_SYMBOLS),
}


@pytest.mark.parametrize("language_id", EXTRA_SOURCES)
def test_definitions_of_languages_with_an_extra_grammar(language_id: str) -> None:
    pytest.importorskip(str(LANGUAGES[language_id].grammar).split(":")[0])
    source, expected = EXTRA_SOURCES[language_id]

    found = [f"{symbol.kind} {symbol.qualified_name}" for symbol in parse_source(language_id, source.encode()).symbols]
    assert found == re.split(r" \|[ \n]", expected.strip())
