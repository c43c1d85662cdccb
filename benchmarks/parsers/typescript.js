// Prints the definitions of JavaScript and TypeScript files, as TypeScript's own parser sees them.
// Reads paths from standard input; prints [path, line, end line, kind, name] for each definition, {"bad": path} for a
// file with syntax errors.
const fs = require("fs");
const ts = require("typescript");

const K = ts.SyntaxKind;
const TYPES = new Set([
  K.ClassDeclaration, K.InterfaceDeclaration, K.EnumDeclaration, K.TypeAliasDeclaration, K.ModuleDeclaration,
]);
const FUNCTIONS = new Set([
  K.FunctionDeclaration, K.MethodDeclaration, K.MethodSignature, K.GetAccessor, K.SetAccessor,
]);
const isFunction = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

// Whether an object is given a name: a function in it is a member then, and a mere argument elsewhere.
const isNamed = (object) =>
  ts.isVariableDeclaration(object.parent) ||
  (ts.isBinaryExpression(object.parent) && object.parent.operatorToken.kind === K.EqualsToken);

function definition(node, depth) {
  if (TYPES.has(node.kind)) return node.name && node.name.kind !== K.GlobalKeyword ? ["type", node.name] : null;
  if (FUNCTIONS.has(node.kind)) return node.name ? ["function", node.name] : null;
  if (ts.isConstructorDeclaration(node)) return ["function", "constructor"];
  if (ts.isPropertyDeclaration(node)) return [isFunction(node.initializer) ? "function" : "value", node.name];
  if (ts.isPropertyAssignment(node)) {
    return isFunction(node.initializer) && isNamed(node.parent) ? ["function", node.name] : null;
  }
  if (ts.isPropertySignature(node)) return ts.isInterfaceDeclaration(node.parent) ? ["value", node.name] : null;
  if (ts.isEnumMember(node)) return ["value", node.name];
  if (ts.isParameter(node)) return ts.isParameterPropertyDeclaration(node, node.parent) ? ["value", node.name] : null;
  if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) {
    if (isFunction(node.initializer)) return ["function", node.name];
    if (node.initializer && ts.isClassExpression(node.initializer)) return ["type", node.name];
    if (node.initializer && /^require\b/.test(node.initializer.getText())) return null;
    const statement = node.parent.parent;
    return depth === 0 && ts.isVariableStatement(statement) && !ts.isBlock(statement.parent) ? ["value", node.name] : null;
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === K.EqualsToken) {
    let value = node.right;
    while (ts.isBinaryExpression(value) && value.operatorToken.kind === K.EqualsToken) value = value.right;
    const name = ts.isPropertyAccessExpression(node.left) ? node.left.name : node.left;
    if (!ts.isIdentifier(name)) return null;
    if (isFunction(value)) return ["function", name];
    if (ts.isClassExpression(value)) return ["type", name];
  }
  return null;
}

for (const path of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const file = ts.createSourceFile(path, fs.readFileSync(path, "utf8"), ts.ScriptTarget.Latest, true);
  if (file.parseDiagnostics.length) {
    console.log(JSON.stringify({ bad: path }));
    continue;
  }
  const line = (at) => file.getLineAndCharacterOfPosition(at).line + 1;
  const visit = (node, depth) => {
    const found = definition(node, depth);
    if (found) {
      const name = typeof found[1] === "string" ? found[1] : found[1].text;
      const at = typeof found[1] === "string" ? node.getStart() : found[1].getStart();
      if (name) console.log(JSON.stringify([path, line(at), line(node.getEnd()), found[0], name]));
    }
    const inner = depth + (ts.isFunctionLike(node) && !ts.isFunctionTypeNode(node) ? 1 : 0);
    ts.forEachChild(node, (child) => visit(child, inner));
  };
  visit(file, 0);
}
