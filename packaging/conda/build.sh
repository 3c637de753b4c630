#!/usr/bin/env bash
# Called by conda-build, which sets PREFIX, CMAKE_ARGS and CPU_COUNT.
set -euo pipefail
# shellcheck disable=SC2086  # CMAKE_ARGS are several
cmake -S . -B build/conda -G Ninja ${CMAKE_ARGS:-} \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
  -DAGENTNET_RDKIT=ON -DAGENTNET_XGBOOST=ON -DAGENTNET_LIBLINEAR=ON \
  -DAGENTNET_BUILD_TESTS=OFF -DAGENTNET_BUILD_BENCH=OFF
cmake --build build/conda -j "${CPU_COUNT:-1}"
cmake --install build/conda
