// The successor generator: finds the operators that apply in a state.
//
// Problem: a task has hundreds of operators, but only a few of them apply in any one state.
// Solution: each operator is in the bucket of one positive fact of its precondition, and only the buckets of true facts
// are tested (and the operators that have no positive fact). True facts are read from the packed state: single bits by
// counting trailing zeros, and fields by their code. The derived word is computed at the same time. If each operator
// requires one true fact and all its other conditions require facts to be false, bit masks replace these tests
// (blocking_masks.hpp).
// Usage:
//   Generator<1> generator(compiler, Direction::forward);
//   Scratch scratch = generator.scratch();
//   for (std::uint32_t i : generator.applicable(s, scratch)) { t = s ^ generator.table().flip(i); }
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include "state/compiler_attributes.hpp"
#include "expand/blocking_masks.hpp"
#include "expand/operators.hpp"

namespace fewest {

// Reads the true facts of a packed state. Facts with their own bits are read only if the derived word depends on them
// or `also_visit` was called for them.
template <int P>
class StateReader {
 public:
  FEWEST_COLD explicit StateReader(const Compiler& compiler) : interesting_(zero_state<P>()) {
    const Layout& layout = compiler.layout();
    fact_of_bit_ = layout.fact_of_bit();
    fact_of_bit_.resize(static_cast<std::size_t>(P) * 64, kNoFact);
    cover_.resize(layout.num_facts());
    for (FactId fact = 0; fact < layout.num_facts(); ++fact) {
      cover_[fact] = compiler.cover(fact);
      if (cover_[fact] != 0 && layout.of(fact).is_raw)
        interesting_.w[layout.of(fact).word] |= layout.of(fact).mask;
    }
    for (const Field& field : layout.fields()) {
      fields_.push_back({field.word, field.shift, static_cast<std::uint32_t>(codes_.size()),
                         (Word{1} << field.bits) - 1});
      codes_.insert(codes_.end(), field.facts.begin(), field.facts.end());
      codes_.resize(fields_.back().first + (std::size_t{1} << field.bits), kNoFact);
    }
  }

  // Makes the reader also visit this fact, in addition to the facts that the derived word needs. Only a fact with its
  // own bit needs this call.
  void also_visit(const Layout& layout, FactId fact) {
    if (layout.of(fact).is_raw) interesting_.w[layout.of(fact).word] |= layout.of(fact).mask;
  }

  template <class Visit>
  void for_each_true(const State<P>& s, Visit visit) const {
    for (int i = 0; i < P; ++i)
      for (Word bits = s.w[i] & interesting_.w[i]; bits != 0; bits &= bits - 1)
        visit(raw_fact(i * 64 + std::countr_zero(bits)));
    for (const FieldView& field : fields_) visit(fact_in(field, s));
  }

  // For states of one word: visits the true facts, except those for which `bit_of` is among the bits `redundant`.
  template <class Visit>
  void for_each_true_but(const State<P>& s, Word redundant, Visit visit) const {
    static_assert(P == 1);
    for (Word bits = s.w[0] & interesting_.w[0] & ~redundant; bits != 0; bits &= bits - 1)
      visit(raw_fact(std::countr_zero(bits)));
    for (const FieldView& field : fields_)
      if (((redundant >> field.shift) & 1) == 0) visit(fact_in(field, s));
  }

  // For states of one word: the bit of the fact, or the lowest bit of its field.
  static Word bit_of(const FactPlace& place) { return place.mask & (0 - place.mask); }

  Word cover(FactId fact) const { return cover_[fact]; }

  // XOR gives the same result as OR, since every group has at most one true fact. In contrast to OR, XOR can be undone.
  Word derive(const State<P>& s) const {
    Word derived = kAlwaysDerived;
    for_each_true(s, [&](FactId fact) { derived ^= cover_[fact]; });
    return derived;
  }

 private:
  struct FieldView {
    int word, shift;
    std::uint32_t first;
    Word mask;
  };

