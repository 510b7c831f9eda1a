// What TypeScript's own compiler sees in a tree: `FILE LINE FACT VALUE`, separated by tabs.
import ts from "typescript";
import fs from "node:fs";
import path from "node:path";

const root = process.argv[2];

function* files(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== ".git") yield* files(full);
    else if (entry.isFile() && full.endsWith(".ts")) yield full;
  }
}

const isAssignment = (kind) => kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment;

/** Whether an identifier stands where a value is written. */
function isWritten(node) {
  let at = node;
  for (let up = node.parent; up; at = up, up = up.parent) {
    if (ts.isBinaryExpression(up)) return isAssignment(up.operatorToken.kind) && up.left === at;
    if (ts.isPrefixUnaryExpression(up) || ts.isPostfixUnaryExpression(up))
      return [ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken].includes(up.operator);
    if (ts.isForOfStatement(up) || ts.isForInStatement(up)) return up.initializer === at;
    if (ts.isPropertyAssignment(up) && up.initializer !== at) return false;
    if (!ts.isArrayLiteralExpression(up) && !ts.isObjectLiteralExpression(up) && !ts.isParenthesizedExpression(up)
      && !ts.isPropertyAssignment(up) && !ts.isShorthandPropertyAssignment(up) && !ts.isSpreadElement(up)) return false;
  }
  return false;
}

function look(file) {
  const source = ts.createSourceFile(file, fs.readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const name = path.relative(root, file);
  const say = (node, fact, value) => {
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
    console.log([name, line, fact, value.replace(/\s+/g, " ")].join("\t"));
  };
  const visit = (node, inType) => {
    if (ts.isDecorator(node)) return;
    if (ts.isImportDeclaration(node)) return say(node, "import", node.moduleSpecifier.text);
    if (ts.isExportDeclaration(node)) {
      if (node.moduleSpecifier) say(node, "import", node.moduleSpecifier.text);
      else node.exportClause.elements.forEach((one) => say(one, "read", (one.propertyName ?? one.name).text));
      return;
    }
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const callee = node.expression;
      if (callee.kind === ts.SyntaxKind.ImportKeyword) {
        if (node.arguments[0] && ts.isStringLiteral(node.arguments[0])) say(node, "import", node.arguments[0].text);
      } else if (ts.isIdentifier(callee)) say(callee, "call", callee.text);
      else if (ts.isPropertyAccessExpression(callee)) {
        say(callee.name, "call", callee.name.text);
        visit(callee.expression, false);
      } else visit(callee, false);
      (node.typeArguments ?? []).forEach((one) => visit(one, true));
      (node.arguments ?? []).forEach((one) => visit(one, false));
      return;
    }
    if ((ts.isParameter(node) || ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)) && node.type)
      say(node.type, "type", node.type.getText(source));
    if (ts.isFunctionLike(node) && node.type && node.body) say(node.type, "return_type", node.type.getText(source));
    if (ts.isVariableDeclaration(node) || ts.isBindingElement(node)) {
      const parameter = ts.findAncestor(node, (one) => ts.isParameter(one) || ts.isVariableDeclaration(one));
      if (ts.isIdentifier(node.name) && !ts.isParameter(parameter)) say(node.name, "write", node.name.text);
    }
    if (ts.isPropertyAccessExpression(node)) {
      let base = node.expression;
      while (ts.isPropertyAccessExpression(base)) base = base.expression;
      // A member of what has no name stands by itself.
      const isNamed = ts.isIdentifier(base) || base.kind === ts.SyntaxKind.ThisKeyword || base.kind === ts.SyntaxKind.SuperKeyword;
      if (!isNamed && !isWritten(node)) say(node.name, "read", node.name.text);
    }
    if (ts.isIdentifier(node) && !inType && node.text !== "undefined") {
      const up = node.parent;
      const isName = up.name === node && !ts.isShorthandPropertyAssignment(up);
      const isLabel = ts.isPropertyAccessExpression(up) && up.name === node
        || ts.isBindingElement(up) && up.propertyName === node || ts.isLabeledStatement(up) || ts.isBreakOrContinueStatement(up)
        || ts.isExportAssignment(up) || ts.isExpressionWithTypeArguments(up);
      if (!isName && !isLabel) say(node, isWritten(node) ? "write" : "read", node.text);
    }
    ts.forEachChild(node, (child) => visit(child, inType || ts.isTypeNode(child)));
  };
  ts.forEachChild(source, (node) => visit(node, false));
}

for (const file of files(root)) look(file);
