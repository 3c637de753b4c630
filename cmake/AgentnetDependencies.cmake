# What the libraries of agentnet need from outside. Read by this build and, installed beside the package
# config, by every build that uses the static libraries: one list, so the two cannot drift apart.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(xxHash REQUIRED IMPORTED_TARGET libxxhash)   # PkgConfig::xxHash
