// Fact sets of a length known only at run time, mostly for code that runs once per search.
#pragma once

#include <bit>
#include <cstddef>
#include <vector>

#include "state/problem.hpp"

namespace fewest {

using FactSet = std::vector<Word>;

inline bool has(const Word* set, FactId fact) {
  FEWEST_ASSERT(fact >= 0, "no fact has a negative number");
  return set[fact / 64] >> (fact % 64) & 1;
}
inline void add(Word* set, FactId fact) {
  FEWEST_ASSERT(fact >= 0, "no fact has a negative number");
  set[fact / 64] |= Word{1} << (fact % 64);
}
inline void remove(Word* set, FactId fact) {
  FEWEST_ASSERT(fact >= 0, "no fact has a negative number");
  set[fact / 64] &= ~(Word{1} << (fact % 64));
}

template <class Visit>
void for_each_bit(Word bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(std::countr_zero(bits));
}

template <class Visit>
void for_each_fact(const Word* set, int words, Visit visit) {
  for (int i = 0; i < words; ++i)
    for_each_bit(set[i], [&](int bit) { visit(static_cast<FactId>(i * 64 + bit)); });
}

inline bool is_subset(const FactSet& part, const FactSet& whole) {
  FEWEST_ASSERT(part.size() == whole.size(), "sets that are compared have the same number of words");
  for (std::size_t i = 0; i < part.size(); ++i)
    if (part[i] & ~whole[i]) return false;
  return true;
}

inline bool intersects(const Word* a, const Word* b, int words) {
  for (int i = 0; i < words; ++i)
    if (a[i] & b[i]) return true;
  return false;
}

}  // namespace fewest
