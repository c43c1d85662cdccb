// Prints the definitions of C# files as NRefactory parses them: paths in, [path, line, end, kind, name] out.
// It knows C# 5 and some of 6: a file with an error is left out. Compile with mcs -r:ICSharpCode.NRefactory.CSharp.dll
// -r:ICSharpCode.NRefactory.dll, and run with mono.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using ICSharpCode.NRefactory.CSharp;

static class Definitions
{
    static void Main()
    {
        for (var path = Console.ReadLine(); path != null; path = Console.ReadLine())
        {
            SyntaxTree tree = null;
            try
            {
                tree = new CSharpParser().Parse(File.ReadAllText(path), path);
            }
            catch (Exception)
            {
                // Newer syntax may break it.
            }
            if (tree == null || tree.Errors.Any())
            {
                Console.WriteLine("{\"bad\": \"" + path + "\"}");
                continue;
            }
            foreach (var node in tree.Descendants) Emit(path, node);
            var skipped = string.Join(", ", Skipped(tree));
            if (skipped != "") Console.WriteLine("{\"skipped\": \"" + path + "\", \"lines\": [" + skipped + "]}");
        }
    }

    // The branches of #if that it did not read: [first, last].
    static IEnumerable<string> Skipped(SyntaxTree tree)
    {
        var open = new Stack<Branch>();
        foreach (var one in tree.Descendants.OfType<PreProcessorDirective>())
        {
            var line = one.StartLocation.Line;
            if (one.Type == PreProcessorDirectiveType.If)
            {
                open.Push(new Branch { First = line, IsRead = one.Take, WasRead = one.Take });
                continue;
            }
            if (open.Count == 0) continue;
            var before = open.Peek();
            if (one.Type == PreProcessorDirectiveType.Endif) open.Pop();
            else if (one.Type != PreProcessorDirectiveType.Elif && one.Type != PreProcessorDirectiveType.Else) continue;
            if (!before.IsRead) yield return "[" + before.First + ", " + line + "]";
            before.First = line;
            before.IsRead = !before.WasRead && (one.Type == PreProcessorDirectiveType.Else || one.Take);
            before.WasRead |= before.IsRead;
        }
    }

    sealed class Branch
    {
        public int First;
        public bool IsRead;
        public bool WasRead;
    }

    static void Emit(string path, AstNode node)
    {
        if (node is VariableInitializer && (node.Parent is FieldDeclaration || node.Parent is EventDeclaration))
            Row(path, node, "value", ((VariableInitializer)node).Name);
        else if (node is FixedVariableInitializer) Row(path, node, "value", ((FixedVariableInitializer)node).Name);
        else if (node is NamespaceDeclaration) Row(path, node, "type", ((NamespaceDeclaration)node).FullName);
        else if (node is TypeDeclaration) Row(path, node, "type", ((TypeDeclaration)node).Name);
        else if (node is DelegateDeclaration) Row(path, node, "type", ((DelegateDeclaration)node).Name);
        else if (node is EnumMemberDeclaration) Row(path, node, "value", ((EnumMemberDeclaration)node).Name);
        else if (node is PropertyDeclaration) Row(path, node, "value", ((PropertyDeclaration)node).Name);
        else if (node is CustomEventDeclaration) Row(path, node, "value", ((CustomEventDeclaration)node).Name);
        else if (node is IndexerDeclaration) Row(path, node, "value", "this");
        else if (node is MethodDeclaration) Row(path, node, "function", ((MethodDeclaration)node).Name);
        else if (node is ConstructorDeclaration) Row(path, node, "function", ((ConstructorDeclaration)node).Name);
        else if (node is DestructorDeclaration) Row(path, node, "function", ((DestructorDeclaration)node).Name);
        else if (node is OperatorDeclaration)
        {
            var one = (OperatorDeclaration)node;
            var token = OperatorDeclaration.GetToken(one.OperatorType);
            var converts = token == "implicit" || token == "explicit";
            Row(path, node, "function", converts ? one.ReturnType.ToString() : token);
        }
    }

    static void Row(string path, AstNode node, string kind, string name)
    {
        var named = node.GetChildByRole(Roles.Identifier);
        var line = named.IsNull ? node.StartLocation.Line : named.StartLocation.Line;
        Console.WriteLine(
            "[\"{0}\", {1}, {2}, \"{3}\", \"{4}\"]", path, line, node.EndLocation.Line, kind, name.Replace("\"", "\\\""));
    }
}
