// Prints the definitions of Scala files as scalameta sees them: paths in, [path, line, end line, kind, name] out.
const fs = require("fs");
const { parseSource } = require("scalameta-parsers");

const TYPES = new Set(["Defn.Class", "Defn.Trait", "Defn.Object", "Defn.Enum", "Defn.Type", "Decl.Type", "Pkg.Object"]);
const FUNCTIONS = new Set(["Defn.Def", "Decl.Def", "Defn.Macro"]);
const VALUES = new Set(["Defn.Val", "Defn.Var", "Decl.Val", "Decl.Var"]);
const BODIES = new Set(["Template", "Source", "Pkg", "Pkg.Body", "Template.Body"]);

function names(pattern) {
  if (pattern.type === "Pat.Var") return [pattern.name.value];
  if (pattern.type === "Pat.Tuple") return pattern.args.flatMap(names);
  return [];
}

function definitions(path, text, tree) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  const line = (at) => {
    let low = 0, high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= at) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
  const emit = (node, at, kind, name) =>
    console.log(JSON.stringify([path, line(at.pos.start), line(Math.max(node.pos.start, node.pos.end - 1)), kind, name]));
  const visit = (node, inBody) => {
    if (node === null || typeof node !== "object") return;
    if (Array.isArray(node)) return node.forEach((one) => visit(one, inBody));
    if (TYPES.has(node.type)) emit(node, node.name, "type", node.name.value);
    else if (FUNCTIONS.has(node.type)) emit(node, node.name, "function", node.name.value);
    else if (node.type === "Ctor.Secondary") emit(node, node, "function", "this");
    else if (node.type === "Defn.EnumCase") emit(node, node.name, "value", node.name.value);
    else if (node.type === "Defn.RepeatedEnumCase") node.cases.forEach((one) => emit(node, one, "value", one.value));
    else if (VALUES.has(node.type) && inBody)
      for (const pattern of node.pats) for (const name of names(pattern)) emit(node, pattern, "value", name);
    if (node.type === "Defn.Class") {
      const isCase = node.mods.some((one) => one.type === "Mod.Case");
      const clauses = node.ctor.paramClauses ? node.ctor.paramClauses.map((one) => one.values) : node.ctor.paramss;
      clauses.forEach((clause) =>
        clause.forEach((one) => {
          if (isCase || one.mods.some((mod) => /ValParam|VarParam/.test(mod.type))) emit(one, one.name, "value", one.name.value);
        }));
    }
    for (const [key, value] of Object.entries(node)) if (key !== "pos") visit(value, BODIES.has(node.type));
  };
  visit(tree, true);
}

for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const text = fs.readFileSync(path, "utf8");
  let tree = null;
  for (const dialect of path.endsWith(".sbt") ? ["Sbt1"] : ["Scala213Source3", "Scala3", "Scala213", "Scala212"]) {
    const read = parseSource(text, { dialect });
    if (!read.error) {
      tree = read;
      break;
    }
  }
  if (tree === null) console.log(JSON.stringify({ bad: path }));
  else definitions(path, text, tree);
}
