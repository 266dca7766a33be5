// Computes all images of a packed state under a group of symmetries in one pass.
//
// Problem: a search with symmetry needs the images of every successor under all elements of the group.
// Solution: a packed state is the XOR of one constant per true fact, and so is each of its images. Bits and fields are
// combined into chunks of about a byte. For each value of a chunk, a table stores its contributions to all images side
// by side. So an image takes a few XORs of words, and a single instruction performs several of them. The canonical
// state of an orbit is the least of the images.
// Usage:
//   Images<1> images(compiler, symmetry);
//   State<1> canonical = images.least(s);
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "state/compiler_attributes.hpp"
#include "state/compiler.hpp"
#include "expand/expander.hpp"

namespace fewest {

template <int P>
class Images {
 public:
  FEWEST_COLD Images(const Compiler& compiler, const Symmetry& symmetry)
      : Images(compiler, symmetry, compiler.layout()) {}

  // Computes images in another problem. `target` packs the states of that problem, which must fit into P words. The
  // symmetry has order 2. Its second row contains the image of each fact, or kNoFact.
  FEWEST_COLD Images(const Compiler& compiler, const Symmetry& symmetry, const Layout& target)
      : order_(symmetry.order),
        stride_(order_ == 2 ? 1 : (order_ + kBlock - 1) / kBlock * kBlock),
        facts_(symmetry.facts),
        num_facts_(compiler.problem().num_facts),
        scratch_((order_ + kBlock - 1) / kBlock * kBlock) {
    FEWEST_ASSERT(order_ >= 1, "a group has an identity");
    FEWEST_ASSERT(target.words() <= P, "an image has room for the words of the layout");
    FEWEST_ASSERT(begins_with_identity(), "the first element is the identity");
    collect_chunks(compiler.layout());
    fill_tables(target);
    fill_base(compiler.layout(), target);
  }

  std::size_t order() const { return order_; }
  FactId fact(std::size_t g, FactId f) const {
    FEWEST_ASSERT(g < order_ && f >= 0 && static_cast<std::size_t>(f) < num_facts_,
                  "an element and a fact are in range");
    return facts_[g * num_facts_ + f];
  }

  // Returns the image of `s` under each element, beginning with `s` itself. The images are valid until the next call.
  std::span<const State<P>> of(const State<P>& s) { return of(s, scratch_); }
  // Writes the images of `s` to `scratch`.
  std::span<const State<P>> of(const State<P>& s, std::vector<State<P>>& scratch) const {
    scratch.resize(scratch_.size());
    if (order_ == 2)
      scratch[0] = s, scratch[1] = only_image(s);
    else
      for_each_block(s, [&scratch](std::size_t g, const State<P>* block) {
        std::copy_n(block, kBlock, scratch.data() + g);
      });
    FEWEST_ASSERT(scratch[0] == s, "the first image of a state is the state");
    return {scratch.data(), order_};
  }

  State<P> least(const State<P>& s) {
    if (order_ == 2) {
      const State<P> image = only_image(s);
      FEWEST_ASSERT(only_image(image) == s, "of two elements the second is its own inverse");
      return is_less(image, s) ? image : s;
    }
    State<P> best = s;
    for_each_block(s, [&best](std::size_t, const State<P>* block) {
      for (std::size_t i = 0; i < kBlock; ++i)
        if (is_less(block[i], best)) best = block[i];
    });
    FEWEST_ASSERT_SAMPLED(is_canonical(best), "the least image of a state is the least of its own images");
    return best;
  }

  // The image of `s` under the second of two elements.
  State<P> only_image(const State<P>& s) const {
    State<P> image = base_;
    for (const Chunk& chunk : chunks_) image = image ^ tables_[chunk.first + value_of(chunk, s)];
    return image;
  }

  // The number of elements that leave `s` unchanged.
  std::size_t num_fixing(const State<P>& s) {
    const auto images = of(s);
    const auto count = static_cast<std::size_t>(std::count(images.begin(), images.end(), s));
    FEWEST_ASSERT(count > 0 && order_ % count == 0, "the elements that fix a state are a subgroup");
    return count;
  }

 private:
  static constexpr int kChunkBits = 8;
  static constexpr std::size_t kBlock = 4;  // the number of images that are computed in registers at a time

  struct Chunk {
    int word, shift;
    Word mask;
    std::size_t first;  // the first row of this chunk in the tables
  };
  struct Unit {
    int shift, bits;
    const Field* field;  // nullptr: a fact with its own bit
    FactId fact;
  };

  bool begins_with_identity() const {
    for (std::size_t f = 0; f < num_facts_; ++f)
      if (order_ != 2 && facts_[f] != static_cast<FactId>(f)) return false;
    return true;
  }

  bool is_canonical(const State<P>& s) const {
    bool is_least = true;
    for_each_block(s, [&](std::size_t, const State<P>* block) {
      for (std::size_t i = 0; i < kBlock; ++i) is_least = is_least && !is_less(block[i], s);
    });
    return is_least;
  }

  // Calls visit(g, images g..g + kBlock - 1) for every block.
  template <class Visit>
  void for_each_block(const State<P>& s, Visit visit) const {
    for (std::size_t g = 0; g < stride_; g += kBlock) {
      // The code uses separate variables, because the compiler would keep an array in memory, and accessing this memory
      // would take a tenth of the total time.
      State<P> a = zero_state<P>(), b = a, c = a, d = a;
      for (const Chunk& chunk : chunks_) {
        const State<P>* row = &tables_[(chunk.first + value_of(chunk, s)) * stride_ + g];
        a = a ^ row[0], b = b ^ row[1], c = c ^ row[2], d = d ^ row[3];
      }
      const State<P> block[kBlock] = {a, b, c, d};
      visit(g, block);
    }
  }

