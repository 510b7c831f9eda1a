# Builds the program.
FROM rust:1 AS build
RUN cargo build

FROM debian:stable
COPY --from=build /place /place
CMD ["/place"]
