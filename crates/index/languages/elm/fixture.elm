module Place exposing (..)

import Html

type alias Place =
    { owner : String }

type State
    = Free
    | Taken

-- Reserves the place.
reserve : String -> Place -> Place
reserve owner place =
    { place | owner = owner }
