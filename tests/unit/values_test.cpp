// Values as users write them.

#include <climits>
#include <functional>
#include <string>

#include "catch.hpp"
#include "input/values.hpp"
#include "occcalc/error.hpp"

namespace {

using namespace occcalc;
using namespace occcalc::input;

std::string refusal(const std::function<void()>& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string size_refusal(std::string_view text) {
  return refusal([text] { static_cast<void>(read_size("--smem", text)); });
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("sizes are bytes or binary units, whole numbers of bytes") {
  CHECK(read_size("", "0") == 0);
  CHECK(read_size("", "8192") == 8192);
  for (const char* const text : {"8K", "8k", "8KB", "8kb", "8KiB", "8kIb", "8.0K"}) {
    CHECK(read_size("", text) == 8192);
  }
  CHECK(read_size("", "1M") == 1 << 20);
  CHECK(read_size("", "1.5K") == 1536);
  CHECK(read_size("", "0.0009765625K") == 1);
  CHECK(read_size("", "0.00000095367431640625M") == 1);
  CHECK(read_size("", "9223372036854775807") == INT64_MAX);
  CHECK(read_size("", "9007199254740991K") == INT64_MAX - 1023);
}

TEST_CASE("sizes that are none are refused, with the next step where there is one") {
  for (const char* const text : {"", "K", "8Q", "1.3", "8 K", "-1", "0x10", "1e3", "1.", ".5K", "1.5.5K", "8G", "nan",
                                 "+1", "9223372036854775808", "9007199254740992K", "99999999999999999999K"}) {
    INFO(text);
    CHECK(contains(size_refusal(text), "--smem: found "));
  }
  CHECK(contains(size_refusal("8.19 Kbyte"), "--print-units base"));
  for (const char* const text : {"8192B", "8192b", "8192 bytes", "8192byte"}) {
    CHECK(contains(size_refusal(text), "write the bytes alone"));
  }
  CHECK(contains(size_refusal("0.3K"), "no whole number of bytes"));
  CHECK(contains(size_refusal("1K,2K"), "this takes one value"));
}

TEST_CASE("blocks are a number of threads or dimensions") {
  CHECK(read_block("", "256") == Dim3{256, 1, 1});
  CHECK(read_block("", "16x16") == Dim3{16, 16, 1});
  CHECK(read_block("", "32X8X4") == Dim3{32, 8, 4});
  CHECK(read_block("", "2147483647") == Dim3{INT_MAX, 1, 1});
  for (const char* const text : {"", "0", "16x", "x16", "16xx2", "1x2x3x4", "1e3", "256.5", "0x28", "4 0", "-1", "16x0",
                                 "2147483648", "65536x65536", "2048x2048x2048"}) {
    INFO(text);
    CHECK(contains(refusal([text] { static_cast<void>(read_block("--block", text)); }), "--block: found "));
  }
}

TEST_CASE("a carveout is a word, a percentage or a size of the part") {
  const Architecture& part = *find_architecture("sm_80");
  CHECK(read_carveout("", "default", part) == Carveout{});
  CHECK(read_carveout("", "MAX-L1", part) == Carveout{Carveout::Kind::MaxL1});
  CHECK(read_carveout("", "0%", part) == Carveout::percent(0));
  CHECK(read_carveout("", "100%", part) == Carveout::percent(100));
  CHECK(read_carveout("", "64K", part) == Carveout::bytes(65536));
  CHECK(read_carveout("", "102400", part) == Carveout::bytes(102400));
  CHECK(read_carveout("", "0K", part) == Carveout::bytes(0));
  for (const char* const text : {"", "101%", "-1%", "1.5%", "%", "65K", "banana", "50", "1", "0", "167937", "164"}) {
    INFO(text);
    CHECK(
        contains(refusal([&] { static_cast<void>(read_carveout("--carveout", text, part)); }), "accepted: default, "));
  }
  CHECK(contains(refusal([&] { static_cast<void>(read_carveout("", "50", part)); }), "write 50% or 64K"));
}

TEST_CASE("a share is a percentage or a fraction, and a bare number above 1 is refused") {
  CHECK(read_fraction("", "50%") == 0.5);
  CHECK(read_fraction("", "62.5%") == 0.625);
  CHECK(read_fraction("", "0.5") == 0.5);
  CHECK(read_fraction("", "1") == 1.0);
  CHECK(read_fraction("", "0") == 0.0);
  for (const char* const text : {"", "50", "101%", "nan", "inf", "1e-1", "0x1", "-0.5", ".5", "5.%", "%"}) {
    INFO(text);
    CHECK(refusal([text] { static_cast<void>(read_fraction("", text)); }) != "accepted");
  }
}

TEST_CASE("counts stay within their range") {
  CHECK(read_count("", "0", "barriers", 0, 16) == 0);
  CHECK(read_count("", "16", "barriers", 0, 16) == 16);
  for (const char* const text : {"", "17", "-1", "+1", "1.0", "99999999999999999999", "1 ", "0:3", "1,2"}) {
    INFO(text);
    CHECK(refusal([text] { static_cast<void>(read_count("", text, "barriers", 0, 16)); }) != "accepted");
  }
}
