# Prints the definitions of Ruby files as Ruby's own parser sees them: paths in, [path, line, end line, kind, name] out.
require "json"

ATTRIBUTES = %i[
  attr_accessor attr_reader attr_writer mattr_accessor mattr_reader mattr_writer cattr_accessor cattr_reader
  class_attribute thread_mattr_accessor thread_cattr_accessor attr_internal
]

def node?(one) = one.is_a?(RubyVM::AbstractSyntaxTree::Node)

def path_of(node)
  return node.to_s unless node?(node)
  case node.type
  when :CONST then node.children[0].to_s
  when :COLON3 then "::#{node.children[0]}"
  when :COLON2 then node.children[0] ? "#{path_of(node.children[0])}::#{node.children[1]}" : node.children[1].to_s
  else "?"
  end
end

def symbols(arguments)
  return [] unless node?(arguments) && arguments.type == :LIST
  arguments.children.select { |one| node?(one) && one.type == :LIT && one.children[0].is_a?(Symbol) }
end

def makes_class?(value)
  return false unless node?(value) && value.type == :ITER
  call = value.children[0]
  node?(call) && call.type == :CALL && %i[new define].include?(call.children[1]) &&
    %w[Struct Class Data Module].include?(path_of(call.children[0]))
end

def walk(node, path)
  return unless node?(node)
  emit = ->(kind, name, at = node) { puts JSON.generate([path, at.first_lineno, node.last_lineno, kind, name.to_s]) }
  case node.type
  when :DEFN then emit.call("function", node.children[0])
  when :DEFS then emit.call("function", node.children[1])
  when :CLASS, :MODULE then emit.call("type", path_of(node.children[0]))
  when :CDECL
    emit.call(makes_class?(node.children[-1]) ? "type" : "value", path_of(node.children[0]))
  when :ALIAS, :VALIAS
    name = node.children[0]
    emit.call("function", node?(name) ? name.children[0] : name) unless name.to_s.start_with?("$")
  when :FCALL
    name, arguments = node.children
    symbols(arguments).each { |one| emit.call("value", one.children[0], one) } if ATTRIBUTES.include?(name)
    first = symbols(arguments).first
    if first && %i[define_method alias_method define_singleton_method].include?(name) && arguments.children[0].equal?(first)
      emit.call("function", first.children[0], first)
    end
  end
  node.children.each { |child| walk(child, path) }
end

$stderr = File.open(File::NULL, "w")
STDIN.each_line(chomp: true) do |path|
  tree = RubyVM::AbstractSyntaxTree.parse(File.read(path, encoding: "UTF-8"))
  walk(tree, path)
rescue SyntaxError, EncodingError, ArgumentError
  puts JSON.generate({bad: path})
end
