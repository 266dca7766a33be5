// A table that represents operators as tests and constants on packed states, for the innermost loops.
//
// Problem: to expand a state, dozens of operators must be tested, although only a few apply.
// Solution: tests, flips and other data are in separate arrays, so the memory for a range of operators is read
// sequentially. The task determines which kind of test is necessary (`TestKind`). The list of applicable operators is
// written without a branch that could be mispredicted.
// Usage:
//   OperatorTable<1> table(compiler);
//   table.append(op, mask, value, flip, known_true); ...
//   n = table.applicable(begin, end, s, derived, out, n);
#pragma once

#include <algorithm>
#include <span>

#include "state/compiler.hpp"
#include "state/compiler_attributes.hpp"

namespace fewest {

template <int P>
struct MaskTest {
  State<P> mask, value;
};

// Cubes that need no derived words, in one list or several, for goals and forbidden states.
template <int P>
class CubeList {
 public:
  CubeList() = default;
  FEWEST_COLD CubeList(const Compiler& compiler, const Cubes& cubes) {
    const int words = compiler.problem().words;
    for (std::size_t i = 0; i < cubes.count; ++i) {
      if (i > 0 && cubes.list != nullptr && cubes.list[i] != cubes.list[i - 1]) list_ends_.push_back(tests_.size());
      add(compiler.compile(cubes.mask + i * words, cubes.value + i * words, kNoFact, false));
    }
    if (!list_ends_.empty()) list_ends_.push_back(tests_.size());
  }

  void add(const CompiledCube& cube) {
    if (!cube.is_possible) return;
    tests_.push_back({state_from<P>(cube.mask.data(), cube.mask.size()),
                      state_from<P>(cube.value.data(), cube.value.size())});
    differ_.insert(differ_.end(), cube.differ.begin(), cube.differ.end());
    differ_end_.push_back(differ_.size());
    FEWEST_ASSERT(are_in(cube.differ), "fields are in the words of a state");
  }

  bool empty() const { return tests_.empty(); }

  // Whether the state is in any of the cubes; if there are several lists, in a cube of each list.
  bool contain(const State<P>& s) const {
    if (!list_ends_.empty()) return is_in_every_list(s);
    for (std::size_t i = 0; i < tests_.size(); ++i)
      if (holds(i, s)) return true;
    return false;
  }
  // Whether the state is in the i-th cube that was added.
  bool holds(std::size_t i, const State<P>& s) const {
    FEWEST_ASSERT(i < tests_.size(), "the index is that of a cube");
    return in_cube(s, tests_[i].mask, tests_[i].value) && differs(i, s);
  }

 private:
  static bool are_in(const std::vector<Differ>& fields) {
    return std::ranges::all_of(fields, [](const Differ& d) { return d.word < P && (d.value & ~d.mask) == 0; });
  }

  bool is_in_every_list(const State<P>& s) const {
    std::size_t i = 0;
    for (const std::size_t end : list_ends_) {
      while (i < end && !holds(i, s)) ++i;
      if (i == end) return false;
      i = end;
    }
    return true;
  }

  bool differs(std::size_t i, const State<P>& s) const {
    for (std::size_t j = i == 0 ? 0 : differ_end_[i - 1]; j < differ_end_[i]; ++j)
      if ((s.w[differ_[j].word] & differ_[j].mask) == differ_[j].value) return false;
    return true;
  }

  std::vector<MaskTest<P>> tests_;
  std::vector<Differ> differ_;
  std::vector<std::size_t> differ_end_;
  std::vector<std::size_t> list_ends_;  // empty if there is one list
};

enum class TestKind { mask, derived, both };

template <int P>
class OperatorTable {
 public:
  explicit OperatorTable(const Compiler& compiler) : compiler_(&compiler) {}

  // Returns false if the operator can never apply and was omitted.
  bool append(OperatorId id, const Word* mask, const Word* value, const Word* flip,
              FactId known_true, bool may_derive = true) {
    FEWEST_ASSERT(id >= 0 && static_cast<std::size_t>(id) < compiler_->problem().operators.count,
                  "the operator is one of the problem");
    const CompiledCube cube = compiler_->compile(mask, value, known_true, may_derive);
    if (!cube.is_possible) return false;
    const FactSet packed = compiler_->layout().pack_flip(flip);
    Word derived_flip = 0;
    for_each_fact(flip, compiler_->problem().words,
                  [&](FactId fact) { derived_flip ^= compiler_->cover(fact); });
    tests_.push_back({state_from<P>(cube.mask.data(), cube.mask.size()),
                      state_from<P>(cube.value.data(), cube.value.size())});
    derived_masks_.push_back(cube.derived_mask);
    flips_.push_back(state_from<P>(packed.data(), packed.size()));
    derived_flips_.push_back(derived_flip);
    ids_.push_back(id);
    differ_.insert(differ_.end(), cube.differ.begin(), cube.differ.end());
    differ_end_.push_back(static_cast<std::uint32_t>(differ_.size()));
    needs_mask_ = needs_mask_ || !(tests_.back().mask == zero_state<P>());
    needs_derived_ = needs_derived_ || cube.derived_mask != 0;
    return true;
  }

