// Prints the references of names in JavaScript and TypeScript files, as TypeScript's language service finds them.
// node references.js NODE_MODULES ROOT; reads [[path, line, column]...] from standard input. Prints for each of them
// null where nothing is defined, or [[path, line, column, is a call, is in an import or export, is untold]...]; line 0
// stands for a file that imports the name from where nothing is found, so that nothing is known of it. Untold are calls
// of the same name of which the type checker knows nothing but `any`: what stands before them has no known type.
const fs = require("fs");
const path = require("path");
const [modules, root] = process.argv.slice(2);
const ts = require(path.join(modules, "typescript"));
const K = ts.SyntaxKind;

const files = [];
const packages = {};
(function walk(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory() && ![".git", "node_modules", "dist"].includes(entry.name)) walk(full);
    else if (entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name)) files.push(full);
    else if (entry.isFile() && entry.name === "package.json") {
      // A package of the repository is found by its name although nothing is installed.
      let name;
      try { name = JSON.parse(fs.readFileSync(full, "utf8")).name; } catch { continue; }
      if (!name) continue;
      packages[name] = [`${folder}/src/index.ts`, `${folder}/src/index`, `${folder}/index`];
      packages[`${name}/*`] = [`${folder}/src/*`, `${folder}/src/*/index`, `${folder}/*`];
    }
  }
})(root);
const options = {
  allowJs: true, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, jsx: ts.JsxEmit.Preserve,
  moduleResolution: ts.ModuleResolutionKind.Bundler, resolveJsonModule: true, esModuleInterop: true, strict: true,
  experimentalDecorators: true, allowImportingTsExtensions: true, noEmit: true, baseUrl: root, paths: packages,
};
const snapshots = new Map();
const service = ts.createLanguageService({
  getScriptFileNames: () => files,
  getScriptVersion: () => "1",
  getScriptSnapshot: (name) => {
    if (!snapshots.has(name)) {
      snapshots.set(name, fs.existsSync(name) ? ts.ScriptSnapshot.fromString(fs.readFileSync(name, "utf8")) : undefined);
    }
    return snapshots.get(name);
  },
  getCurrentDirectory: () => root,
  getCompilationSettings: () => options,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: ts.sys.fileExists, readFile: ts.sys.readFile, readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists, getDirectories: ts.sys.getDirectories,
}, ts.createDocumentRegistry());
const program = service.getProgram();

function nodeAt(file, position) {
  let found = file;
  for (let next = file; next; ) {
    found = next;
    next = undefined;
    ts.forEachChild(found, (child) => {
      if (child.getStart(file) <= position && position < child.end) next = child;
    });
  }
  return found;
}

function isCall(node) {
  let top = node;
  if (ts.isPropertyAccessExpression(node.parent) && node.parent.name === node) top = node.parent;
  while (ts.isNonNullExpression(top.parent) || ts.isExpressionWithTypeArguments(top.parent)) top = top.parent;
  const parent = top.parent;
  if ((ts.isCallExpression(parent) || ts.isNewExpression(parent)) && parent.expression === top) return true;
  if (ts.isTaggedTemplateExpression(parent)) return parent.tag === top;
  if (ts.isJsxOpeningElement(parent) || ts.isJsxSelfClosingElement(parent)) return parent.tagName === top;
  return ts.isDecorator(parent);
}

function isImport(node) {
  for (let one = node; one && !ts.isSourceFile(one); one = one.parent) {
    if (ts.isImportDeclaration(one) || ts.isExportDeclaration(one) || ts.isExportAssignment(one)) return true;
    if (ts.isImportEqualsDeclaration(one)) return true;
    if (ts.isStatement(one)) return false;
  }
  return false;
}

// The name of a declaration, or of a local binding that an import or a require makes.
function isDeclared(node) {
  const parent = node.parent;
  return !!parent && parent.name === node && (ts.isFunctionLike(parent) || ts.isClassLike(parent)
    || ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent) || ts.isPropertySignature(parent)
    || ts.isInterfaceDeclaration(parent) || ts.isPropertyAssignment(parent));
}

// The references of what stands at a position; of a property that is short for a value, those of both.
function groupsAt(full, position, seen) {
  const groups = service.findReferences(full, position) ?? [];
  const found = groups.flatMap((group) => group.references);
  for (const one of [...found]) {
    const source = program.getSourceFile(one.fileName);
    const key = `${one.fileName}:${one.textSpan.start}`;
    if (!source || seen.has(key)) continue;
    seen.add(key);
    const node = nodeAt(source, one.textSpan.start);
    if (node.parent && ts.isShorthandPropertyAssignment(node.parent)) {
      found.push(...groupsAt(one.fileName, one.textSpan.start, seen));
    }
  }
  return found;
}

