; Definitions of clojure: one pattern per kind of chunk; the first pattern that names a node wins.
(list_lit . (sym_lit) @_k . (sym_lit name: (sym_name) @name) (#any-of? @_k "defn" "defn-" "defmulti" "defmethod")) @def.function
(list_lit . (sym_lit) @_k . (sym_lit name: (sym_name) @name) (#any-of? @_k "defmacro")) @def.macro
(list_lit . (sym_lit) @_k . (sym_lit name: (sym_name) @name) (#any-of? @_k "defprotocol" "definterface")) @def.interface
(list_lit . (sym_lit) @_k . (sym_lit name: (sym_name) @name) (#any-of? @_k "defrecord" "deftype")) @def.class
(list_lit . (sym_lit) @_k . (sym_lit name: (sym_name) @name) (#any-of? @_k "deftest")) @def.test
(source (list_lit . (sym_lit) @_k . (sym_lit name: (sym_name) @name) (#any-of? @_k "def" "defonce")) @def.constant)
