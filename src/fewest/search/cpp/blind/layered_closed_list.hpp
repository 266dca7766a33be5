// The closed list of a breadth-first search by layers, in one or many parts.
//
// Problem: look-ups in a table of several gigabytes are random, so nearly every one misses the caches and the TLB. When
// such a table grows, the search stalls for seconds.
// Solution: a large set is divided into parts by the low bits of the hash (the high bits select the slot). Each part
// has its own table and share of the memory, and grows independently of the others. A small set has a single part.
// Within a part, the states are in order of discovery, so each layer is a slice of the part. A part records only the
// layers that have states in it, because recording millions of narrow layers in hundreds of parts would take more
// memory than the states.
// Usage:
//   LayeredClosedList<1> reached(memory);
//   reached[0].table.insert(...);
//   while (reached.begin_layer() > 0)
//     for each part: expand part.begin..part.end, insert into reached[reached.part_of(hash)]
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "state/state_table.hpp"

namespace fewest {

inline constexpr std::size_t kNoLayer = ~std::size_t{0};

template <int P>
class LayeredClosedList {
 public:
  struct Mark {
    std::uint32_t layer;
    StateId begin;
  };
  struct Part {
    Part(std::size_t memory, Growth growth) : budget(memory), table(budget, growth) {}

    std::mutex mutex;  // guards the table while several threads use it
    Budget budget;
    StateTable<P> table;
    std::size_t begin = 0, end = 0;  // the slice of the current layer
    std::vector<Mark> marks;
  };

  explicit LayeredClosedList(std::size_t memory) {
    parts_.push_back(std::make_unique<Part>(memory, Growth::generous));
  }

  std::size_t num_parts() const { return parts_.size(); }
  std::size_t part_of(Word h) const {
    FEWEST_ASSERT(std::has_single_bit(parts_.size()), "the number of parts is a power of two");
    return h & (parts_.size() - 1);
  }
  Part& operator[](std::size_t i) { return *parts_[i]; }

  // All states that have been inserted since the last call become the current layer. Returns the size of this layer.
  std::size_t begin_layer() {
    std::size_t width = 0;
    for (const auto& part : parts_) width += begin_layer(*part);
    ++num_layers_;
    return width;
  }

  // Returns the layer of `s`, which may still be incomplete, or kNoLayer if `s` has not been reached.
  std::size_t layer_of(const State<P>& s) const {
    const Part& part = *parts_[part_of(hash(s))];
    const StateId index = part.table.find(s);
    if (index == kNoState) return kNoLayer;
    if (index >= part.end) return num_layers_;
    const auto after = std::upper_bound(part.marks.begin(), part.marks.end(), index,
                                        [](StateId i, const Mark& mark) { return i < mark.begin; });
    FEWEST_ASSERT(after != part.marks.begin(), "every state is in a layer");
    return std::prev(after)->layer;
  }

  // Visits the states of a layer, which must be complete or current.
  template <class Visit>
  void for_each_in_layer(std::size_t layer, Visit visit) const {
    for (const auto& part : parts_) {
      const auto mark = std::lower_bound(part->marks.begin(), part->marks.end(), layer,
                                         [](const Mark& m, std::size_t l) { return m.layer < l; });
      if (mark == part->marks.end() || mark->layer != layer) continue;
      const auto after = std::next(mark);
      const std::size_t end = after == part->marks.end() ? part->end : after->begin;
      for (std::size_t i = mark->begin; i < end; ++i) visit(State<P>(part->table[i]));
    }
  }

  // Distributes the states of the single part among `count` parts (a power of two), which get equal shares of `memory`.
  // The function must be called between `begin_layer` and the next insertion. Returns false if there is not enough
  // memory; in that case, nothing changes.
  bool split(std::size_t count, std::size_t memory) {
    LayeredClosedList divided;
    const Part& whole = *parts_[0];
    for (std::size_t i = 0; i < count; ++i) {
      divided.parts_.push_back(std::make_unique<Part>(memory / count, Growth::tight));
      if (!divided.parts_[i]->table.reserve(whole.table.size() / count)) return false;
    }
    for (std::size_t i = 0; i < whole.marks.size(); ++i) {
      const std::size_t end = i + 1 < whole.marks.size() ? whole.marks[i + 1].begin : whole.end;
      for (std::size_t at = whole.marks[i].begin; at < end; ++at) {
        const Word h = hash(whole.table[at]);
        StateTable<P>& table = divided.parts_[divided.part_of(h)]->table;
        if (!table.reserve(1)) return false;
        table.insert(whole.table[at], h);
      }
      divided.begin_layer();
    }
    FEWEST_ASSERT(divided.size() == whole.table.size(), "each state is divided to one part");
    FEWEST_ASSERT(divided.num_layers_ <= num_layers_, "no layer is added");
    peak_ = used() + divided.used();
    parts_ = std::move(divided.parts_);
    return true;
  }

  // Frees the slots of the tables. Afterwards, `for_each_in_layer` can still visit the states, but states can no longer
  // be looked up or inserted.
  void release_slots() {
    peak_ = peak();
    for (const auto& part : parts_) part->table.release_slots();
  }

  std::size_t used() const {
    std::size_t bytes = 0;
    for (const auto& part : parts_) bytes += part->budget.used();
    return bytes;
  }
  std::size_t peak() const { return std::max(peak_, used()); }

 private:
  LayeredClosedList() = default;

  std::size_t size() const {
    std::size_t states = 0;
    for (const auto& part : parts_) states += part->table.size();
    return states;
  }

  std::size_t begin_layer(Part& part) {
    part.begin = part.end;
    part.end = part.table.size();
    FEWEST_ASSERT(part.begin <= part.end, "states are never removed");
    FEWEST_ASSERT(part.marks.empty() || part.marks.back().layer < num_layers_, "the marks of layers are ascending");
    if (part.begin != part.end)
      part.marks.push_back(
          {static_cast<std::uint32_t>(num_layers_), static_cast<StateId>(part.begin)});
    return part.end - part.begin;
  }

  std::vector<std::unique_ptr<Part>> parts_;
  std::size_t num_layers_ = 0;  // the number of layers that have begun
  std::size_t peak_ = 0;
};

}  // namespace fewest
