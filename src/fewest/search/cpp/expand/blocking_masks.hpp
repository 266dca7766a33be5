// Finds the operators that apply in a state, using one computation for all facts.
//
// Problem: in most states, other pieces block nearly all operators of a piece. Testing the operators one by one takes
// as long as all other work on a state.
// Solution: suppose that each operator requires one true fact, that all its other conditions require facts to be false,
// and that at most four operators require the same true fact (the *rows* of this fact). Then the test can be inverted.
// For every fact F, one set contains the facts for which F blocks the first row, a second set contains the facts for
// which F blocks the second row, and so on. For each of these sets, the union over all true facts F is computed. The
// first row of a true fact applies if the fact is not in the first union, and so on. Facts without an applicable row
// are skipped.
// Usage:
//   BlockingMasks<1> blocking_masks(table, ranges, compiler);
//   if (blocking_masks.are_all()) count = blocking_masks.applicable(s, all, out);
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "expand/operators.hpp"
#include "state/compiler_attributes.hpp"
#include "state/layout.hpp"

namespace fewest {

template <int P>
class BlockingMasks {
 public:
  using Range = std::pair<std::uint32_t, std::uint32_t>;

  BlockingMasks() = default;

  // `rows_of_fact`: the rows of each fact in a table. The tests of these rows do not include the fact itself.
  FEWEST_COLD BlockingMasks(const OperatorTable<P>& table, const std::vector<Range>& rows_of_fact,
                         const Compiler& compiler) {
    const Layout& layout = compiler.layout();
    if (!kAreServed || table.size() == 0 || layout.is_packed() || table.has_inequalities()) return;
    always_ = Rows{};
    for (State<P>& row : always_.row) row = row ^ all_bits<P>();
    of_bit_.resize(P * 64);
    first_row_.resize(P * 64);
    for (FactId fact = 0; fact < layout.num_facts(); ++fact)
      if (!add(table, rows_of_fact[fact], layout.of(fact), compiler)) return;
    are_all_ = true;
  }

  // Whether the masks cover all operators.
  bool are_all() const { return kAreServed && are_all_; }

  // Writes the applicable rows of the facts in `may`, and returns the number of these rows. `out` must have room for
  // one more row than the table has.
  FEWEST_INLINE unsigned applicable(const State<P>& s, const State<P>& may, std::uint32_t* out) const {
    Rows hindered = always_;
    for (int word = 0; word < P; ++word)
      for (Word bits = s.w[word]; bits != 0; bits &= bits - 1) {
        const Rows& more = of_bit_[word * 64 + std::countr_zero(bits)];
        FEWEST_UNROLL
        for (int i = 0; i < kRows; ++i) {
          FEWEST_UNROLL
          for (int j = 0; j < P; ++j) hindered.row[i].w[j] |= more.row[i].w[j];
        }
      }
    unsigned count = 0;
    for (int word = 0; word < P; ++word) {
      Word free[kRows], any = 0;
      FEWEST_UNROLL
      for (int i = 0; i < kRows; ++i) {
        free[i] = s.w[word] & may.w[word] & ~hindered.row[i].w[word];
        any |= free[i];
      }
      for (; any != 0; any &= any - 1) {
        const int bit = std::countr_zero(any);
        const std::uint32_t first = first_row_[word * 64 + bit];
        FEWEST_UNROLL
        for (int i = 0; i < kRows; ++i) {
          out[count] = first + i;
          count += free[i] >> bit & 1;
        }
      }
    }
    return count;
  }

 private:
  static constexpr bool kAreServed = P <= 2;
  static constexpr int kRows = 4;
  struct Rows {
    State<P> row[kRows] = {};
  };

  static FactId bit_of(const FactPlace& place) { return place.word * 64 + std::countr_zero(place.mask); }

  // Returns false if the masks cannot represent the rows of this fact.
  bool add(const OperatorTable<P>& table, const Range& rows, const FactPlace& place, const Compiler& compiler) {
    if (rows.first == rows.second) return true;
    if (rows.second - rows.first > kRows || place.is_nowhere()) return false;
    FEWEST_ASSERT(std::has_single_bit(place.mask), "a fact that is not packed has one bit");
    first_row_[bit_of(place)] = rows.first;
    for (std::uint32_t i = 0; rows.first + i < rows.second; ++i) {
      const std::uint32_t row = rows.first + i;
      if (table.is_never(row)) continue;
      if (!(table.test(row).value == zero_state<P>())) return false;
      always_.row[i].w[place.word] &= ~place.mask;
      const auto hindered_by = [&](FactId bit) { of_bit_[bit].row[i].w[place.word] |= place.mask; };
      for_each_fact(table.test(row).mask.w, P, hindered_by);
      for (FactId other = 0; other < compiler.layout().num_facts(); ++other) {
        const bool blocks = (compiler.cover(other) & table.derived_mask(row)) != 0;
        if (blocks && !compiler.layout().of(other).is_nowhere()) hindered_by(bit_of(compiler.layout().of(other)));
      }
    }
    return true;
  }

  Rows always_;
  std::vector<Rows> of_bit_;
  std::vector<std::uint32_t> first_row_;  // by the bit of a fact: its first row
  bool are_all_ = false;
};

}  // namespace fewest
