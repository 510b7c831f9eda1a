CC := gcc

# Builds everything.
all: place.o
	$(CC) -o place place.o

clean:
	rm -f place
