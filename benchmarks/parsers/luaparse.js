// Prints the definitions of Lua files as luaparse sees them: paths in, [path, line, end line, kind, name] out.
const fs = require("fs");
const luaparse = require("luaparse");

function nameOf(node) {
  if (node.type === "Identifier") return node.name;
  if (node.type === "MemberExpression") return node.identifier.name;
  if (node.type === "IndexExpression" && node.index.type === "StringLiteral") return node.index.raw.slice(1, -1);
  return null;
}

function definitions(path, chunk) {
  const emit = (node, kind, name) =>
    console.log(JSON.stringify([path, node.loc.start.line, node.loc.end.line, kind, name]));
  const isImport = (value) =>
    value && /^(CallExpression|StringCallExpression)$/.test(value.type) && value.base.name === "require";
  const visit = (node, outermost) => {
    if (node === null || typeof node !== "object") return;
    if (Array.isArray(node)) return node.forEach((one) => visit(one, outermost));
    if (node.type === "FunctionDeclaration" && node.identifier) emit(node, "function", nameOf(node.identifier));
    if (node.type === "AssignmentStatement" || node.type === "LocalStatement") {
      node.variables.forEach((variable, at) => {
        const value = node.init[at];
        const name = nameOf(variable);
        if (name === null) return;
        if (value && value.type === "FunctionDeclaration") emit(node, "function", name);
        else if (outermost && !isImport(value) && variable.type !== "IndexExpression") {
          const isAlias = value && value.type === "Identifier" && value.name === name; // local type = type
          if (!isAlias && !(variable.type === "MemberExpression" && (variable.base.type !== "Identifier" || name.startsWith("__"))))
            emit(node, "value", name);
        }
      });
    }
    if (node.type === "TableKeyString" && node.value.type === "FunctionDeclaration") emit(node, "function", node.key.name);
    if (node.type === "TableKey" && node.value.type === "FunctionDeclaration" && node.key.type === "StringLiteral")
      emit(node, "function", node.key.raw.slice(1, -1));
    for (const [key, value] of Object.entries(node)) if (key !== "loc") visit(value, false);
  };
  chunk.body.forEach((one) => visit(one, true));
}

for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  try {
    definitions(path, luaparse.parse(fs.readFileSync(path, "utf8"), { locations: true, luaVersion: "LuaJIT", encodingMode: "pseudo-latin1" }));
  } catch (error) {
    if (!(error instanceof SyntaxError) && error.name !== "SyntaxError") throw error;
    console.log(JSON.stringify({ bad: path }));
  }
}