  static std::size_t value_of(const Chunk& chunk, const State<P>& s) {
    return static_cast<std::size_t>((s.w[chunk.word] >> chunk.shift) & chunk.mask);
  }

  static std::vector<Unit> units_of(const Layout& layout, int word) {
    std::vector<Unit> units;
    for (const Field& field : layout.fields())
      if (field.word == word && field.bits > 0)
        units.push_back({field.shift, field.bits, &field, kNoFact});
    for (int bit = 0; bit < 64; ++bit)
      if (const FactId fact = layout.fact_of_bit()[word * 64 + bit]; fact != kNoFact)
        units.push_back({bit, 1, nullptr, fact});
    std::sort(units.begin(), units.end(),
              [](const Unit& a, const Unit& b) { return a.shift < b.shift; });
    return units;
  }

  FEWEST_COLD void collect_chunks(const Layout& layout) {
    std::size_t rows = 0;
    for (int word = 0; word < layout.words(); ++word) {
      const std::vector<Unit> units = units_of(layout, word);
      for (std::size_t i = 0; i < units.size();) {
        const int shift = units[i].shift;
        int end = shift;
        chunk_units_.emplace_back();
        for (; i < units.size(); ++i) {
          const int unit_end = units[i].shift + units[i].bits;
          if (end > shift && unit_end - shift > kChunkBits) break;
          end = unit_end;
          chunk_units_.back().push_back(units[i]);
        }
        FEWEST_ASSERT(end > shift && end <= 64, "a chunk has bits of one word");
        const Word mask = end - shift == 64 ? ~Word{0} : (Word{1} << (end - shift)) - 1;
        chunks_.push_back({word, shift, mask, rows});
        rows += static_cast<std::size_t>(mask) + 1;
      }
    }
    tables_.assign(rows * stride_, zero_state<P>());
  }

  void fill_tables(const Layout& target) {
    for (std::size_t c = 0; c < chunks_.size(); ++c)
      for (Word value = 0; value <= chunks_[c].mask; ++value)
        for (const Unit& unit : chunk_units_[c]) {
          const FactId true_fact = fact_of(unit, value >> (unit.shift - chunks_[c].shift));
          if (true_fact == kNoFact) continue;
          State<P>* row = &tables_[(chunks_[c].first + value) * stride_];
          for (std::size_t g = 0; g < stride_; ++g) {
            const std::size_t element = order_ == 2 ? 1 : g < order_ ? g : 0;
            if (fact(element, true_fact) == kNoFact) continue;
            const FactPlace& to = target.of(fact(element, true_fact));
            row[g].w[to.word] ^= to.value;
          }
        }
    chunk_units_.clear();
  }

  // A field without bits has a fact that is always true, so no chunk contains it. The image of this fact can have bits
  // only in the layout of another problem, that is, if there are two elements.
  FEWEST_COLD void fill_base(const Layout& layout, const Layout& target) {
    for (const Field& field : layout.fields()) {
      if (field.bits > 0 || order_ != 2 || fact(1, field.facts[0]) == kNoFact) continue;
      const FactPlace& to = target.of(fact(1, field.facts[0]));
      base_.w[to.word] ^= to.value;
    }
  }

  // Returns the fact that the lowest bits of `value` represent, or kNoFact if they represent no fact.
  static FactId fact_of(const Unit& unit, Word value) {
    value &= (Word{1} << unit.bits) - 1;
    if (unit.field == nullptr) return value == 0 ? kNoFact : unit.fact;
    return value < unit.field->facts.size() ? unit.field->facts[value] : kNoFact;
  }

  std::size_t order_;
  // The number of images per row of the tables. It is 1 if the group has only one element besides the identity.
  // Otherwise, it is the order of the group, rounded up to a multiple of kBlock, and images under the identity fill the
  // row.
  std::size_t stride_;
  const FactId* facts_;
  std::size_t num_facts_;
  std::vector<Chunk> chunks_;
  std::vector<std::vector<Unit>> chunk_units_;
  std::vector<State<P>> tables_;  // [rows, stride]
  State<P> base_ = zero_state<P>();  // the bits that every image under the second of two elements has
  std::vector<State<P>> scratch_;
};

// Counts the states that a new entry of a search with symmetry represents. If all symmetries fix the start, the whole
// orbit is reachable. Otherwise, images of reached states may be unreachable, and only canonical states are counted.
template <int P>
struct Orbits {
  Orbits(const Compiler& compiler, const Symmetry& symmetry)
      : images(compiler, symmetry), are_reached_whole(symmetry.fixes_initial) {}

  // Returns the count of an entry. `one` is the number of states that the entry would represent without symmetry;
  // `num_fixing` is the number of elements that leave the entry unchanged.
  Count count(const Count& one, std::size_t num_fixing) const {
    FEWEST_ASSERT(num_fixing > 0 && images.order() % num_fixing == 0, "the size of an orbit divides the order");
    const std::uint64_t size = images.order() / num_fixing;
    const std::uint64_t in_orbits = one.states * size;
    if (are_reached_whole) return {in_orbits, one.goals * size, one.states, in_orbits};
    return {one.states, one.goals, one.states, in_orbits};
  }

  Images<P> images;
  bool are_reached_whole;
};

}  // namespace fewest
