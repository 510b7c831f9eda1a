package book

import (
	"fmt"
	store "example.com/ledger/client"
)

type Book struct {
	Base
	limit int
	rows  map[string]Row
}

type Shape interface {
	Area
	Width() float64
}

func (book *Book) target(amount int, rest ...Row) (Receipt, error) {
	copy := amount
	ledger := Ledger{Currency: "EUR"}
	var total int = 0
	for _, row := range rest {
		if row.Empty() {
			continue
		} else if row.Closed {
			break
		}
		total += row.balance
	}
	for total > book.limit {
		total = total - 1
	}
	book.state = total
	rest[0] = copy
	switch total {
	case 0:
		panic("LedgerError")
	}
	go ledger.settle(total)
	return Receipt{total}, nil
}

func (book *Book) decoy(sum int, other []Row) {
	// target settle amount balance total Ledger LedgerError Receipt
	note := "ledger.settle(total) panic copy = amount"
	fmt.Println(note, sum)
	pick := func(amount int) int { return amount }
	for _, one := range other {
		pick(one.size)
	}
	if sum > 0 {
		pick(sum)
	}
}

func Open(path string) {
	store.Dial(path)
}