// By name: the files that import it from where the compiler finds nothing, because nothing is installed.
const checker = program.getTypeChecker();
const blind = new Map();
for (const file of program.getSourceFiles()) {
  if (!file.fileName.startsWith(root + "/")) continue;
  for (const statement of file.statements.filter(ts.isImportDeclaration)) {
    const names = statement.importClause?.namedBindings;
    for (const one of names && ts.isNamedImports(names) ? names.elements : []) {
      const symbol = checker.getSymbolAtLocation(one.name);
      const found = symbol && checker.getAliasedSymbol(symbol);
      if (found && !checker.isUnknownSymbol(found)) continue;
      const name = (one.propertyName ?? one.name).text;
      blind.set(name, [...(blind.get(name) ?? []), path.relative(root, file.fileName)]);
    }
  }
}

// By name: where it stands in JavaScript files. The search for references does not follow `const lib = require(...)`
// to what is called on `lib`; the type checker does.
const inScripts = new Map();
for (const file of program.getSourceFiles()) {
  if (!file.fileName.startsWith(root + "/") || !/\.[cm]?jsx?$/.test(file.fileName)) continue;
  (function visit(node) {
    if (ts.isIdentifier(node) && node.parent) inScripts.set(node.text, [...(inScripts.get(node.text) ?? []), node]);
    ts.forEachChild(node, visit);
  })(file);
}

function declarationsOf(node) {
  let symbol = checker.getSymbolAtLocation(node);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  return symbol?.declarations ?? [];
}

// By name: where it is called, and the checker knows neither what it is nor its type.
const untold = new Map();
function isUntold(node) {
  const symbol = checker.getSymbolAtLocation(node);
  if (symbol && !checker.isUnknownSymbol(symbol)) return false;
  return (checker.getTypeAtLocation(node).flags & ts.TypeFlags.Any) !== 0;
}
function findUntold(names) {
  for (const file of program.getSourceFiles()) {
    if (!file.fileName.startsWith(root + "/")) continue;
    (function visit(node) {
      if (ts.isIdentifier(node) && names.has(node.text) && node.parent && isCall(node) && isUntold(node)) {
        const at = file.getLineAndCharacterOfPosition(node.getStart(file));
        const row = [path.relative(root, file.fileName), at.line + 1, at.character + 1, true, false, true];
        untold.set(node.text, [...(untold.get(node.text) ?? []), row]);
      }
      ts.forEachChild(node, visit);
    })(file);
  }
}

// What the checker takes for the same thing as what stands at a node.
function checked(node) {
  const wanted = new Set(declarationsOf(node));
  return (inScripts.get(node.text) ?? []).filter((one) => declarationsOf(one).some((part) => wanted.has(part)))
    .map((one) => ({ fileName: one.getSourceFile().fileName, textSpan: { start: one.getStart() } }));
}

function references([name, line, column]) {
  const full = path.join(root, name);
  const file = program.getSourceFile(full);
  if (!file) return null;
  const position = file.getPositionOfLineAndCharacter(line - 1, column - 1);
  if (!service.findReferences(full, position)) return null;
  const rows = new Map();
  for (const one of [...groupsAt(full, position, new Set()), ...checked(nodeAt(file, position))]) {
    const source = program.getSourceFile(one.fileName);
    if (!source || !one.fileName.startsWith(root + "/")) continue;
    const node = nodeAt(source, one.textSpan.start);
    const inComment = ts.findAncestor(node, (part) => ts.isJSDoc(part) || part.kind === K.JSDoc);
    if (!node.parent || inComment || isDeclared(node) || (one.fileName === full && one.textSpan.start === position)) {
      continue;
    }
    const at = source.getLineAndCharacterOfPosition(one.textSpan.start);
    const row = [path.relative(root, one.fileName), at.line + 1, at.character + 1, isCall(node), isImport(node)];
    rows.set(row.slice(0, 3).join(":"), row);
  }
  const called = nodeAt(file, position).text;
  const unseen = (blind.get(called) ?? []).map((one) => [one, 0, 0, false, true]);
  const unknown = (untold.get(called) ?? []).filter((row) => !rows.has(row.slice(0, 3).join(":")));
  return [...rows.values(), ...unseen, ...unknown];
}

function nameAt([name, line, column]) {
  const file = program.getSourceFile(path.join(root, name));
  return file && nodeAt(file, file.getPositionOfLineAndCharacter(line - 1, column - 1)).text;
}

const asked = JSON.parse(fs.readFileSync(0, "utf8"));
findUntold(new Set(asked.map(nameAt)));
console.log(JSON.stringify(asked.map(references)));
