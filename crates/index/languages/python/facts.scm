; Facts of python: the first pattern that captures a node wins.
; Names of what is defined are not read.
(function_definition name: (identifier) @skip)
(class_definition name: (identifier) @skip)
(keyword_argument name: (identifier) @skip)
(attribute attribute: (identifier) @skip)

; Heads.
(lambda) @scope
(function_definition) @scope
(function_definition "async" @async)
(parameters (identifier) @param)
(lambda_parameters (identifier) @param)
(typed_parameter (identifier) @param)
(default_parameter name: (identifier) @param)
(typed_default_parameter name: (identifier) @param)
(parameters (list_splat_pattern (identifier) @param))
(parameters (dictionary_splat_pattern (identifier) @param))
(lambda_parameters (list_splat_pattern (identifier) @param))
(lambda_parameters (dictionary_splat_pattern (identifier) @param))
(typed_parameter (list_splat_pattern (identifier) @param))
(typed_parameter (dictionary_splat_pattern (identifier) @param))
(decorator (call function: (identifier) @skip))
(decorator (call function: (attribute object: (identifier) @skip)))
(decorator (call function: (attribute) @skip))
(decorator (identifier) @decorator)
(decorator (attribute object: (identifier) @skip))
(decorator (_) @decorator)
(function_definition return_type: (type) @return_type)
(class_definition superclasses: (argument_list (identifier) @extends @use))
(class_definition superclasses: (argument_list (attribute) @extends @use))
(class_definition superclasses: (argument_list (subscript) @extends))

; Imports.
(import_statement name: (dotted_name) @import)
(import_statement name: (aliased_import name: (dotted_name) @import))
(import_from_statement module_name: (_) @import)
(future_import_statement "__future__" @import)
(future_import_statement name: (dotted_name) @skip)
(import_from_statement name: (dotted_name) @use)
(import_from_statement name: (aliased_import name: (dotted_name) @use))
(aliased_import name: (dotted_name) @_old alias: (identifier) @_new) @alias
(aliased_import alias: (identifier) @skip)
(dotted_name (identifier) @skip)

; Types.
(typed_parameter type: (type) @type)
(typed_default_parameter type: (type) @type)
(assignment type: (type) @type)
(type (identifier) @use)
(type (attribute) @use)
(type (attribute object: (identifier) @skip))
(type (binary_operator [(identifier) (attribute)] @use))
(type (binary_operator (attribute object: (identifier) @skip)))
(type (binary_operator (binary_operator [(identifier) (attribute)] @use)))
(type (binary_operator (binary_operator (attribute object: (identifier) @skip))))
(type (subscript [(identifier) (attribute)] @use))
(type (subscript (attribute object: (identifier) @skip)))
(type (binary_operator (subscript [(identifier) (attribute)] @use)))
(type (binary_operator (subscript (attribute object: (identifier) @skip))))
(generic_type (identifier) @use)
(assignment right: (call function: (identifier) @type @call (#match? @type "^_?[A-Z]")))
(assignment right: (integer) @type.is.int)
(assignment right: (float) @type.is.float)
(assignment right: (string) @type.is.str)
(assignment right: (true) @type.is.bool)
(assignment right: (false) @type.is.bool)
(assignment right: (list) @type.is.list)
(assignment right: (dictionary) @type.is.dict)
(assignment right: (set) @type.is.set)
(assignment right: (tuple) @type.is.tuple)
(assignment right: (list_comprehension) @type.is.list)
(assignment right: (dictionary_comprehension) @type.is.dict)

; What is thrown, awaited, yielded and returned.
(raise_statement cause: (identifier) @read)
(raise_statement (call function: [(identifier) (attribute)] @throw @call))
(raise_statement (identifier) @throw @read)
(raise_statement (attribute) @throw)
(await (identifier) @await @read)
(await (_) @await.head)
(yield) @generator
(return_statement (none)) @skip
(return_statement (_)) @returns

; Writes.
(assignment left: (identifier) @_new right: [(identifier) (attribute)] @_old) @alias
(assignment left: (identifier) @write)
(assignment left: [(attribute) (subscript)] @mutate)
(pattern_list (identifier) @write)
(tuple_pattern (identifier) @write)
(pattern_list [(attribute) (subscript)] @mutate)
(augmented_assignment left: (identifier) @write @read)
(augmented_assignment left: [(attribute) (subscript)] @mutate @read)
(delete_statement (_ [(attribute) (subscript)] @mutate))
(delete_statement [(attribute) (subscript)] @mutate)
(for_statement left: (identifier) @write)
(for_in_clause left: (identifier) @write)
(named_expression name: (identifier) @write)
(as_pattern_target (identifier) @write)

; Calls.
(call function: (attribute object: (attribute) @read))
(call function: [(identifier) (attribute)] @call)

; Control flow.
[(if_statement) (elif_clause) (conditional_expression) (case_clause) (except_clause)] @branch
[(for_statement) (while_statement)] @loop
(break_statement) @break
(continue_statement) @continue

; Everything else that is named is read.
(attribute object: (attribute) @skip)
(attribute) @read
(identifier) @read
