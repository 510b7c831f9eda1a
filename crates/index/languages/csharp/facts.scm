; Facts of csharp: the first pattern that captures a node wins.
[(method_declaration name: (_) @skip) (class_declaration name: (_) @skip) (interface_declaration name: (_) @skip) (struct_declaration name: (_) @skip) (enum_declaration name: (_) @skip) (record_declaration name: (_) @skip) (constructor_declaration name: (_) @skip) (property_declaration name: (_) @skip) (delegate_declaration name: (_) @skip) (enum_member_declaration name: (_) @skip) (namespace_declaration name: (_) @skip) (file_scoped_namespace_declaration name: (_) @skip)]
(attribute name: (_) @skip)
(attribute_argument name: (_) @skip)
(member_access_expression name: (identifier) @skip)

; Heads.
[(lambda_expression) (anonymous_method_expression) (local_function_statement) (method_declaration)] @scope
(parameter name: (identifier) @param)
(parameter_list name: (identifier) @param)
(implicit_parameter) @param
(attribute_list (attribute) @decorator)
(method_declaration returns: (_) @return_type (#eq? @return_type "void"))
(method_declaration returns: (_) @return_type @returns)
(base_list (_) @extends)
(method_declaration (modifier) @async (#eq? @async "async"))
([(method_declaration (modifier) @visibility) (class_declaration (modifier) @visibility) (interface_declaration (modifier) @visibility) (struct_declaration (modifier) @visibility) (enum_declaration (modifier) @visibility) (record_declaration (modifier) @visibility) (constructor_declaration (modifier) @visibility) (property_declaration (modifier) @visibility)] (#any-of? @visibility "public" "private" "protected" "internal"))

; Imports.
(using_directive name: (identifier) @_new [(qualified_name) (identifier)] @_old) @alias
(using_directive name: (identifier) @skip)
(using_directive [(qualified_name) (identifier)] @import)
(qualified_name (identifier) @skip)

; Types.
(parameter type: (identifier) @type @use)
(parameter type: (_) @type)
(parameter_list type: (_) @type)
(variable_declaration type: (implicit_type) @skip)
(variable_declaration type: (identifier) @type @use)
(variable_declaration type: (_) @type)
(property_declaration type: (_) @type)
(throw_statement (object_creation_expression type: (_) @throw @type @call))
(throw_expression (object_creation_expression type: (_) @throw @type @call))
(object_creation_expression type: (_) @type @call)
(variable_declarator (integer_literal) @type.is.int)
(variable_declarator (string_literal) @type.is.string)
(variable_declarator (boolean_literal) @type.is.bool)
(generic_name (identifier) @use)
(type_argument_list (identifier) @use)

; What is thrown, awaited and yielded.
(throw_statement (identifier) @throw @read)
(await_expression (identifier) @await @read)
(await_expression (_) @await.head)
(yield_statement) @generator

; Writes.
(variable_declarator name: (identifier) @_new [(identifier) (member_access_expression)] @_old) @alias
(assignment_expression left: (identifier) @_new operator: "=" right: [(identifier) (member_access_expression)] @_old) @alias
(field_declaration (variable_declaration (variable_declarator name: (identifier) @skip)))
(variable_declarator name: (identifier) @write)
(assignment_expression left: (identifier) @write)
(assignment_expression left: [(member_access_expression) (element_access_expression)] @mutate)
(postfix_unary_expression (identifier) @write @read)
(postfix_unary_expression [(member_access_expression) (element_access_expression)] @mutate)
(foreach_statement left: (identifier) @write)
(catch_declaration name: (identifier) @skip)
(catch_declaration type: (identifier) @use)

; Calls.
(invocation_expression function: [(identifier) (member_access_expression) (generic_name)] @call)

; Control flow.
[(if_statement) (conditional_expression) (switch_section) (switch_expression_arm) (catch_clause)] @branch
[(for_statement) (foreach_statement) (while_statement) (do_statement)] @loop
(break_statement) @break
(continue_statement) @continue

; Everything else that is named is read.
(member_access_expression expression: (member_access_expression) @skip)
(member_access_expression) @read
(identifier) @read
