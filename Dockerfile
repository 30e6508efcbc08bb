# docker build -t gflowcausal .
# docker run --rm -u "$(id -u):$(id -g)" -v "$PWD:/data" gflowcausal discover data.csv --out run
# (-u: the files of the run are yours; without it they belong to root. Add -it for the progress, and for Ctrl-C.)
FROM rust:1.89-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --profile dist --locked -p gflowcausal-cli

FROM debian:bookworm-slim
COPY --from=build /source/target/dist/gflowcausal /usr/local/bin/gflowcausal
WORKDIR /data
ENTRYPOINT ["gflowcausal"]
CMD ["--help"]
