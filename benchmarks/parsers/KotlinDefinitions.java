// Prints the definitions of Kotlin files as Kotlin's own parser sees them: paths in, [path, line, end, kind, name] out.
// Run with a jar that holds the compiler on the class path; a file with a syntax error is left out.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jetbrains.kotlin.cli.FrontendConfigurationKeys;
import org.jetbrains.kotlin.cli.common.messages.MessageCollector;
import org.jetbrains.kotlin.cli.jvm.compiler.EnvironmentConfigFiles;
import org.jetbrains.kotlin.cli.jvm.compiler.KotlinCoreEnvironment;
import org.jetbrains.kotlin.com.intellij.openapi.util.Disposer;
import org.jetbrains.kotlin.com.intellij.psi.PsiElement;
import org.jetbrains.kotlin.com.intellij.psi.PsiErrorElement;
import org.jetbrains.kotlin.compiler.plugin.CompilerPluginRegistrar;
import org.jetbrains.kotlin.config.CommonConfigurationKeys;
import org.jetbrains.kotlin.config.CompilerConfiguration;
import org.jetbrains.kotlin.psi.KtClassOrObject;
import org.jetbrains.kotlin.psi.KtEnumEntry;
import org.jetbrains.kotlin.psi.KtFile;
import org.jetbrains.kotlin.psi.KtNamedDeclaration;
import org.jetbrains.kotlin.psi.KtNamedFunction;
import org.jetbrains.kotlin.psi.KtObjectDeclaration;
import org.jetbrains.kotlin.psi.KtParameter;
import org.jetbrains.kotlin.psi.KtProperty;
import org.jetbrains.kotlin.psi.KtPsiFactory;
import org.jetbrains.kotlin.psi.KtSecondaryConstructor;
import org.jetbrains.kotlin.psi.KtTypeAlias;

public final class KotlinDefinitions {
  private final String path;
  private final String text;
  private final List<String> rows = new ArrayList<>();
  private boolean isBad;

  private KotlinDefinitions(String path, String text) {
    this.path = path;
    this.text = text;
  }

  public static void main(String[] arguments) throws Exception {
    CompilerConfiguration configuration = new CompilerConfiguration();
    configuration.put(CommonConfigurationKeys.MODULE_NAME, "definitions");
    configuration.put(CommonConfigurationKeys.MESSAGE_COLLECTOR_KEY, MessageCollector.Companion.getNONE());
    configuration.put(FrontendConfigurationKeys.EXTENSIONS_STORAGE, new CompilerPluginRegistrar.ExtensionStorage());
    KotlinCoreEnvironment environment =
        KotlinCoreEnvironment.createForProduction(
            Disposer.newDisposable(), configuration, EnvironmentConfigFiles.JVM_CONFIG_FILES);
    KtPsiFactory factory = new KtPsiFactory(environment.getProject(), false);
    BufferedReader paths = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String path = paths.readLine(); path != null; path = paths.readLine()) {
      String text = Files.readString(Path.of(path)).replace("\r\n", "\n");
      KtFile file = factory.createFile(Path.of(path).getFileName().toString(), text);
      KotlinDefinitions found = new KotlinDefinitions(path, text);
      found.walk(file);
      if (found.isBad) {
        System.out.println("{\"bad\": \"" + path + "\"}");
      } else {
        found.rows.forEach(System.out::println);
      }
    }
    System.exit(0);
  }

  private void walk(PsiElement element) {
    isBad |= element instanceof PsiErrorElement;
    if (element instanceof KtEnumEntry entry) {
      emit("value", entry.getName(), entry);
    } else if (element instanceof KtObjectDeclaration object) {
      boolean isNamed = object.getNameIdentifier() != null;
      emit("type", isNamed ? object.getName() : null, object);
    } else if (element instanceof KtClassOrObject type) {
      emit("type", type.getName(), type);
    } else if (element instanceof KtTypeAlias alias) {
      emit("type", alias.getName(), alias);
    } else if (element instanceof KtNamedFunction function) {
      emit("function", function.getName(), function);
    } else if (element instanceof KtSecondaryConstructor constructor) {
      emit("function", "constructor", constructor);
    } else if (element instanceof KtProperty property && !property.isLocal()) {
      emit("value", property.getName(), property);
    } else if (element instanceof KtParameter parameter && parameter.hasValOrVar()) {
      emit("value", parameter.getName(), parameter);
    }
    for (PsiElement child = element.getFirstChild(); child != null; child = child.getNextSibling()) {
      walk(child);
    }
  }

  private void emit(String kind, String name, KtNamedDeclaration at) {
    if (name == null) {
      return;
    }
    PsiElement identifier = at.getNameIdentifier();
    int first = line(identifier == null ? at.getTextOffset() : identifier.getTextRange().getStartOffset());
    String quoted = name.replace("\\", "\\\\").replace("\"", "\\\"");
    int last = line(at.getTextRange().getEndOffset());
    rows.add("[\"" + path + "\", " + first + ", " + last + ", \"" + kind + "\", \"" + quoted + "\"]");
  }

  private int line(int offset) {
    int count = 1;
    for (int at = 0; at < offset; at++) {
      count += text.charAt(at) == '\n' ? 1 : 0;
    }
    return count;
  }
}
