// Package parking keeps places.
package parking

import "fmt"

const limit = 8

// Place is where a car is left.
type Place struct {
	Owner string
}

type Parker interface {
	Park() error
}

type State int

// Reserve takes the place.
func (p *Place) Reserve(owner string) error {
	p.Owner = owner
	return nil
}

func NewPlace() *Place {
	return &Place{}
}

func TestReserve(t *testing.T) {
	fmt.Println("ok")
}
