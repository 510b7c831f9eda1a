package parking;

import java.util.List;

/** A place to leave a car. */
public class Place implements Spot {
    private String owner;

    public Place(String owner) {
        this.owner = owner;
    }

    /** Reserves the place. */
    @Override
    public boolean reserve(String owner) throws TakenException {
        this.owner = owner;
        return true;
    }

    enum State { FREE, TAKEN }
}

interface Spot {
    boolean reserve(String owner);
}
