; Facts of lua: the first pattern that captures a node wins.
(function_declaration name: (_) @skip)
(dot_index_expression field: (_) @skip)
(method_index_expression method: (_) @skip)
(field name: (identifier) @skip)

; Heads.
[(function_definition) (function_declaration)] @scope
(parameters name: (identifier) @param)
(function_declaration "local" @visibility.is.private)

; Imports.
(function_call name: (identifier) @_require arguments: (arguments (string content: (_) @import)) (#eq? @_require "require"))

; Types.
(expression_list value: (function_call name: (dot_index_expression table: (identifier) @type @read field: (identifier) @_make (#eq? @_make "new"))))
(expression_list value: (number) @type.is.number)
(expression_list value: (string) @type.is.string)
(expression_list value: (table_constructor) @type.is.table)

; What is thrown, yielded and returned.
(function_call name: (identifier) @throw @call (#eq? @throw "error"))
(function_call name: (dot_index_expression) @call @generator (#eq? @call "coroutine.yield"))
(return_statement (expression_list)) @returns

; Writes.
(assignment_statement (variable_list name: (identifier) @_new) (expression_list value: [(identifier) (dot_index_expression)] @_old)) @alias
(variable_list name: (identifier) @write)
(variable_list name: [(dot_index_expression) (bracket_index_expression)] @mutate)
(for_numeric_clause name: (identifier) @write)

; Calls.
(function_call name: [(identifier) (dot_index_expression) (method_index_expression)] @call)

; Control flow.
[(if_statement) (elseif_statement)] @branch
[(for_statement) (while_statement) (repeat_statement)] @loop
(break_statement) @break

; Everything else that is named is read.
(dot_index_expression table: (dot_index_expression) @skip)
(dot_index_expression) @read
(identifier) @read
