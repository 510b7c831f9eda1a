; Facts of php: the first pattern that captures a node wins.
[(method_declaration name: (_) @skip) (function_definition name: (_) @skip) (class_declaration name: (_) @skip) (interface_declaration name: (_) @skip) (trait_declaration name: (_) @skip) (enum_declaration name: (_) @skip)]

; Heads.
[(anonymous_function) (arrow_function) (method_declaration) (function_definition)] @scope
[(simple_parameter name: (variable_name (name) @param)) (variadic_parameter name: (variable_name (name) @param)) (property_promotion_parameter name: (variable_name (name) @param))]
(attribute_group (attribute) @decorator)
(method_declaration (visibility_modifier) @visibility)
[(method_declaration return_type: (_) @return_type) (function_definition return_type: (_) @return_type)]
(base_clause (_) @extends @use)
(class_interface_clause (_) @extends @use)
(use_declaration (_) @extends @use)

; Imports.
(namespace_use_clause [(qualified_name) (name)] @_old alias: (name) @_new) @alias
(namespace_use_clause alias: (_) @skip)
(namespace_use_clause [(qualified_name) (name)] @import)
[(require_expression (_) @import) (require_once_expression (_) @import) (include_expression (_) @import) (include_once_expression (_) @import)]

; Types.
[(simple_parameter type: (_) @type) (variadic_parameter type: (_) @type) (property_promotion_parameter type: (_) @type) (property_declaration type: (_) @type)]
(throw_expression (object_creation_expression [(name) (qualified_name)] @throw @type @call))
(object_creation_expression [(name) (qualified_name)] @type @call)
(assignment_expression right: (integer) @type.is.int)
(assignment_expression right: (float) @type.is.float)
(assignment_expression right: (string) @type.is.string)
(assignment_expression right: (encapsed_string) @type.is.string)
(assignment_expression right: (boolean) @type.is.bool)
(assignment_expression right: (array_creation_expression) @type.is.array)

; What is yielded and returned.
(yield_expression) @generator
(return_statement (_)) @returns

; Writes.
(assignment_expression left: (variable_name (name) @_new) right: (variable_name (name) @_old)) @alias
(assignment_expression left: (variable_name (name) @write))
(assignment_expression left: [(member_access_expression) (subscript_expression) (scoped_property_access_expression)] @mutate)
(augmented_assignment_expression left: (variable_name (name) @write @read))
(augmented_assignment_expression left: [(member_access_expression) (subscript_expression)] @mutate @read)
(update_expression (variable_name (name) @write @read))
(property_element name: (_) @skip)

; Calls.
(function_call_expression function: [(name) (qualified_name)] @call)
(function_call_expression function: (variable_name (name) @call))
(member_call_expression object: [(variable_name) (member_access_expression)]) @call.head
(member_call_expression name: (name) @call)
(scoped_call_expression scope: [(name) (qualified_name)]) @call.head
(scoped_call_expression name: (name) @call)
(echo_statement "echo" @call)
(print_intrinsic "print" @call)

; Control flow.
[(if_statement) (else_if_clause) (case_statement) (conditional_expression) (match_conditional_expression) (catch_clause)] @branch
[(for_statement) (foreach_statement) (while_statement) (do_statement)] @loop
(break_statement) @break
(continue_statement) @continue

; Everything else that is named is read.
(member_access_expression object: (member_access_expression) @skip)
(member_access_expression) @read
(variable_name (name) @read)
(named_type (_) @use)
