// Where TypeScript's compiler says calls, references and imports of a tree lead: `import FILE LINE TARGET TEXT`, `call FILE LINE
// TARGET NAME`, `ref` alike, by tabs. Only what leads into the tree is told.
import ts from "typescript";
import fs from "node:fs";
import path from "node:path";

const root = path.resolve(process.argv[2]);

function* files(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory() && ![".git", "node_modules"].includes(entry.name)) yield* files(full);
    else if (entry.isFile() && full.endsWith(".ts")) yield full;
  }
}

const options = { allowJs: false, noEmit: true, skipLibCheck: true, target: ts.ScriptTarget.Latest,
  module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, types: [] };
const config = path.join(root, "tsconfig.json");
if (fs.existsSync(config)) {
  const read = ts.parseJsonConfigFileContent(ts.readConfigFile(config, ts.sys.readFile).config, ts.sys, root);
  for (const key of ["paths", "baseUrl", "pathsBasePath"]) if (read.options[key]) options[key] = read.options[key];
}
const program = ts.createProgram([...files(root)], options);
const checker = program.getTypeChecker();
const inside = (file) => {
  const relative = path.relative(root, file);
  return relative.startsWith("..") || relative.includes("node_modules") ? null : relative;
};

for (const source of program.getSourceFiles()) {
  const name = inside(source.fileName);
  if (!name) continue;
  const line = (node) => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  const refer = (node, symbol) => {
    const isReferred = (one) => ts.isFunctionDeclaration(one) || ts.isMethodDeclaration(one) || ts.isClassDeclaration(one)
      || ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one) || ts.isEnumDeclaration(one)
      || (ts.isVariableDeclaration(one) || ts.isPropertyDeclaration(one)) && one.initializer && ts.isFunctionLike(one.initializer);
    for (const one of (symbol?.declarations ?? []).filter(isReferred)) {
      const target = inside(one.getSourceFile().fileName);
      if (target && one.name) console.log(["ref", name, line(node), target, one.name.getText().replace("#", "")].join("\t"));
    }
  };
  const visit = (node) => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      const found = ts.resolveModuleName(node.moduleSpecifier.text, source.fileName, options, ts.sys).resolvedModule;
      const target = found && inside(found.resolvedFileName);
      if (target) console.log(["import", name, line(node), target, node.moduleSpecifier.text].join("\t"));
    }
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const callee = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
      let symbol = ts.isIdentifier(callee) || ts.isPrivateIdentifier(callee) ? checker.getSymbolAtLocation(callee) : undefined;
      if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
      const isDefinition = (one) => ts.isFunctionLike(one) || ts.isClassDeclaration(one)
        || (ts.isVariableDeclaration(one) || ts.isPropertyDeclaration(one)) && one.initializer && ts.isFunctionLike(one.initializer);
      for (const one of (symbol?.declarations ?? []).filter(isDefinition)) {
        const target = inside(one.getSourceFile().fileName);
        const called = ts.isConstructorDeclaration(one) ? one.parent.name : one.name;
        if (target && called) console.log(["call", name, line(callee), target, called.getText().replace("#", "")].join("\t"));
      }
    }
    if (ts.isIdentifier(node) && node.parent.name !== node && !ts.isImportSpecifier(node.parent) && !ts.isExportSpecifier(node.parent)) {
      let symbol = checker.getSymbolAtLocation(node);
      if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
      refer(node, symbol);
    }
    if (ts.isPropertyAccessExpression(node)) refer(node.name, checker.getSymbolAtLocation(node.name));
    ts.forEachChild(node, visit);
  };
  visit(source);
}