  FEWEST_INLINE FactId raw_fact(int bit) const {
    FEWEST_ASSERT(fact_of_bit_[bit] != kNoFact, "a bit that is read is that of a fact");
    return fact_of_bit_[bit];
  }
  FEWEST_INLINE FactId fact_in(const FieldView& field, const State<P>& s) const {
    const FactId fact = codes_[field.first + ((s.w[field.word] >> field.shift) & field.mask)];
    FEWEST_ASSERT(fact != kNoFact, "a field holds the code of a fact");
    return fact;
  }

  State<P> interesting_;
  std::vector<FactId> fact_of_bit_;
  std::vector<Word> cover_;
  std::vector<FieldView> fields_;
  std::vector<FactId> codes_;
};

enum class Direction { forward, backward };

// Working memory; every user of a generator needs its own.
struct Scratch {
  std::vector<std::uint32_t> found;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
};

template <int P>
class Generator {
 public:
  // Whether the generator includes an operator. By default, it includes every operator.
  using Accepts = std::function<bool(OperatorId)>;

  FEWEST_COLD Generator(const Compiler& compiler, Direction direction, const Accepts& accepts = nullptr)
      : reader_(compiler), table_(compiler), direction_(direction) {
    const Problem& problem = compiler.problem();
    const int words = problem.words;
    std::vector<std::pair<FactId, OperatorId>> rows;  // each operator with the fact of its bucket
    FactSet from(words);
    const auto value_of = [&](OperatorId id) {  // the value that the precondition requires in this direction
      const Word* value = problem.operators.value + static_cast<std::size_t>(id) * words;
      const Word* flip = problem.flip + static_cast<std::size_t>(id) * words;
      for (int i = 0; i < words; ++i)
        from[i] = direction == Direction::forward ? value[i] : value[i] ^ flip[i];
      return from.data();
    };
    for (OperatorId id = 0; id < static_cast<OperatorId>(problem.operators.count); ++id) {
      if (accepts && !accepts(id)) continue;
      const FactId preferred =
          direction == Direction::forward ? problem.index_fact[id] : kNoFact;
      rows.emplace_back(compiler.rarest_positive(value_of(id), preferred), id);
    }
    std::sort(rows.begin(), rows.end());
    buckets_.assign(problem.num_facts, {0, 0});
    std::vector<std::uint32_t> lengths(problem.num_facts);
    for (const auto& [index, id] : rows)
      if (index != kNoFact) ++lengths[index];
    const std::uint32_t padded = table_.padded_length(lengths);
    for (std::size_t i = 0; i < rows.size();) {
      const FactId index = rows[i].first;
      const std::uint32_t begin = table_.size();
      for (; i < rows.size() && rows[i].first == index; ++i) {
        const std::size_t at = static_cast<std::size_t>(rows[i].second) * words;
        table_.append(rows[i].second, problem.operators.mask + at, value_of(rows[i].second),
                      problem.flip + at, index);
      }
      if (index == kNoFact) {
        num_always_ = table_.size();
        continue;
      }
      if (table_.size() == begin) continue;
      FEWEST_ASSERT(padded == 0 || table_.size() - begin <= padded,
                    "no bucket is longer than the length to which buckets are padded");
      while (table_.size() - begin < padded) table_.append_never();
      buckets_[index] = {begin, table_.size()};
      reader_.also_visit(compiler.layout(), index);
    }
    blocking_masks_ = BlockingMasks<P>(table_, buckets_, compiler);
    if (num_always_ == 0 && blocking_masks_.are_all())
      method_ = Method::blocking_masks;
    else if (table_.kind() != TestKind::both)
      method_ = table_.kind() == TestKind::mask ? Method::mask : Method::derived;
  }

  const OperatorTable<P>& table() const { return table_; }
  const StateReader<P>& reader() const { return reader_; }

  Scratch scratch() const {
    Scratch scratch;
    scratch.found.resize(table_.size() + 1);
    scratch.ranges.resize(buckets_.size() + 1);
    return scratch;
  }

