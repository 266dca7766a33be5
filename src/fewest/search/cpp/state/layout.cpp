#include "state/layout.hpp"

#include <stdexcept>

#include <algorithm>
#include <numeric>

namespace fewest {

namespace {

int code_bits(std::size_t facts) { return std::bit_width(facts - 1); }

bool is_pending(const Problem& problem, FactId fact) {
  return problem.pending != nullptr && has(problem.pending, fact);
}

}  // namespace

Layout::Layout(const Problem& problem, const Invariants& invariants, bool may_pack)
    : fact_words_(problem.words), places_(problem.num_facts) {
  const int raw_width = rounded_width(problem.words);
  if (may_pack) {
    const int packed_width = rounded_width(place_fields(problem, invariants));
    if (packed_width != 0 && (raw_width == 0 || packed_width < raw_width)) {
      FEWEST_ASSERT(is_sound(), "no two facts that can be true at once share a bit of a state");
      FEWEST_ASSERT(is_inverse_on(problem.initial, problem), "unpacking undoes packing");
      return;
    }
  }
  keep_bits(problem);
  FEWEST_ASSERT(is_sound(), "no two facts share a bit of a state");
  FEWEST_ASSERT(is_inverse_on(problem.initial, problem), "unpacking undoes packing");
}

#ifdef FEWEST_ASSERTIONS
bool Layout::is_sound() const {
  std::vector<Word> taken(words_, 0);
  const auto takes = [&](int word, Word mask) {
    if (word < 0 || word >= words_ || (taken[word] & mask) != 0) return false;
    taken[word] |= mask;
    return true;
  };
  for (const Field& field : fields_) {
    if (field.shift + field.bits > 64 || field.facts.size() > std::size_t{1} << field.bits) return false;
    const Word mask = field.bits == 0 ? 0 : ((Word{1} << field.bits) - 1) << field.shift;
    if (!takes(field.word, mask)) return false;
    for (std::size_t code = 0; code < field.facts.size(); ++code) {
      const FactPlace& place = places_[field.facts[code]];
      if (place.is_raw || place.word != field.word || place.mask != mask || place.value != code << field.shift)
        return false;
    }
  }
  for (FactId fact = 0; fact < num_facts(); ++fact) {
    const FactPlace& place = places_[fact];
    if (!place.is_raw || place.is_nowhere()) continue;
    if (!std::has_single_bit(place.mask) || place.value != place.mask || !takes(place.word, place.mask)) return false;
    if (fact_of_bit_[static_cast<std::size_t>(place.word) * 64 + std::countr_zero(place.mask)] != fact) return false;
  }
  return fact_of_bit_.size() == static_cast<std::size_t>(words_) * 64;
}

bool Layout::is_inverse_on(const Word* facts, const Problem& problem) const {
  FactSet expected(facts, facts + fact_words_);
  for (FactId fact = 0; fact < num_facts(); ++fact)
    if (is_pending(problem, fact)) remove(expected.data(), fact);
  return unpack(pack(facts).data()) == expected;
}
#endif

void Layout::keep_bits(const Problem& problem) {
  fields_.clear();
  words_ = fact_words_;
  fact_of_bit_.assign(static_cast<std::size_t>(words_) * 64, kNoFact);
  for (FactId fact = 0; fact < num_facts(); ++fact) {
    places_[fact] = {};
    if (is_pending(problem, fact)) continue;
    const Word bit = Word{1} << (fact % 64);
    places_[fact] = {fact / 64, bit, bit, true};
    fact_of_bit_[fact] = fact;
  }
}

// Places wide fields first, each into the first word that has room for it. Single bits then fill the remaining space.
int Layout::place_fields(const Problem& problem, const Invariants& invariants) {
  const auto& groups = invariants.exactly_one();
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return code_bits(groups[a].size()) > code_bits(groups[b].size());
  });
  std::vector<int> used;
  const auto place = [&](int bits) {
    std::size_t word = 0;
    while (word < used.size() && used[word] + bits > 64) ++word;
    if (word == used.size()) used.push_back(0);
    const int shift = used[word];
    used[word] += bits;
    FEWEST_ASSERT(used[word] <= 64, "a field does not straddle words");
    return std::pair{static_cast<int>(word), shift};
  };
  used.push_back(0);
  for (std::size_t id : order) {
    const int bits = code_bits(groups[id].size());
    if (bits == 0) {  // the only fact of its group is always true: a field without bits
      fields_.push_back({0, 0, 0, groups[id]});
      places_[groups[id][0]] = {0, 0, 0, false};
      continue;
    }
    const auto [word, shift] = place(bits);
    fields_.push_back({word, shift, bits, groups[id]});
    const Word mask = ((Word{1} << bits) - 1) << shift;
    for (std::size_t code = 0; code < groups[id].size(); ++code)
      places_[groups[id][code]] = {word, mask, static_cast<Word>(code) << shift, false};
  }
  std::vector<std::pair<std::size_t, FactId>> raw;
  for (FactId fact = 0; fact < num_facts(); ++fact) {
    if (invariants.group_of(fact) >= 0 || is_pending(problem, fact)) continue;
    const auto [word, shift] = place(1);
    const Word bit = Word{1} << shift;
    places_[fact] = {word, bit, bit, true};
    raw.emplace_back(static_cast<std::size_t>(word) * 64 + shift, fact);
  }
  words_ = static_cast<int>(used.size());
  fact_of_bit_.assign(used.size() * 64, kNoFact);
  for (const auto& [bit, fact] : raw) fact_of_bit_[bit] = fact;
  return words_;
}

Word Layout::fingerprint(Word seed) const {
  for (const FactPlace& place : places_)
    seed = fold_multiply(seed ^ place.value, place.mask ^ 0x9e3779b97f4a7c15u) + static_cast<Word>(place.word);
  return seed;
}

FactSet Layout::pack(const Word* facts) const { return pack_flip(facts); }

FactSet Layout::pack_flip(const Word* flip) const {
  FactSet result(words_);
  for_each_fact(flip, fact_words_, [&](FactId fact) {
    if (fact >= num_facts()) throw std::invalid_argument("a state has bits beyond the facts");
    result[places_[fact].word] ^= places_[fact].value;
  });
  return result;
}

FactSet Layout::unpack(const Word* state) const {
  FactSet result(fact_words_);
  for (FactId fact = 0; fact < num_facts(); ++fact) {
    const FactPlace& place = places_[fact];
    if (!place.is_nowhere() && (state[place.word] & place.mask) == place.value) add(result.data(), fact);
  }
  return result;
}

}  // namespace fewest
