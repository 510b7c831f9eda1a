; Facts of cpp, before those it shares with c.
[(lambda_expression) (function_definition)] @scope
(class_specifier name: (_) @skip)
(struct_specifier name: (_) @skip body: (_))
(namespace_definition name: (_) @skip)

(attribute name: (_) @skip)

; Heads.
(catch_clause parameters: (parameter_list (parameter_declaration declarator: [(identifier) (reference_declarator (identifier))] @skip)))
(catch_clause parameters: (parameter_list (parameter_declaration declarator: (reference_declarator (identifier) @skip))))
(parameter_declaration declarator: (reference_declarator (identifier) @param))
(optional_parameter_declaration declarator: (identifier) @param)
(optional_parameter_declaration declarator: (reference_declarator (identifier) @param))
(class_specifier body: (field_declaration_list "{" @visibility.following.private))
(field_declaration_list (access_specifier) @visibility.following)
(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @extends)
(attribute_declaration (attribute) @decorator)
(co_await_expression "co_await" @async)
(co_yield_statement) @generator

; Imports.
(using_declaration (qualified_identifier) @import)

; Types.
(declaration type: (placeholder_type_specifier) @skip)
(optional_parameter_declaration type: (_) @type)
(throw_statement (call_expression function: (_) @throw @call))
(throw_statement (identifier) @throw @read)
(new_expression type: (_) @type @call)
(init_declarator value: (call_expression function: (identifier) @type @call (#match? @type "^[A-Z]")))
(co_await_expression argument: (_) @await.head)

; Writes.
(init_declarator declarator: (reference_declarator (identifier) @write))
(for_range_loop declarator: (identifier) @write)
(for_range_loop declarator: (reference_declarator (identifier) @write))

; Calls.
(call_expression function: [(qualified_identifier) (template_function)] @call)
(catch_clause) @branch
(for_range_loop) @loop
(qualified_identifier name: (_) @skip)
