; Facts of elixir, where nearly everything is a call: the first pattern that captures a node wins.
(call target: (identifier) @_def (arguments (call target: (identifier) @skip)) (#any-of? @_def "def" "defp" "defmacro" "defmacrop"))
(call target: (identifier) @_def (arguments (binary_operator left: (call target: (identifier) @skip))) (#any-of? @_def "def" "defp" "defmacro" "defmacrop"))

; Heads.
(anonymous_function) @scope
(anonymous_function (stab_clause left: (arguments (identifier) @param)))
(call target: (identifier) @_def (arguments (call (arguments (identifier) @param))) (#any-of? @_def "def" "defp" "defmacro" "defmacrop"))
(call target: (identifier) @_def (arguments (binary_operator left: (call (arguments (identifier) @param)))) (#any-of? @_def "def" "defp" "defmacro" "defmacrop"))
(call target: (identifier) @_def (arguments (call (arguments (binary_operator left: (identifier) @param)))) (#any-of? @_def "def" "defp" "defmacro" "defmacrop"))
(call target: (identifier) @visibility.is.private (#any-of? @visibility.is.private "defp" "defmacrop"))

; Imports.
(call target: (identifier) @_load (arguments (alias) @import) (#any-of? @_load "import" "alias" "use" "require"))
(call target: (identifier) @_alias (arguments (alias) @_old (keywords (pair value: (alias) @_new))) (#eq? @_alias "alias")) @alias

; What is thrown and awaited.
(call target: (identifier) @_raise (arguments (alias) @throw @use) (#any-of? @_raise "raise" "reraise"))
(call target: (identifier) @throw @call (#any-of? @throw "raise" "reraise" "throw"))
(call target: (dot) @await @call (#any-of? @await "Task.await" "Task.await_many"))

; Types.
(binary_operator operator: "=" right: (integer) @type.is.integer)
(binary_operator operator: "=" right: (string) @type.is.binary)
(binary_operator operator: "=" right: (list) @type.is.list)
(binary_operator operator: "=" right: (map) @type.is.map)

; Writes.
(binary_operator left: (identifier) @_new operator: "=" right: (identifier) @_old) @alias
(binary_operator left: (identifier) @write operator: ["=" "<-"])
(binary_operator left: (tuple (identifier) @write) operator: ["=" "<-"])

; Control flow and other words of the language, then calls.
(call target: (identifier) @branch (#any-of? @branch "if" "unless"))
(do_block (stab_clause) @branch)
(call target: (identifier) @loop (#eq? @loop "for"))
(call target: (identifier) @skip (#any-of? @skip "def" "defp" "defmacro" "defmacrop" "defmodule" "defstruct" "defimpl" "defprotocol" "case" "cond" "with" "import" "alias" "use" "require" "try" "receive" "quote"))
(unary_operator operator: "@" operand: (call target: (identifier) @skip))
(call target: [(identifier) (dot)] @call)
(dot right: (_) @skip)

; Everything else that is named is read.
(identifier) @read
(alias) @use
