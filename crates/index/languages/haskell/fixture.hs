module Place where

import Data.List

-- | A place to leave a car.
data Place = Place { owner :: String }

type Places = [Place]

class Spot a where
  reserve :: a -> String -> a

instance Spot Place where
  reserve place name = place { owner = name }

-- | Frees the place.
free :: Place -> Place
free place = place { owner = "" }
