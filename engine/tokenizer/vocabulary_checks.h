#pragma once

#include <string>
#include <vector>

#include "special_ids.h"
#include "stagebench/contracts/vocabulary.h"

namespace stagebench::tokenization {

/// Throws InputError, with the source and the place, where `vocabulary` has no pieces, empty pieces of a kind that
/// needs text, scores or types of another number than pieces, or special ids outside.
void check_vocabulary(const Vocabulary& vocabulary);

/// BOS and EOS of `vocabulary`. Where it does not say whether to add BOS, `adds_bos_by_default` holds, as llama.cpp has
/// it, provided that there is one. Throws InputError where it asks to add one that it has not.
SpecialIds special_ids(const Vocabulary& vocabulary, bool adds_bos_by_default);

PieceType type_of(const Vocabulary& vocabulary, std::size_t id) noexcept;

}  // namespace stagebench::tokenization
