# What Debian wants of a package, done to the files that CPack has put in place: see tool/install.cmake.
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
set(doc ${share}/doc/${CPACK_PACKAGE_NAME})

function(gzip)
  execute_process(COMMAND gzip -9nf ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(GLOB pages ${share}/man/man1/*.1)
gzip(${pages})

if(NOT CPACK_PACKAGE_NAME STREQUAL drydock)
  file(RENAME ${share}/doc/drydock ${doc})
endif()
file(READ ${CPACK_DRYDOCK_SOURCE}/LICENSE license)
file(READ ${CPACK_DRYDOCK_SOURCE}/patches/NOTICE notice)
file(WRITE ${doc}/copyright "${license}\nThe patches in /usr/share/drydock/patches:\n\n${notice}")
file(REMOVE ${doc}/LICENSE)
execute_process(COMMAND date -u -R -d ${CPACK_DRYDOCK_DATE} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${doc}/changelog
  "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
  "  * What has changed is told in CHANGELOG.md.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
gzip(${doc}/changelog)
file(CHMOD ${doc}/copyright ${doc}/changelog.gz FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)

if(CPACK_PACKAGE_NAME STREQUAL drydock-static)
  set(overrides ${share}/lintian/overrides/${CPACK_PACKAGE_NAME})
  file(WRITE ${overrides}
    "# An image may have any libc, or none: this executable is for all of them.\n"
    "${CPACK_PACKAGE_NAME}: statically-linked-binary [usr/bin/drydock]\n"
    "${CPACK_PACKAGE_NAME}: embedded-library libyaml [usr/bin/drydock]\n")
endif()
