// Prints the definitions of Go files as go/parser sees them: paths in, [path, line, end line, kind, name] out.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
)

func main() {
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		path := input.Text()
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			bad, _ := json.Marshal(map[string]string{"bad": path})
			fmt.Println(string(bad))
			continue
		}
		emit := func(node ast.Node, kind string, name *ast.Ident) {
			if name.Name == "_" {
				return
			}
			line, end := files.Position(name.Pos()).Line, files.Position(node.End()-1).Line
			row, _ := json.Marshal([]any{path, line, end, kind, name.Name})
			fmt.Println(string(row))
		}
		for _, one := range file.Decls {
			declaration(one, emit)
		}
	}
}

func declaration(one ast.Decl, emit func(ast.Node, string, *ast.Ident)) {
	switch node := one.(type) {
	case *ast.FuncDecl:
		emit(node, "function", node.Name)
		ast.Inspect(node, func(inner ast.Node) bool {
			if spec, ok := inner.(*ast.TypeSpec); ok {
				typeSpec(spec, emit)
			}
			return true
		})
	case *ast.GenDecl:
		for _, spec := range node.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				typeSpec(spec, emit)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					emit(spec, "value", name)
				}
				ast.Inspect(spec, func(inner ast.Node) bool { return members(inner, emit) })
			}
		}
	}
}

func typeSpec(spec *ast.TypeSpec, emit func(ast.Node, string, *ast.Ident)) {
	emit(spec, "type", spec.Name)
	ast.Inspect(spec.Type, func(inner ast.Node) bool { return members(inner, emit) })
}

func members(inner ast.Node, emit func(ast.Node, string, *ast.Ident)) bool {
	switch node := inner.(type) {
	case *ast.FuncLit:
		return false
	case *ast.StructType:
		for _, field := range node.Fields.List {
			for _, name := range field.Names {
				emit(field, "value", name)
			}
		}
	case *ast.InterfaceType:
		for _, method := range node.Methods.List {
			for _, name := range method.Names {
				emit(method, "function", name)
			}
		}
	}
	return true
}
