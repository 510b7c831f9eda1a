; Facts of ruby: the first pattern that captures a node wins.
(method name: (_) @skip)
(singleton_method name: (_) @skip)
(class name: (_) @skip)
(module name: (_) @skip)

; Heads.
[(block) (do_block) (lambda)] @scope
(method_parameters (identifier) @param)
(block_parameters (identifier) @param)
(lambda_parameters (identifier) @param)
(splat_parameter name: (identifier) @param)
(hash_splat_parameter name: (identifier) @param)
(keyword_parameter name: (identifier) @param)
(optional_parameter name: (identifier) @param)
(block_parameter name: (identifier) @param)
(body_statement (identifier) @visibility.following (#any-of? @visibility.following "private" "protected" "public"))
(call method: (identifier) @visibility.following arguments: (argument_list (method)) (#any-of? @visibility.following "private" "protected" "public"))
(superclass (_) @extends @use)
(call method: (identifier) @_mix arguments: (argument_list (constant) @extends @use) (#any-of? @_mix "include" "extend" "prepend"))

; Imports.
(call method: (identifier) @_load arguments: (argument_list (string) @import) (#any-of? @_load "require" "require_relative" "load"))

; Types.
(assignment right: (call receiver: (constant) @type @use method: (identifier) @_new_ (#eq? @_new_ "new")))
(assignment right: (integer) @type.is.Integer)
(assignment right: (float) @type.is.Float)
(assignment right: (string) @type.is.String)
(assignment right: (array) @type.is.Array)
(assignment right: (hash) @type.is.Hash)
(assignment right: (simple_symbol) @type.is.Symbol)

; What is thrown and returned.
(call method: (identifier) @_raise arguments: (argument_list [(constant) (scope_resolution)] @throw @use) (#any-of? @_raise "raise" "fail"))
(call method: (identifier) @_raise arguments: (argument_list (call receiver: (_) @throw @use)) (#any-of? @_raise "raise" "fail"))
(call method: (identifier) @throw @call (#any-of? @throw "raise" "fail"))
(return (argument_list)) @returns

; Writes.
(assignment left: (identifier) @_new right: (identifier) @_old) @alias
(assignment left: (identifier) @write)
(assignment left: [(instance_variable) (class_variable) (global_variable)] @write @mutate)
(assignment left: [(call) (element_reference)] @mutate)
(left_assignment_list (identifier) @write)
(operator_assignment left: (identifier) @write @read)
(operator_assignment left: [(instance_variable) (class_variable) (global_variable)] @write @mutate @read)
(operator_assignment left: [(call) (element_reference)] @mutate @read)
(for pattern: (identifier) @write)
(exception_variable (identifier) @skip)

; Calls. One without arguments reads like a field.
(call receiver: [(identifier) (constant) (self) (instance_variable)] !arguments !block) @call.head @read.head
(call receiver: [(identifier) (constant) (self) (instance_variable)]) @call.head
(call method: (identifier) @call)

; Control flow.
[(if) (unless) (elsif) (if_modifier) (unless_modifier) (when) (in_clause) (conditional) (rescue)] @branch
[(while) (until) (for) (while_modifier) (until_modifier)] @loop
(break) @break
(next) @continue

; Everything else that is named is read.
[(instance_variable) (class_variable) (global_variable)] @read
(identifier) @read
(constant) @use
