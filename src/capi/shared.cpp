// The shared library is made of archives; a target needs a source of its own.
