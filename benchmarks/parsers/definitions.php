<?php
// Prints the definitions of PHP files as nikic/php-parser sees them: paths in, [path, line, end line, kind, name] out.
require_once getenv("PHP_PARSER") ?: "/usr/share/php/PhpParser/autoload.php";

use PhpParser\Node;
use PhpParser\Node\Expr;
use PhpParser\Node\Stmt;

function emit(string $path, Node $node, string $kind, string $name): void
{
    echo json_encode([$path, $node->getStartLine(), $node->getEndLine(), $kind, $name]), "\n";
}

function ofStatement(string $path, Node $node): void
{
    if ($node instanceof Stmt\ClassLike) {
        $node->name === null ?: emit($path, $node, "type", $node->name->name);
    } elseif ($node instanceof Stmt\ClassMethod || $node instanceof Stmt\Function_) {
        emit($path, $node, "function", $node->name->name);
    } elseif ($node instanceof Stmt\EnumCase) {
        emit($path, $node, "value", $node->name->name);
    } elseif ($node instanceof Stmt\ClassConst || $node instanceof Stmt\Const_) {
        foreach ($node->consts as $one) {
            emit($path, $one, "value", $one->name->name);
        }
    } elseif ($node instanceof Stmt\Property) {
        foreach ($node->props as $one) {
            emit($path, $one, "value", $one->name->name);
        }
    } elseif ($node instanceof Stmt\Namespace_ && $node->name !== null && $node->getAttribute("kind") === Stmt\Namespace_::KIND_BRACED) {
        emit($path, $node, "type", $node->name->toString());
    } elseif ($node instanceof Node\Param && $node->flags !== 0) {
        emit($path, $node, "value", $node->var->name);
    } elseif ($node instanceof Stmt\Expression && $node->expr instanceof Expr\Assign && $node->expr->var instanceof Expr\Variable) {
        $value = $node->expr->expr;
        if (($value instanceof Expr\Closure || $value instanceof Expr\ArrowFunction) && is_string($node->expr->var->name)) {
            emit($path, $node, "function", $node->expr->var->name);
        }
    } elseif ($node instanceof Expr\FuncCall && $node->name instanceof Node\Name && $node->name->toString() === "define") {
        $first = $node->args[0]->value ?? null;
        $first instanceof Node\Scalar\String_ ? emit($path, $node, "value", $first->value) : null;
    }
}

function ofFile(string $path, array $statements): void
{
    foreach ($statements as $one) {  // variables of the file itself
        if ($one instanceof Stmt\Expression && $one->expr instanceof Expr\Assign && $one->expr->var instanceof Expr\Variable
            && is_string($one->expr->var->name)
            && !($one->expr->expr instanceof Expr\Closure || $one->expr->expr instanceof Expr\ArrowFunction)) {
            emit($path, $one, "value", $one->expr->var->name);
        }
    }
    foreach ((new PhpParser\NodeFinder())->find($statements, fn (Node $node) => true) as $node) {
        ofStatement($path, $node);
    }
}

$lexer = new PhpParser\Lexer\Emulative(["usedAttributes" => ["startLine", "endLine"]]);
$parser = (new PhpParser\ParserFactory())->create(PhpParser\ParserFactory::PREFER_PHP7, $lexer);
while (($path = fgets(STDIN)) !== false) {
    $path = rtrim($path, "\n");
    try {
        ofFile($path, $parser->parse(file_get_contents($path)));
    } catch (PhpParser\Error) {
        echo json_encode(["bad" => $path]), "\n";
    }
}