  // Appends a row that never applies. If all ranges of operators have the same length, the processor can predict where
  // each range ends. This saves more time than the additional tests take.
  void append_never() {
    State<P> one = zero_state<P>();
    one.w[0] = 1;
    tests_.push_back({zero_state<P>(), one});
    derived_masks_.push_back(kAlwaysDerived);
    flips_.push_back(zero_state<P>());
    derived_flips_.push_back(0);
    ids_.push_back(-1);
    differ_end_.push_back(static_cast<std::uint32_t>(differ_.size()));
  }

  const Compiler& compiler() const { return *compiler_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(ids_.size()); }
  OperatorId id(std::uint32_t i) const { return ids_[i]; }
  const State<P>& flip(std::uint32_t i) const { return flips_[i]; }
  Word derived_flip(std::uint32_t i) const { return derived_flips_[i]; }
  bool needs_derived() const { return needs_derived_; }
  // The precondition of an operator consists of the tests that these two functions return. If `has_inequalities()` is
  // true for the table, there can be further tests.
  const MaskTest<P>& test(std::uint32_t i) const { return tests_[i]; }
  Word derived_mask(std::uint32_t i) const { return derived_masks_[i]; }
  bool has_inequalities() const { return !differ_.empty(); }
  bool is_never(std::uint32_t i) const { return ids_[i] < 0; }

  TestKind kind() const {
    if (!needs_derived_) return TestKind::mask;
    return needs_mask_ ? TestKind::both : TestKind::derived;
  }

  // Returns the length to which ranges of these lengths should be padded with rows that never apply, or 0 if they
  // should not be padded.
  static std::uint32_t padded_length(std::span<const std::uint32_t> lengths) {
    std::uint32_t longest = 0, runs = 0, all = 0;
    for (std::uint32_t length : lengths) {
      longest = std::max(longest, length);
      runs += length > 0;
      all += length;
    }
    return longest <= 8 && longest * runs <= 2 * all ? longest : 0;
  }

  // Appends the applicable operators of begin..end to out[count...]. Returns the new count. `out` must have room for
  // all operators of the range.
  template <TestKind kind>
  unsigned applicable(std::uint32_t begin, std::uint32_t end, const State<P>& s, Word derived,
                      std::uint32_t* out, unsigned count) const {
    return sieved(out, count, tested<kind>(begin, end, s, derived, out, count), s);
  }

  // These functions split `applicable` into two steps, so that the second step can run after all operators have been
  // tested.
  template <TestKind kind>
  unsigned tested(std::uint32_t begin, std::uint32_t end, const State<P>& s, Word derived,
                  std::uint32_t* out, unsigned count) const {
    FEWEST_ASSERT(begin <= end && end <= size(), "the rows are in the table");
    FEWEST_ASSERT(kind == TestKind::both || kind == this->kind() || size() == 0,
                  "the test covers all conditions of the table");
    for (std::uint32_t i = begin; i < end; ++i) {
      bool applies = true;
      if constexpr (kind != TestKind::derived) applies = in_cube(s, tests_[i].mask, tests_[i].value);
      if constexpr (kind != TestKind::mask) applies &= (derived & derived_masks_[i]) == 0;
      out[count] = i;
      count += applies;
    }
    return count;
  }
  unsigned sieved(std::uint32_t* out, unsigned first, unsigned count, const State<P>& s) const {
    FEWEST_ASSERT(first <= count, "only rows that were found are sieved");
    if (differ_.empty()) return count;
    unsigned end = first;
    for (unsigned i = first; i < count; ++i) {
      out[end] = out[i];
      end += differs(out[i], s);
    }
    return end;
  }

  bool applies(std::uint32_t i, const State<P>& s, Word derived) const {
    FEWEST_ASSERT(i < size(), "the row is in the table");
    return in_cube(s, tests_[i].mask, tests_[i].value) && (derived & derived_masks_[i]) == 0 &&
           differs(i, s);
  }

 private:
  bool differs(std::uint32_t i, const State<P>& s) const {
    for (std::uint32_t j = i == 0 ? 0 : differ_end_[i - 1]; j < differ_end_[i]; ++j)
      if ((s.w[differ_[j].word] & differ_[j].mask) == differ_[j].value) return false;
    return true;
  }

  const Compiler* compiler_;
  std::vector<MaskTest<P>> tests_;
  std::vector<Word> derived_masks_;
  std::vector<State<P>> flips_;
  std::vector<Word> derived_flips_;
  std::vector<OperatorId> ids_;
  std::vector<Differ> differ_;
  std::vector<std::uint32_t> differ_end_;
  bool needs_mask_ = false, needs_derived_ = false;
};

}  // namespace fewest
