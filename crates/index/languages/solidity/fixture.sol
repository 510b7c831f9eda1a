pragma solidity ^0.8.0;

/// A place to leave a car.
contract Place is Spot {
    address owner;

    event Reserved(address owner);

    struct Car { uint size; }

    constructor() {
        owner = msg.sender;
    }

    modifier onlyOwner() {
        _;
    }

    /// Reserves the place.
    function reserve(address next) public onlyOwner returns (bool) {
        owner = next;
        return true;
    }
}
