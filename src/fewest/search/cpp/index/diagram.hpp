// A numbering, viewed as a decision diagram: the nodes of each level and, for each node, the number of ways to complete
// a state from it.
#pragma once

#include "index/numbering.hpp"

namespace fewest {

class Diagram {
 public:
  static constexpr Word kNone = ~Word{0};

  // Throws std::invalid_argument for an inconsistent numbering. The entries must outlive the diagram.
  explicit Diagram(const Numbering& numbering) {
    const std::size_t num_levels = numbering.steps.size();
    require(numbering.nodes.size() == num_levels);
    std::size_t variable = 0, first = 0;
    for (std::size_t i = 0; i < num_levels; ++i) {
      Level level{numbering.entries + first, 0, {}};
      for (int j = 0; j < numbering.steps[i]; ++j) level.bits += option_bits(numbering, variable++);
      first += std::size_t{numbering.nodes[i]} << level.bits;
      level.sizes.resize(numbering.nodes[i]);
      levels_.push_back(std::move(level));
    }
    require(variable == numbering.variables.size() && first <= numbering.num_entries);
    levels_.push_back({nullptr, 0, {1}});
    for (std::size_t i = num_levels; i-- > 0;) count(static_cast<int>(i));
    require(size(0, 0) == numbering.size);
  }

  int num_levels() const { return static_cast<int>(levels_.size()) - 1; }
  int bits(int level) const { return levels_[level].bits; }
  // The entries of a node, by code. An entry is kNone if no state has its code.
  const Word* row(int level, std::uint32_t node) const {
    FEWEST_ASSERT(level < num_levels() && node < levels_[level].sizes.size(), "the node is one of the level");
    return levels_[level].entries + (std::size_t{node} << levels_[level].bits);
  }
  static Number before(Word entry) { return entry >> kNodeBits; }
  static std::uint32_t child(Word entry) {
    return static_cast<std::uint32_t>(entry & ((Word{1} << kNodeBits) - 1));
  }
  Number size(int level, std::uint32_t node) const {
    FEWEST_ASSERT(level <= num_levels() && node < levels_[level].sizes.size(), "the node is one of the level");
    return levels_[level].sizes[node];
  }

  std::size_t bytes() const {
    std::size_t bytes = 0;
    for (const Level& level : levels_) bytes += level.sizes.size() * sizeof(Number);
    return bytes;
  }

 private:
  static constexpr int kNodeBits = 24;

  struct Level {
    const Word* entries;
    int bits;
    std::vector<Number> sizes;  // by node
  };

  static void require(bool holds) {
    if (!holds) throw std::invalid_argument("the numbering is inconsistent");
  }

  void count(int i) {
    Level& level = levels_[i];
    const std::vector<Number>& below = levels_[i + 1].sizes;
    for (std::uint32_t node = 0; node < level.sizes.size(); ++node) {
      const Word* entries = row(i, node);
      for (std::size_t code = 0; code < std::size_t{1} << level.bits; ++code) {
        if (entries[code] == kNone) continue;
        require(child(entries[code]) < below.size());
        level.sizes[node] = std::max(level.sizes[node], before(entries[code]) + below[child(entries[code])]);
      }
    }
  }

  std::vector<Level> levels_;
};

}  // namespace fewest
