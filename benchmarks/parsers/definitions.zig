//! Prints the definitions of Zig files as Zig's own parser sees them: paths in, [path, line, end, kind, name] out.
//! Compile with `zig build-exe definitions.zig`. What `const` gives to an import is no definition.

const std = @import("std");
const Ast = std.zig.Ast;

pub fn main(init: std.process.Init) !void {
    const gpa = init.arena.allocator();
    const io = init.io;
    var input_buffer: [4096]u8 = undefined;
    var input = std.Io.File.stdin().readerStreaming(io, &input_buffer);
    var output_buffer: [4096]u8 = undefined;
    var output = std.Io.File.stdout().writerStreaming(io, &output_buffer);
    const out = &output.interface;
    while (try input.interface.takeDelimiter('\n')) |line| {
        const path = try gpa.dupe(u8, line);
        const source = try std.Io.Dir.cwd().readFileAllocOptions(io, path, gpa, .unlimited, .of(u8), 0);
        const tree = try Ast.parse(gpa, source, .{ .mode = .zig });
        if (tree.errors.len > 0) {
            try out.print("{{\"bad\": \"{s}\"}}\n", .{path});
            continue;
        }
        for (tree.rootDecls()) |member| try ofMember(out, path, tree, member, true);
        for (0..tree.nodes.len) |number| {
            const node: Ast.Node.Index = @enumFromInt(number);
            if (tree.nodeTag(node) == .root) continue;
            var buffer: [2]Ast.Node.Index = undefined;
            if (tree.fullContainerDecl(&buffer, node)) |container| {
                const is_struct = tree.tokenTag(container.ast.main_token) == .keyword_struct;
                for (container.ast.members) |member| try ofMember(out, path, tree, member, is_struct);
            } else if (tree.fullVarDecl(node)) |variable| {
                if (isType(tree, variable)) try emit(out, path, tree, node, "type", variable.ast.mut_token + 1);
            } else if (tree.nodeTag(node) == .fn_decl) {
                try ofFunction(out, path, tree, node);
            } else if (isPrototype(tree, node)) {
                try ofFunction(out, path, tree, node);
            }
        }
    }
    try out.flush();
}

/// Values; types and functions are found wherever they are.
fn ofMember(out: *std.Io.Writer, path: []const u8, tree: Ast, member: Ast.Node.Index, in_struct: bool) !void {
    if (tree.fullVarDecl(member)) |variable| {
        if (isType(tree, variable) or isImport(tree, variable)) return;
        try emit(out, path, tree, member, "value", variable.ast.mut_token + 1);
    } else if (tree.fullContainerField(member)) |field| {
        if (field.ast.tuple_like and in_struct) return;
        if (std.mem.eql(u8, tree.tokenSlice(field.ast.main_token), "_")) return;
        try emit(out, path, tree, member, "value", field.ast.main_token);
    }
}

/// A prototype that stands for itself: that of a function with a body is part of it, that of a type has no name.
fn isPrototype(tree: Ast, node: Ast.Node.Index) bool {
    var buffer: [1]Ast.Node.Index = undefined;
    const prototype = tree.fullFnProto(&buffer, node) orelse return false;
    if (prototype.name_token == null) return false;
    return tree.tokenTag(tree.lastToken(node) + 1) == .semicolon;
}

fn ofFunction(out: *std.Io.Writer, path: []const u8, tree: Ast, node: Ast.Node.Index) !void {
    var buffer: [1]Ast.Node.Index = undefined;
    const prototype = tree.fullFnProto(&buffer, node) orelse return;
    const name = prototype.name_token orelse return;
    const returned = prototype.ast.return_type.unwrap();
    const makes_type = if (returned) |one| std.mem.eql(u8, tree.getNodeSource(one), "type") else false;
    try emit(out, path, tree, node, if (makes_type) "type" else "function", name);
}

fn isType(tree: Ast, variable: Ast.full.VarDecl) bool {
    if (tree.tokenTag(variable.ast.mut_token) != .keyword_const) return false;
    const value = variable.ast.init_node.unwrap() orelse return false;
    var buffer: [2]Ast.Node.Index = undefined;
    return tree.fullContainerDecl(&buffer, value) != null or tree.nodeTag(value) == .error_set_decl;
}

fn isImport(tree: Ast, variable: Ast.full.VarDecl) bool {
    if (tree.tokenTag(variable.ast.mut_token) != .keyword_const) return false;
    const value = variable.ast.init_node.unwrap() orelse return false;
    const source = tree.getNodeSource(value);
    for ([_][]const u8{ "@import", "@This", "@cImport" }) |name| {
        if (std.mem.startsWith(u8, source, name)) return true;
    }
    // const c = a.b.c;
    if (variable.visib_token != null or variable.ast.type_node.unwrap() != null) return false;
    if (tree.nodeTag(value) != .field_access) return false;
    return std.mem.eql(u8, tree.tokenSlice(tree.lastToken(value)), tree.tokenSlice(variable.ast.mut_token + 1));
}

fn emit(out: *std.Io.Writer, path: []const u8, tree: Ast, node: Ast.Node.Index, kind: []const u8, name: Ast.TokenIndex) !void {
    const first = tree.tokenLocation(0, name).line + 1;
    const last = tree.tokenLocation(0, tree.lastToken(node)).line + 1;
    var quoted: [512]u8 = undefined;
    const shown = try std.fmt.bufPrint(&quoted, "{f}", .{std.json.fmt(tree.tokenSlice(name), .{})});
    try out.print("[\"{s}\", {d}, {d}, \"{s}\", {s}]\n", .{ path, first, last, kind, shown });
}
