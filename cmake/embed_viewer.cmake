# cmake -DPAGE=viewer.html -DSOURCE=viewer_page.cpp -P embed_viewer.cmake: the page as an array.
file(READ ${PAGE} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${SOURCE} "// Made from web/ by cmake/embed_viewer.cmake.
#include \"view/page/viewer_page.h\"

namespace agentnet {
namespace {

constexpr unsigned char kPage[] = {
${bytes}
};

}  // namespace

std::string_view viewer_page() { return {reinterpret_cast<const char*>(kPage), sizeof(kPage)}; }

}  // namespace agentnet
")
