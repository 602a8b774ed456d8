# What is installed, and Debian packages of it: drydock, the full tool, or drydock-static, the image's.
install(TARGETS drydock RUNTIME DESTINATION bin)
if(NOT DRYDOCK_IMAGE_ONLY)
  install(TARGETS drydock-rebuild RUNTIME DESTINATION libexec/drydock)
endif()
install(DIRECTORY manifests patches DESTINATION share/drydock)
install(DIRECTORY ${DRYDOCK_DOCUMENTS}/man/ DESTINATION share/man/man1)
install(FILES ${DRYDOCK_DOCUMENTS}/completions/drydock DESTINATION share/bash-completion/completions)
install(FILES ${DRYDOCK_DOCUMENTS}/completions/drydock.fish DESTINATION share/fish/vendor_completions.d)
# Debian's zsh looks elsewhere for what packages bring.
install(CODE "
  set(folder site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(folder vendor-completions)
  endif()
  file(INSTALL \"${DRYDOCK_DOCUMENTS}/completions/_drydock\"
    DESTINATION \"\${CMAKE_INSTALL_PREFIX}/share/zsh/\${folder}\")")
install(FILES README.md CHANGELOG.md LICENSE DESTINATION share/doc/drydock)

if(DRYDOCK_IMAGE_ONLY)
  set(CPACK_PACKAGE_NAME drydock-static)
  set(CPACK_DEBIAN_PACKAGE_CONFLICTS drydock)
  set(CPACK_DEBIAN_PACKAGE_REPLACES drydock)
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "keeps patches on installed npm packages (for images)")
  set(description
"This is the tool for container images: one executable that needs no library,
with the commands apply, status, revert, sbom and patch. The package drydock
has all commands.")
else()
  set(CPACK_PACKAGE_NAME drydock)
  set(CPACK_DEBIAN_PACKAGE_CONFLICTS drydock-static)
  set(CPACK_DEBIAN_PACKAGE_REPLACES drydock-static)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS nodejs)
  set(CPACK_DEBIAN_PACKAGE_SUGGESTS npm)
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "keeps patches on installed npm packages")
  set(description
"This is the full tool. Its command verify runs node, and regenerate and bump
run npm. The package drydock-static has the one executable for images.")
endif()
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"drydock patches npm packages that are installed in a container image, by sets
that know every file by its SHA-256, and takes the patches back. Everything is
checked before the first byte is written, and whatever cuts a run short, a
file is either as it was published or patched.

${description}")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "The drydock authors <maintainers@drydock.invalid>")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL aarch64)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tool/debian.cmake)
set(CPACK_DRYDOCK_DATE ${DRYDOCK_DATE})
set(CPACK_DRYDOCK_SOURCE ${PROJECT_SOURCE_DIR})
include(CPack)
