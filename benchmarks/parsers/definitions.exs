# Prints the definitions of Elixir files as Elixir's own parser sees them: paths in, [path, line, end, kind, name] out.
defmodule Definitions do
  @functions ~w(def defp defdelegate defn defnp defmacro defmacrop defguard defguardp)a
  @types ~w(defmodule defprotocol)a

  def of_file(path) do
    case Code.string_to_quoted(File.read!(path), columns: true, token_metadata: true, emit_warnings: false) do
      {:ok, tree} -> Macro.prewalk(tree, fn node -> tap(node, &visit(path, &1)) end)
      {:error, _} -> IO.puts(~s({"bad": #{inspect(path)}}))
    end
  end

  defp visit(path, {word, meta, [head | _]}) when word in @functions do
    name = name_of(head)
    if name, do: emit(path, meta, "function", name)
  end

  defp visit(path, {word, meta, [name | _]}) when word in @types do
    emit(path, meta, "type", Macro.to_string(name))
  end

  defp visit(path, {:@, meta, [{word, _, [{:"::", _, [head | _]}]}]}) when word in ~w(type typep opaque)a do
    emit(path, meta, "type", name_of(head))
  end

  defp visit(path, {:@, meta, [{word, _, [spec]}]}) when word in ~w(callback macrocallback)a do
    head =
      case spec do
        {:when, _, [{:"::", _, [head | _]} | _]} -> head
        {:"::", _, [head | _]} -> head
        other -> other
      end

    emit(path, meta, "function", name_of(head))
  end

  defp visit(path, {word, meta, [_ | _]}) when word in ~w(defstruct defexception)a do
    emit(path, meta, "type", word)
  end

  defp visit(_, _), do: nil

  defp name_of({:when, _, [head | _]}), do: name_of(head)
  defp name_of({:\\, _, [head | _]}), do: name_of(head)
  defp name_of({name, _, _}) when is_atom(name) and name != :unquote, do: name
  defp name_of(_), do: nil

  defp emit(path, meta, kind, name) do
    last = meta[:end][:line] || meta[:end_of_expression][:line] || "null"
    name = name |> to_string() |> inspect()
    IO.puts(~s([#{inspect(path)}, #{meta[:line]}, #{last}, "#{kind}", #{name}]))
  end
end

IO.stream(:stdio, :line) |> Stream.map(&String.trim_trailing(&1, "\n")) |> Enum.each(&Definitions.of_file/1)
