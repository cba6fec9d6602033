#pragma once

/// Catch2 2 (Debian 12) and 3 (Ubuntu 24.04) alike.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

/// Requires that `expression` throws `type` and that its message has all of the words given.
#define REQUIRE_THROWS_SAYING(expression, type, ...)                                 \
  do {                                                                               \
    std::string message_of_throw;                                                    \
    try {                                                                            \
      static_cast<void>(expression);                                                 \
      FAIL("expected " #type " from " #expression);                                  \
    } catch (const type& error) {                                                    \
      message_of_throw = error.what();                                               \
    }                                                                                \
    for (const std::string word : std::initializer_list<std::string>{__VA_ARGS__}) { \
      INFO("message: " << message_of_throw);                                         \
      REQUIRE(message_of_throw.find(word) != std::string::npos);                     \
    }                                                                                \
  } while (false)
