// Assigns states to shards.
//
// Problem: shards should have similar sizes for every puzzle. However, states that are neighbours in the order of
// states should be in the same shard: if a shard were a random thousandth of all states, the differences between
// consecutive states would be a thousand times larger.
// Solution: the shard is a hash of the highest bits of a state only. The number of these bits is chosen so that they
// have several hundred thousand different values. The number of values is estimated from the values of each field and
// each individual bit. An owner has a range of shards. So if the number of owners changes, a new owner needs the files
// of only those old owners with ranges that overlap the range of the new owner.
#pragma once

#include <cmath>

#include "state/layout.hpp"

namespace fewest {

// The first shard of an owner; its last shard is just before the first shard of the next owner.
inline std::uint32_t first_shard(std::uint32_t owner, std::uint32_t num_owners, std::uint32_t num_shards) {
  return static_cast<std::uint32_t>((std::uint64_t{owner} * num_shards + num_owners - 1) / num_owners);
}

inline std::uint32_t owner_of(std::uint32_t shard, std::uint32_t num_owners, std::uint32_t num_shards) {
  return static_cast<std::uint32_t>(std::uint64_t{shard} * num_owners / num_shards);
}

template <int P>
class Sharding {
 public:
  Sharding(const Problem& problem, const Layout& layout, std::uint32_t num_shards)
      : num_shards_(num_shards), mask_(zero_state<P>()) {
    const std::vector<double> says = information(problem, layout);
    double left = kEnough;
    for (std::size_t bit = says.size(); bit-- > 0 && left > 0;) {
      mask_.w[bit / 64] |= Word{1} << (bit % 64);
      left -= says[bit];
    }
  }

  std::uint32_t of(const State<P>& s) const {
    State<P> high;
    FEWEST_UNROLL
    for (int i = 0; i < P; ++i) high.w[i] = s.w[i] & mask_.w[i];
    FEWEST_ASSERT(scale_to(hash(high), num_shards_) < num_shards_, "a state belongs to one of the shards");
    return static_cast<std::uint32_t>(scale_to(hash(high), num_shards_));
  }

 private:
  static constexpr double kEnough = 18;    // the information of the hashed bits, in bits
  static constexpr double kSingle = 0.5;  // for single bits: a fraction of the entropy of independent bits

  // Returns an estimate of the information content of each bit of a state, in bits.
  static std::vector<double> information(const Problem& problem, const Layout& layout) {
    std::vector<double> says(static_cast<std::size_t>(layout.words()) * 64, 0);
    for (const Field& field : layout.fields())
      for (int i = 0; i < field.bits; ++i)
        says[field.word * 64 + field.shift + i] = std::log2(field.facts.size()) / field.bits;
    FactSet changing(problem.words);
    for (std::size_t i = 0; i < problem.operators.count * problem.words; ++i)
      changing[i % problem.words] |= problem.flip[i];
    int num_single = 0, num_true = 0;
    for_each_fact(changing.data(), problem.words, [&](FactId fact) {
      num_single += layout.of(fact).is_raw;
      num_true += layout.of(fact).is_raw && has(problem.initial, fact);
    });
    if (num_true == 0 || num_true == num_single) num_true = num_single / 2;
    const double p = num_single == 0 ? 0.5 : std::max(1, num_true) / static_cast<double>(num_single + 1);
    const double entropy = -p * std::log2(p) - (1 - p) * std::log2(1 - p);
    for_each_fact(changing.data(), problem.words, [&](FactId fact) {
      const FactPlace& place = layout.of(fact);
      if (place.is_raw) says[place.word * 64 + std::countr_zero(place.mask)] = kSingle * entropy;
    });
    return says;
  }

  std::uint32_t num_shards_;
  State<P> mask_;
};

}  // namespace fewest
