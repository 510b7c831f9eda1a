; Facts of c: the first pattern that captures a node wins.
(preproc_ifdef name: (identifier) @skip)
(preproc_defined (identifier) @skip)
(preproc_if condition: (identifier) @skip)
(preproc_elif condition: (identifier) @skip)
(function_declarator declarator: (_) @skip)
(preproc_def name: (_) @skip)
(preproc_function_def name: (_) @skip)
(labeled_statement label: (_) @skip)
(enumerator name: (_) @skip)

; Heads.
(parameter_declaration declarator: (identifier) @param)
(parameter_declaration declarator: (pointer_declarator declarator: (identifier) @param))
(parameter_declaration declarator: (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @param)))
(parameter_declaration declarator: (array_declarator declarator: (identifier) @param))
(parameter_declaration declarator: (pointer_declarator declarator: (array_declarator declarator: (identifier) @param)))
(function_definition type: (_) @return_type @returns declarator: (pointer_declarator))
(function_definition type: (_) @return_type (#eq? @return_type "void"))
(function_definition type: (_) @return_type @returns)
(function_definition (storage_class_specifier) @visibility.is.private (#eq? @visibility.is.private "static"))
(function_definition (attribute_specifier) @decorator)

; Imports.
(preproc_include path: (_) @import)

; Types.
(parameter_declaration type: (_) @type)
(declaration type: (_) @type)
(field_declaration type: (_) @type)

; Writes.
(init_declarator declarator: (identifier) @_new value: [(identifier) (field_expression)] @_old) @alias
(assignment_expression left: (identifier) @_new operator: "=" right: [(identifier) (field_expression)] @_old) @alias
(init_declarator declarator: (identifier) @write)
(init_declarator declarator: (pointer_declarator declarator: (identifier) @write))
(init_declarator declarator: (array_declarator declarator: (identifier) @write))
(declaration declarator: (identifier) @skip)
(declaration declarator: (pointer_declarator declarator: (identifier) @skip))
(declaration declarator: (array_declarator declarator: (identifier) @skip))
(assignment_expression left: (identifier) @write)
(assignment_expression left: [(field_expression) (subscript_expression) (pointer_expression)] @mutate)
(update_expression argument: (identifier) @write @read)
(update_expression argument: [(field_expression) (subscript_expression) (pointer_expression)] @mutate)

; Calls.
(call_expression function: [(identifier) (field_expression)] @call)

; Control flow.
[(if_statement) (case_statement) (conditional_expression)] @branch
[(for_statement) (while_statement) (do_statement)] @loop
(break_statement) @break
(continue_statement) @continue

; Everything else that is named is read.
(field_expression argument: (field_expression) @skip)
(field_expression) @read
(identifier) @read
(type_identifier) @use
