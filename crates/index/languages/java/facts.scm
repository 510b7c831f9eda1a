; Facts of java: the first pattern that captures a node wins.
[(method_declaration name: (_) @skip) (class_declaration name: (_) @skip) (interface_declaration name: (_) @skip) (enum_declaration name: (_) @skip) (record_declaration name: (_) @skip) (constructor_declaration name: (_) @skip) (annotation_type_declaration name: (_) @skip) (enum_constant name: (_) @skip)]
(package_declaration (_) @skip)
(marker_annotation name: (_) @skip)
(annotation name: (_) @skip)
(element_value_pair key: (_) @skip)

; Heads.
[(lambda_expression) (method_declaration)] @scope
(formal_parameter name: (identifier) @param)
(spread_parameter (variable_declarator name: (identifier) @param))
(inferred_parameters (identifier) @param)
(lambda_expression parameters: (identifier) @param)
(modifiers [(marker_annotation) (annotation)] @decorator)
(method_declaration type: (void_type) @return_type)
(method_declaration type: (_) @return_type @returns)
(superclass (_) @extends)
(super_interfaces (type_list (_) @extends))
(extends_interfaces (type_list (_) @extends))
(method_declaration (modifiers ["public" "private" "protected"] @visibility))
(class_declaration (modifiers ["public" "private" "protected"] @visibility))
(interface_declaration (modifiers ["public" "private" "protected"] @visibility))
(enum_declaration (modifiers ["public" "private" "protected"] @visibility))
(record_declaration (modifiers ["public" "private" "protected"] @visibility))
(constructor_declaration (modifiers ["public" "private" "protected"] @visibility))

; Imports.
(import_declaration (scoped_identifier) @import)
(import_declaration (identifier) @import)
(scoped_identifier (identifier) @skip)

; Types.
(formal_parameter type: (_) @type)
(spread_parameter (type_identifier) @type @use)
(local_variable_declaration type: (_) @type (#not-eq? @type "var"))
(field_declaration type: (_) @type)
(throw_statement (object_creation_expression type: (_) @throw @type @call))
(object_creation_expression type: (_) @type @call)

; What is thrown.
(throws (_) @throw)
(throw_statement (identifier) @throw @read)

; Writes.
(variable_declarator name: (identifier) @_new value: [(identifier) (field_access)] @_old) @alias
(assignment_expression left: (identifier) @_new operator: "=" right: [(identifier) (field_access)] @_old) @alias
(field_declaration declarator: (variable_declarator name: (identifier) @skip))
(variable_declarator name: (identifier) @write)
(assignment_expression left: (identifier) @write)
(assignment_expression left: [(field_access) (array_access)] @mutate)
(update_expression (identifier) @write @read)
(update_expression [(field_access) (array_access)] @mutate)
(enhanced_for_statement name: (identifier) @write)
(catch_formal_parameter name: (identifier) @skip)
(resource name: (identifier) @write)

; Calls.
(method_invocation object: [(identifier) (field_access) (this)]) @call.head
(method_invocation name: (identifier) @call)

; Control flow.
[(if_statement) (ternary_expression) (switch_label) (catch_clause)] @branch
[(for_statement) (enhanced_for_statement) (while_statement) (do_statement)] @loop
(break_statement) @break
(continue_statement) @continue

; Everything else that is named is read.
(field_access field: (_) @skip)
(field_access object: (field_access) @skip)
(field_access) @read
(identifier) @read
(type_identifier) @use