  // Rows of table() that apply in `s`; valid until the scratch is used again.
  std::span<const std::uint32_t> applicable(const State<P>& s, Scratch& scratch) const {
    FEWEST_ASSERT(scratch.found.size() > table_.size() && scratch.ranges.size() > buckets_.size(),
                  "the working memory is that of this generator");
    const auto found = found_by_method(s, scratch);
    FEWEST_ASSERT_SAMPLED(are_all_that_apply(s, found), "the operators found are those whose cubes hold");
    return found;
  }

 private:
  FEWEST_INLINE std::span<const std::uint32_t> found_by_method(const State<P>& s, Scratch& scratch) const {
    switch (method_) {
      case Method::blocking_masks: return by_blocking_masks(s, scratch);
      case Method::mask: return by_mask(s, scratch);
      case Method::derived: return by_derived<TestKind::derived>(s, scratch);
      default: return by_derived<TestKind::both>(s, scratch);
    }
  }

  // Whether `found` contains exactly the applicable operators. The function tests each operator against the facts. If
  // the state violates the proven groups, which is possible only in a backward search, the function does not compare
  // the operators.
  bool are_all_that_apply(const State<P>& s, std::span<const std::uint32_t> found) const {
    const Compiler& compiler = table_.compiler();
    const Problem& problem = compiler.problem();
    if (!compiler.layout().keeps(compiler.invariants(), s.w)) return direction_ == Direction::backward;
    const FactSet facts = compiler.layout().unpack(s.w);
    std::vector<char> is_found(table_.size(), 0);
    for (std::uint32_t row : found)
      if (is_found[row]++ != 0) return false;
    for (std::uint32_t row = 0; row < table_.size(); ++row) {
      bool applies = !table_.is_never(row);
      for (int i = 0; applies && i < problem.words; ++i) {
        const std::size_t at = static_cast<std::size_t>(table_.id(row)) * problem.words + i;
        const Word value = problem.operators.value[at] ^ (direction_ == Direction::backward ? problem.flip[at] : 0);
        applies = (facts[i] & problem.operators.mask[at]) == value;
      }
      if (applies != (is_found[row] != 0)) return false;
    }
    return true;
  }

  enum class Method { blocking_masks, mask, derived, both };

  std::span<const std::uint32_t> by_blocking_masks(const State<P>& s, Scratch& scratch) const {
    std::uint32_t* out = scratch.found.data();
    return {out, blocking_masks_.applicable(s, all_bits<P>(), out)};
  }

  std::span<const std::uint32_t> by_mask(const State<P>& s, Scratch& scratch) const {
    std::uint32_t* out = scratch.found.data();
    unsigned count = table_.template tested<TestKind::mask>(0, num_always_, s, 0, out, 0);
    reader_.for_each_true(s, [&](FactId fact) {
      const auto [begin, end] = buckets_[fact];
      count = table_.template tested<TestKind::mask>(begin, end, s, 0, out, count);
    });
    return {out, table_.sieved(out, 0, count, s)};
  }

  template <TestKind kind>
  std::span<const std::uint32_t> by_derived(const State<P>& s, Scratch& scratch) const {
    Word derived = kAlwaysDerived;
    auto* range = scratch.ranges.data();
    *range++ = {0, num_always_};
    reader_.for_each_true(s, [&](FactId fact) {
      FEWEST_ASSERT((derived & reader_.cover(fact)) == 0, "no two facts of an at-most-one group are true");
      derived |= reader_.cover(fact);
      *range = buckets_[fact];
      range += range->first != range->second;
    });
    std::uint32_t* out = scratch.found.data();
    unsigned count = 0;
    for (const auto* r = scratch.ranges.data(); r != range; ++r)
      count = table_.template tested<kind>(r->first, r->second, s, derived, out, count);
    return {out, table_.sieved(out, 0, count, s)};
  }

  StateReader<P> reader_;
  OperatorTable<P> table_;
  Direction direction_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> buckets_;  // per fact: the first row and the end of its rows
  std::uint32_t num_always_ = 0;
  BlockingMasks<P> blocking_masks_;  // masks for the rows in buckets
  Method method_ = Method::both;
};

}  // namespace fewest
