# Auricle in a container; docs/containers.md has how to use it. The extras decide what it can do:
#
#     docker build --tag auricle .
#     docker build --tag auricle:cuda --build-arg EXTRAS=api,cloud,huggingface,parquet,ray,transformers .
#
# The second one has torch, whose wheels contain the libraries of CUDA; the host has only the driver.

FROM python:3.11-slim AS build
ARG EXTRAS=api,bleu,chinese,cloud,demo,ifeval,parquet
# Git, from which the version is read elsewhere, is not part of the build.
ARG VERSION=0.1.dev0
ENV SETUPTOOLS_SCM_PRETEND_VERSION=$VERSION
WORKDIR /source
COPY LICENSE README.md pyproject.toml requirements.lock ./
COPY scripts/lock.py scripts/package_metadata.py scripts/
COPY src src
# Files are accepted only with the hash in the lock, on the platform of the lock.
ENV PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/auricle \
    && /opt/auricle/bin/python scripts/lock.py install "$EXTRAS" --no-editable

FROM python:3.11-slim
ARG VERSION=0.1.dev0
ARG REVISION=
ARG SOURCE=
LABEL org.opencontainers.image.title="Auricle" \
      org.opencontainers.image.description="Evaluate speech and audio models." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$REVISION \
      org.opencontainers.image.source=$SOURCE
# Any user may write to both folders: `--user` chooses who owns the results.
RUN useradd --uid 1000 --create-home auricle \
    && install --directory --mode=1777 /work /cache
COPY --from=build /opt/auricle /opt/auricle
ENV PATH=/opt/auricle/bin:$PATH \
    HOME=/cache \
    HF_HOME=/cache/huggingface \
    NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility
USER 1000
WORKDIR /work
VOLUME ["/work", "/cache"]
ENTRYPOINT ["auricle"]
CMD ["--help"]
