; Facts of scala: the first pattern that captures a node wins.
[(function_definition name: (_) @skip) (function_declaration name: (_) @skip) (class_definition name: (_) @skip) (object_definition name: (_) @skip) (trait_definition name: (_) @skip)]
(package_identifier (_) @skip)
(annotation name: (_) @skip)
(field_expression field: (_) @skip)

; Heads.
[(lambda_expression) (function_definition)] @scope
(parameter name: (identifier) @param)
(class_parameter name: (identifier) @param)
(binding name: (identifier) @param)
(lambda_expression parameters: (identifier) @param)
(annotation) @decorator
([(function_definition return_type: (_) @return_type) (function_declaration return_type: (_) @return_type)] (#eq? @return_type "Unit"))
[(function_definition return_type: (_) @return_type @returns) (function_declaration return_type: (_) @return_type @returns)]
[(function_definition (modifiers (access_modifier) @visibility)) (class_definition (modifiers (access_modifier) @visibility)) (object_definition (modifiers (access_modifier) @visibility)) (trait_definition (modifiers (access_modifier) @visibility))]
(extends_clause type: (_) @extends @use)

; Imports.
(import_declaration) @import
(import_declaration path: (_) @skip)
(namespace_selectors (identifier) @use)
(arrow_renamed_identifier name: (identifier) @_old alias: (identifier) @_new) @alias
(arrow_renamed_identifier (identifier) @skip)

; Types.
[(parameter type: (_) @type) (class_parameter type: (_) @type) (val_definition type: (_) @type) (var_definition type: (_) @type)]
(throw_expression (instance_expression (type_identifier) @throw @type @call))
(instance_expression (type_identifier) @type @call)
[(val_definition value: (integer_literal) @type.is.Int) (var_definition value: (integer_literal) @type.is.Int)]
[(val_definition value: (string) @type.is.String) (var_definition value: (string) @type.is.String)]

; What is thrown and returned.
(throw_expression (identifier) @throw @read)
(return_expression (_)) @returns

; Writes.
(val_definition pattern: (identifier) @_new value: [(identifier) (field_expression)] @_old) @alias
(var_definition pattern: (identifier) @_new value: [(identifier) (field_expression)] @_old) @alias
(val_definition pattern: (identifier) @write)
(var_definition pattern: (identifier) @write)
(assignment_expression left: (identifier) @write)
(assignment_expression left: (field_expression) @mutate)
(assignment_expression left: (call_expression) @mutate.head)
(assignment_expression left: (call_expression function: (identifier) @read))
(infix_expression left: (identifier) @write @read operator: (operator_identifier) @_op (#match? @_op "^[-+*/]=$"))
(infix_expression left: (field_expression) @mutate @read operator: (operator_identifier) @_op (#match? @_op "^[-+*/]=$"))

; Calls.
(call_expression function: [(identifier) (field_expression)] @call)
(call_expression function: (generic_function function: (_) @call))

; Control flow.
[(if_expression) (case_clause)] @branch
[(while_expression) (for_expression) (do_while_expression)] @loop

; Everything else that is named is read.
(field_expression value: (field_expression) @skip)
(field_expression) @read
(identifier) @read
(type_identifier) @use
