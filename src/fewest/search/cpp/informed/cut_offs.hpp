// The values of f that were cut off under the current limit of IDA*, with their counts. These values determine the next
// limit.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>

#include "state/problem.hpp"

namespace fewest {

class CutOffs {
 public:
  void clear() {
    counts_.clear();
    last_ = counts_.end();
  }
  bool empty() const { return counts_.empty(); }
  PackedCost least_f() const { return counts_.begin()->first; }

  // Only the least values are stored.
  void count(PackedCost f) {
    if (last_ == counts_.end() || last_->first != f) {
      last_ = counts_.try_emplace(f, 0).first;
      if (counts_.size() > kMostValues) {
        counts_.erase(std::prev(counts_.end()));
        last_ = counts_.end();
        return;
      }
    }
    ++last_->second;
  }

  // The least limit, at least `least`, that admits enough cut-off states: at least half the number of states expanded
  // under the last limit. If there are too few, the limit admits all values that are stored.
  PackedCost next_limit(PackedCost least, std::uint64_t num_expanded) const {
    PackedCost limit = least;
    std::uint64_t let_in = 0;
    for (const auto& [f, count] : counts_) {
      limit = std::max(f, least);
      let_in += count;
      if (2 * let_in >= num_expanded) break;
    }
    return limit;
  }

 private:
  static constexpr std::size_t kMostValues = 256;

  using Counts = std::map<PackedCost, std::uint64_t>;

  Counts counts_;
  Counts::iterator last_ = counts_.end();
};

}  // namespace fewest
