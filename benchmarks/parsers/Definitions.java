import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import javax.lang.model.element.Name;
import javax.tools.*;

/** Prints the definitions of Java files as javac parses them: paths in, [path, line, end line, kind, name] out. */
public class Definitions {
    public static void main(String[] args) throws Exception {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var paths = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).lines().toList();
        for (String path : paths) {
            if (path.isBlank()) continue;
            var problems = new DiagnosticCollector<JavaFileObject>();
            var files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
            var task = (JavacTask) compiler.getTask(
                new StringWriter(), files, problems, List.of(), null, files.getJavaFileObjects(new File(path)));
            var units = task.parse();
            boolean bad = problems.getDiagnostics().stream().anyMatch(one -> one.getKind() == Diagnostic.Kind.ERROR);
            if (bad) {
                System.out.println("{\"bad\": \"" + path + "\"}");
                continue;
            }
            for (CompilationUnitTree unit : units) print(path, unit, Trees.instance(task).getSourcePositions());
        }
    }

    private static void print(String path, CompilationUnitTree unit, SourcePositions places) {
        var lines = unit.getLineMap();
        new TreePathScanner<Void, Void>() {
            private void emit(Tree node, String kind, String name) {
                long start = places.getStartPosition(unit, node), end = places.getEndPosition(unit, node);
                if (start < 0 || end < 0 || name.isEmpty()) return;
                System.out.printf("[\"%s\", %d, %d, \"%s\", \"%s\"]%n",
                    path, lines.getLineNumber(start), lines.getLineNumber(end - 1), kind, name);
            }

            @Override public Void visitClass(ClassTree node, Void none) {
                emit(node, "type", node.getSimpleName().toString());
                return super.visitClass(node, none);
            }

            @Override public Void visitMethod(MethodTree node, Void none) {
                String name = node.getName().toString();
                if (name.equals("<init>")) name = ((ClassTree) getCurrentPath().getParentPath().getLeaf()).getSimpleName().toString();
                emit(node, "function", name);
                return super.visitMethod(node, none);
            }

            @Override public Void visitVariable(VariableTree node, Void none) {
                if (getCurrentPath().getParentPath().getLeaf() instanceof ClassTree) emit(node, "value", node.getName().toString());
                return super.visitVariable(node, none);
            }
        }.scan(unit, null);
    }
}
