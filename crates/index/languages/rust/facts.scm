; Facts of rust: the first pattern that captures a node wins.
[(function_item name: (identifier) @skip) (function_signature_item name: (identifier) @skip) (const_item name: (identifier) @skip) (static_item name: (identifier) @skip)]
(macro_definition name: (identifier) @skip)
[(struct_item name: (_) @skip) (enum_item name: (_) @skip) (trait_item name: (_) @skip) (type_item name: (_) @skip) (union_item name: (_) @skip)]
(enum_variant name: (identifier) @skip)
(mod_item name: (identifier) @skip body: (_))
(label (identifier) @skip)
(type_parameter name: (_) @skip)
(attribute (identifier) @skip)
(attribute (token_tree (identifier) @skip))
(attribute (token_tree (token_tree (identifier) @skip)))
(field_initializer field: (_) @skip)

; Heads.
(closure_expression) @scope
(function_type) @scope
(impl_item trait: (_) body: (declaration_list (function_item) @scope @visibility.is.public))
(trait_item body: (declaration_list (function_item) @scope @visibility.is.public))
(trait_item body: (declaration_list (function_signature_item) @visibility.is.public))
(function_item) @scope
(function_modifiers "async" @async)
(parameter pattern: (identifier) @param)
(parameter pattern: (mut_pattern (identifier) @param))
(parameter pattern: (tuple_pattern (identifier) @param))
(parameter pattern: (tuple_struct_pattern (identifier) @param))
(parameter pattern: (ref_pattern (identifier) @param))
(parameter pattern: (reference_pattern (identifier) @param))
(closure_parameters (identifier) @param)
(self_parameter (self) @param)
(attribute_item (attribute) @decorator)
[(function_item return_type: (unit_type) @skip) (function_item return_type: (never_type) @skip)]
[(function_item return_type: (_) @return_type @returns) (function_signature_item return_type: (_) @return_type @returns)]
(impl_item trait: (_) @extends @use)
(trait_item bounds: (trait_bounds (_) @extends))
([(function_item (visibility_modifier) @visibility.is.public) (function_signature_item (visibility_modifier) @visibility.is.public) (struct_item (visibility_modifier) @visibility.is.public) (enum_item (visibility_modifier) @visibility.is.public) (union_item (visibility_modifier) @visibility.is.public) (trait_item (visibility_modifier) @visibility.is.public) (const_item (visibility_modifier) @visibility.is.public) (static_item (visibility_modifier) @visibility.is.public) (type_item (visibility_modifier) @visibility.is.public) (mod_item (visibility_modifier) @visibility.is.public)] (#eq? @visibility.is.public "pub"))
[(function_item (visibility_modifier) @visibility.is.internal) (function_signature_item (visibility_modifier) @visibility.is.internal) (struct_item (visibility_modifier) @visibility.is.internal) (enum_item (visibility_modifier) @visibility.is.internal) (union_item (visibility_modifier) @visibility.is.internal) (trait_item (visibility_modifier) @visibility.is.internal) (const_item (visibility_modifier) @visibility.is.internal) (static_item (visibility_modifier) @visibility.is.internal) (type_item (visibility_modifier) @visibility.is.internal) (mod_item (visibility_modifier) @visibility.is.internal)]

; Imports.
(use_declaration argument: [(scoped_identifier) (identifier)] @import)
(use_declaration argument: (scoped_identifier path: (_) @import))
(use_declaration argument: (scoped_use_list path: (_) @import))
(use_declaration argument: (use_as_clause path: (_) @import))
(use_declaration argument: (use_wildcard (_) @import))
(extern_crate_declaration name: (identifier) @import)
(mod_item name: (identifier) @import !body)
(use_as_clause path: (_) @_old alias: (identifier) @_new) @alias
(use_as_clause alias: (identifier) @skip)
(use_list (identifier) @use)

; Types.
(let_declaration type: (_) @type)
(parameter type: (_) @type)
(field_declaration type: (_) @type)
(const_item type: (_) @type)
(static_item type: (_) @type)
(let_declaration value: (call_expression function: (scoped_identifier path: (identifier) @type @use)))
(let_declaration value: (struct_expression name: (_) @type @use))
(let_declaration value: (string_literal) @type.is.str)
(let_declaration value: (integer_literal) @type.is.i32)
(let_declaration value: (float_literal) @type.is.f64)
(let_declaration value: (boolean_literal) @type.is.bool)
(let_declaration value: (char_literal) @type.is.char)
(let_declaration value: (macro_invocation macro: (identifier) @call @type.is.Vec (#eq? @call "vec")))
(let_declaration value: (macro_invocation macro: (identifier) @call @type.is.String (#eq? @call "format")))

; What is thrown and awaited. A Result carries what other languages throw.
(call_expression function: (identifier) @_err arguments: (arguments (_) @throw.head) (#eq? @_err "Err"))
(macro_invocation macro: (identifier) @throw @call (#any-of? @throw "panic" "unreachable" "todo" "unimplemented" "bail"))
(await_expression (identifier) @await @read)
(await_expression (_) @await.head)

; Writes.
(let_declaration pattern: (identifier) @_new value: [(identifier) (field_expression)] @_old) @alias
(let_declaration pattern: (identifier) @_new value: (reference_expression value: [(identifier) (field_expression)] @_old)) @alias
(assignment_expression left: (identifier) @_new right: (identifier) @_old) @alias
(let_declaration pattern: (identifier) @write)
(let_declaration pattern: (tuple_pattern (identifier) @write))
(let_declaration pattern: (mut_pattern (identifier) @write))
(assignment_expression left: (identifier) @write)
(assignment_expression left: [(field_expression) (index_expression)] @mutate)
(assignment_expression left: (unary_expression (_) @mutate))
(compound_assignment_expr left: (identifier) @write @read)
(compound_assignment_expr left: [(field_expression) (index_expression)] @mutate @read)
(compound_assignment_expr left: (unary_expression (_) @mutate @read))
(for_expression pattern: (identifier) @write)
(for_expression pattern: (tuple_pattern (identifier) @write))
(tuple_struct_pattern type: (_) @skip)
(tuple_struct_pattern (identifier) @write)
(captured_pattern (identifier) @write)

; Calls.
(call_expression function: (field_expression value: (field_expression) @read))
(call_expression function: [(identifier) (scoped_identifier) (field_expression)] @call)
(call_expression function: (generic_function function: (_) @call))
(macro_invocation macro: (_) @call)

; Control flow.
[(if_expression) (match_arm)] @branch
[(for_expression) (while_expression) (loop_expression)] @loop
(break_expression) @break
(continue_expression) @continue

; Everything else that is named is read.
(scoped_identifier path: (identifier) @use)
(scoped_identifier name: (identifier) @skip)
(scoped_type_identifier path: (identifier) @use)
(field_expression value: (field_expression) @skip)
(field_expression) @read
(identifier) @read
(type_identifier) @use
