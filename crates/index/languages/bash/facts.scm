; Facts of bash: the first pattern that captures a node wins.
; Imports.
(command name: (command_name (word) @_source) argument: (_) @import (#any-of? @_source "source" "."))

; Writes.
(variable_assignment name: (variable_name) @_new value: (simple_expansion (variable_name) @_old)) @alias
(variable_assignment name: (variable_name) @_new value: (string (simple_expansion (variable_name) @_old))) @alias
(variable_assignment name: (variable_name) @write)
(variable_assignment name: (subscript) @mutate)
(for_statement variable: (variable_name) @write)

; What is returned.
(command name: (command_name (word) @returns) argument: (_) (#eq? @returns "return"))

; Control flow and calls.
[(if_statement) (elif_clause) (case_item)] @branch
[(for_statement) (while_statement) (c_style_for_statement)] @loop
(command name: (command_name (word) @break) (#eq? @break "break"))
(command name: (command_name (word) @continue) (#eq? @continue "continue"))
(command name: (command_name (word) @skip) (#any-of? @skip "source" "." "return"))
(command name: (command_name (word) @call))

; Everything else that is named is read.
(variable_name) @read
