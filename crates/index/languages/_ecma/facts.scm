; Facts that JavaScript and TypeScript share: the first pattern that captures a node wins.
(function_declaration name: (_) @skip)
(generator_function_declaration name: (_) @skip)
(class_declaration name: (_) @skip)
(labeled_statement label: (_) @skip)

; Heads.
(generator_function_declaration) @scope @generator
(generator_function) @scope @generator
(arrow_function body: [(call_expression) (member_expression) (identifier) (binary_expression) (ternary_expression) (object) (array) (string) (template_string) (number) (parenthesized_expression) (await_expression) (new_expression) (unary_expression) (true) (false)]) @scope @returns
[(arrow_function) (function_expression) (function_declaration) (method_definition)] @scope
(function_declaration "async" @async)
(function_expression "async" @async)
(arrow_function "async" @async)
(method_definition "async" @async)
(generator_function_declaration "async" @async)
(method_definition "*" @generator)
(arrow_function parameter: (identifier) @param)
(decorator (call_expression function: (identifier) @skip))
(decorator (_) @decorator)

; Imports.
(import_statement source: (string) @import)
(export_statement source: (string) @import)
(call_expression function: (identifier) @_require arguments: (arguments (string) @import) (#eq? @_require "require"))
(call_expression function: (import) arguments: (arguments (string) @import))
(import_specifier name: (_) @_old alias: (identifier) @_new) @alias
(import_specifier alias: (identifier) @skip)
(import_specifier name: (identifier) @use)
(import_clause (identifier) @use)
(namespace_import (identifier) @skip)

; Types.
(throw_statement (new_expression constructor: (_) @throw @type @call))
(new_expression constructor: [(identifier) (member_expression)] @type @call)
(variable_declarator value: (number) @type.is.number)
(variable_declarator value: (string) @type.is.string)
(variable_declarator value: (template_string) @type.is.string)
(variable_declarator value: (true) @type.is.boolean)
(variable_declarator value: (false) @type.is.boolean)
(variable_declarator value: (array) @type.is.Array)
(variable_declarator value: (object) @type.is.object)
(variable_declarator value: (regex) @type.is.RegExp)

; What is thrown, awaited, yielded and returned.
(throw_statement (identifier) @throw @read)
(throw_statement (call_expression function: (_) @throw @call))
(await_expression (identifier) @await @read)
(await_expression (_) @await.head)
(yield_expression) @generator
(return_statement (undefined)) @skip
(return_statement (_)) @returns

; Writes.
(variable_declarator name: (identifier) @_new value: [(identifier) (member_expression)] @_old) @alias
(assignment_expression left: (identifier) @_new right: [(identifier) (member_expression)] @_old) @alias
(variable_declarator name: (identifier) @write)
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @write))
(variable_declarator name: (object_pattern (pair_pattern value: (identifier) @write)))
(variable_declarator name: (array_pattern (identifier) @write))
(assignment_expression left: (identifier) @write)
(assignment_expression left: [(member_expression) (subscript_expression)] @mutate)
(augmented_assignment_expression left: (identifier) @write @read)
(augmented_assignment_expression left: [(member_expression) (subscript_expression)] @mutate @read)
(update_expression argument: (identifier) @write @read)
(update_expression argument: [(member_expression) (subscript_expression)] @mutate @read)
(for_in_statement left: (identifier) @write)
(for_in_statement left: (array_pattern (identifier) @write))
(for_in_statement left: (object_pattern (shorthand_property_identifier_pattern) @write))
(for_in_statement left: (object_pattern (pair_pattern value: (identifier) @write)))
(catch_clause parameter: (identifier) @write)
(array_pattern (identifier) @write)
(pair_pattern value: (identifier) @write)
(shorthand_property_identifier_pattern) @write
(rest_pattern (identifier) @write)

; Calls.
(call_expression function: (member_expression object: (member_expression) @read))
(call_expression function: [(identifier) (member_expression)] @call)

; Control flow.
[(if_statement) (ternary_expression) (switch_case) (catch_clause)] @branch
[(for_statement) (for_in_statement) (while_statement) (do_statement)] @loop
(break_statement) @break
(continue_statement) @continue

; Everything else that is named is read.
(member_expression object: (member_expression) @skip)
(member_expression) @read
(shorthand_property_identifier) @read
(identifier) @read
