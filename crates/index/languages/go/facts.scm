; Facts of go: the first pattern that captures a node wins.
(function_declaration name: (identifier) @skip)
(type_spec name: (_) @skip)
(keyed_element key: (literal_element (identifier) @skip))
(labeled_statement label: (_) @skip)

; Heads.
[(func_literal) (function_type) (method_elem)] @scope
(function_declaration result: (parameter_list (parameter_declaration name: (identifier) @write)))
(method_declaration result: (parameter_list (parameter_declaration name: (identifier) @write)))
(parameter_declaration name: (identifier) @param)
(variadic_parameter_declaration name: (identifier) @param)
(function_declaration result: (_) @return_type @returns)
(method_declaration result: (_) @return_type @returns)
(field_declaration type: (_) @extends !name)
(interface_type (type_elem (_) @extends))

; Imports.
(import_spec name: (package_identifier) @_new path: (_) @_old) @alias
(import_spec path: (_) @import)

; Types.
(parameter_declaration type: (_) @type)
(variadic_parameter_declaration type: (_) @type)
(var_spec type: (_) @type)
(const_spec type: (_) @type)
(field_declaration type: (_) @type)
(composite_literal type: (_) @type @use)
(short_var_declaration right: (expression_list (int_literal) @type.is.int))
(short_var_declaration right: (expression_list (float_literal) @type.is.float64))
(short_var_declaration right: (expression_list (interpreted_string_literal) @type.is.string))
(short_var_declaration right: (expression_list (raw_string_literal) @type.is.string))
(short_var_declaration right: (expression_list (true) @type.is.bool))
(short_var_declaration right: (expression_list (false) @type.is.bool))

; What is thrown: a panic, or an error that is made.
(call_expression function: (identifier) @throw @call (#eq? @throw "panic"))
(call_expression function: (selector_expression) @throw @call (#any-of? @throw "errors.New" "fmt.Errorf"))

; Writes.
(short_var_declaration left: (expression_list (identifier) @_new) right: (expression_list [(identifier) (selector_expression)] @_old)) @alias
(assignment_statement left: (expression_list (identifier) @_new) operator: "=" right: (expression_list [(identifier) (selector_expression)] @_old)) @alias
(short_var_declaration left: (expression_list (identifier) @write))
(assignment_statement left: (expression_list (identifier) @write))
(assignment_statement left: (expression_list [(selector_expression) (index_expression) (unary_expression)] @mutate))
(var_spec name: (identifier) @write)
(const_spec name: (identifier) @skip)
(range_clause left: (expression_list (identifier) @write))
(inc_statement (identifier) @write @read)
(dec_statement (identifier) @write @read)
(inc_statement (_) @mutate)
(dec_statement (_) @mutate)

; Calls.
(call_expression function: (selector_expression operand: (selector_expression) @read))
(call_expression function: [(identifier) (selector_expression)] @call)

; Control flow.
[(if_statement) (expression_case) (type_case) (communication_case)] @branch
(for_statement) @loop
(break_statement) @break
(continue_statement) @continue

; Everything else that is named is read.
(selector_expression operand: (selector_expression) @skip)
(selector_expression) @read
(identifier) @read
(type_identifier) @use
