#include "stagebench/report/human_units.h"

#include "support/catch.h"

using namespace stagebench;

TEST_CASE("durations have three digits and the unit that suits") {
  const auto text = [](double ns) { return human_duration(RealNanoseconds(ns)); };
  REQUIRE(text(0) == "0.00 ns");
  REQUIRE(text(1.5) == "1.50 ns");
  REQUIRE(text(45) == "45.0 ns");
  REQUIRE(text(999) == "999 ns");
  REQUIRE(text(1000) == "1.00 µs");
  REQUIRE(text(12345) == "12.3 µs");
  REQUIRE(text(12.3e6) == "12.3 ms");
  REQUIRE(text(1.5e9) == "1.50 s");
  REQUIRE(text(90e9) == "90.0 s");
  REQUIRE(text(12345e9) == "12345 s");
}

TEST_CASE("rounding carries into the next digit or unit") {
  const auto text = [](double ns) { return human_duration(RealNanoseconds(ns)); };
  REQUIRE(text(999.4) == "999 ns");
  REQUIRE(text(999.6) == "1.00 µs");
  REQUIRE(text(999'960) == "1.00 ms");
  REQUIRE(text(9.996) == "10.0 ns");
  REQUIRE(text(99.96) == "100 ns");
}

TEST_CASE("numbers have three digits, or all before the point") {
  REQUIRE(human_number(0) == "0.00");
  REQUIRE(human_number(0.05) == "0.05");
  REQUIRE(human_number(0.000123) == "0.00012");
  REQUIRE(human_number(0.5) == "0.50");
  REQUIRE(human_number(9.87) == "9.87");
  REQUIRE(human_number(76.12) == "76.1");
  REQUIRE(human_number(1440.4) == "1440");
  REQUIRE(human_number(999'999) == "999999");
  REQUIRE(human_number(999'999.7) == "1.00 M");
  REQUIRE(human_number(23.4e6) == "23.4 M");
}

TEST_CASE("bytes are counted in powers of 1024 and have three digits") {
  REQUIRE(human_bytes(0) == "0 B");
  REQUIRE(human_bytes(999) == "999 B");
  REQUIRE(human_bytes(1000) == "0.98 KiB");
  REQUIRE(human_bytes(1536) == "1.50 KiB");
  REQUIRE(human_bytes(std::uint64_t{1023} << 10) == "1.00 MiB");
  REQUIRE(human_bytes(std::uint64_t{256} << 30) == "256 GiB");
  REQUIRE(human_bytes(std::uint64_t{5000} << 40) == "5000 TiB");
}
