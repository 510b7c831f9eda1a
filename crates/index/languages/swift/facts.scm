; Facts of swift: the first pattern that captures a node wins.
[(function_declaration name: (simple_identifier) @skip) (protocol_function_declaration name: (simple_identifier) @skip)]
(parameter external_name: (_) @skip)
(navigation_suffix suffix: (_) @skip)
(value_argument_label (_) @skip)
[(class_declaration name: (type_identifier) @skip) (protocol_declaration name: (type_identifier) @skip)]
(attribute (user_type) @skip)

; Heads.
[(lambda_literal) (function_declaration)] @scope
(parameter name: (simple_identifier) @param)
(lambda_parameter name: (simple_identifier) @param)
(modifiers (attribute) @decorator)
(function_declaration [(user_type) (array_type) (optional_type) (dictionary_type) (tuple_type)] @return_type @returns)
(protocol_function_declaration [(user_type) (array_type) (optional_type) (dictionary_type) (tuple_type)] @return_type @returns)
(function_declaration "async" @async)
[(function_declaration (modifiers (visibility_modifier) @visibility)) (class_declaration (modifiers (visibility_modifier) @visibility)) (protocol_declaration (modifiers (visibility_modifier) @visibility)) (init_declaration (modifiers (visibility_modifier) @visibility))]
(inheritance_specifier inherits_from: (_) @extends)

; Imports.
(import_declaration (identifier (simple_identifier) @skip))
(import_declaration (identifier) @import)

; Types.
(type_annotation [(user_type) (array_type) (optional_type) (dictionary_type) (function_type) (tuple_type)] @type)
(parameter [(user_type) (array_type) (optional_type) (dictionary_type) (function_type)] @type)
(property_declaration value: (call_expression (simple_identifier) @type @call (#match? @type "^[A-Z]")))
(property_declaration value: (integer_literal) @type.is.Int)
(property_declaration value: (real_literal) @type.is.Double)
(property_declaration value: (line_string_literal) @type.is.String)
(property_declaration value: (boolean_literal) @type.is.Bool)

; What is thrown, awaited and returned.
(control_transfer_statement (throw_keyword) (call_expression (simple_identifier) @throw @call))
(control_transfer_statement (throw_keyword) (navigation_expression) @throw)
(control_transfer_statement (throw_keyword) (simple_identifier) @throw @read)
(await_expression expr: (simple_identifier) @await @read)
(await_expression expr: (_) @await.head)
(control_transfer_statement "return" result: (_)) @returns
(control_transfer_statement "break" @break)
(control_transfer_statement "continue" @continue)

; Writes.
(property_declaration name: (pattern bound_identifier: (simple_identifier) @_new) value: (simple_identifier) @_old) @alias
(pattern bound_identifier: (simple_identifier) @write)
(directly_assignable_expression (simple_identifier) @write)
(directly_assignable_expression (navigation_expression) @mutate)
(directly_assignable_expression (call_expression) @mutate.head)
(directly_assignable_expression (call_expression (simple_identifier) @read))

; Calls.
(call_expression (simple_identifier) @call)
(call_expression (navigation_expression) @call)

; Control flow.
[(if_statement) (guard_statement) (switch_entry) (ternary_expression) (catch_block)] @branch
[(for_statement) (while_statement) (repeat_while_statement)] @loop

; Everything else that is named is read.
(navigation_expression target: (navigation_expression) @skip)
(navigation_expression) @read
(simple_identifier) @read
(type_identifier) @use
