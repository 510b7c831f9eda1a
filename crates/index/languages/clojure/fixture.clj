(ns parking.place
  (:require [clojure.string :as str]))

(def limit 8)

(defrecord Place [owner])

;; Reserves the place.
(defn reserve [place owner]
  (assoc place :owner owner))

(defmacro with-place [place & body]
  `(do ~@body))

(deftest reserving-works
  (is (= 1 1)))
