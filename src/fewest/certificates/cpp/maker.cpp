#include "maker.hpp"

#include <algorithm>

namespace fewest::checkers {

LayerMaker::LayerMaker(const LayersQuestion& question, std::uint64_t start, bool is_reversible, double seconds,
                       std::uint64_t memory)
    : question_(question), moves_(question_), watch_(seconds, memory) {
  std::vector<std::uint64_t> weights(question_.task.index_fact.size(), 1);
  if (!question_.parts.empty()) weights = question_.parts[0].weight;
  weights_ = weights;
  std::sort(weights_.begin(), weights_.end());
  weights_.erase(std::unique(weights_.begin(), weights_.end()), weights_.end());
  for (const std::uint64_t weight : weights)
    weight_of_.push_back(std::lower_bound(weights_.begin(), weights_.end(), weight) - weights_.begin());
  keeps_two_ = is_reversible && weights_.size() == 1 && weights_[0] > 0;
  if (!keeps_two_) known_.emplace_back();
  ahead_[0].add(start);
}

// Dijkstra's algorithm (1959) on sorted lists: the positions of the least cost, and those that cost nothing more.
std::uint64_t LayerMaker::advance() {
  keep();
  while (here_.empty() && !ahead_.empty()) {
    cost_ = ahead_.begin()->first;
    Sorter found = std::move(ahead_.begin()->second);
    ahead_.erase(ahead_.begin());
    for (Ascending frontier = fresh(found); !frontier.empty(); frontier = fresh(found)) {
      found = Sorter();
      expand(frontier, found);
      here_ = here_.empty() ? std::move(frontier) : merged(here_, frontier);
    }
  }
  return here_.size();
}

// The layer is one of those before.
void LayerMaker::keep() {
  if (keeps_two_) {
    if (known_.size() == 2) known_.erase(known_.begin());
    known_.push_back(std::move(here_));
  } else {
    known_[0] = known_[0].empty() ? std::move(here_) : merged(known_[0], here_);
  }
  here_ = {};
}

// Those of `found` that are in no layer yet.
Ascending LayerMaker::fresh(Sorter& found) {
  std::vector<Cursor> known = {Cursor(here_)};
  for (const Ascending& list : known_) known.emplace_back(list);
  Ascending out;
  found.for_each([&](std::uint64_t number) {
    bool is_known = false;
    for (Cursor& list : known) is_known = list.finds(number) || is_known;
    if (!is_known) out.push_back(number);
  });
  spend(found.bytes() + out.bytes());
  return out;
}

// Every move of some positions of this layer: into `free` what costs nothing.
void LayerMaker::expand(const Ascending& frontier, Sorter& free) {
  std::vector<Sorter*> to;  // for each weight; none where that is not below the bound
  for (const std::uint64_t weight : weights_) {
    const bool is_below = !question_.bound || weight < (*question_.bound)[0] - cost_;
    to.push_back(!is_below ? nullptr : weight == 0 ? &free : &ahead_[cost_ + weight]);
  }
  for (Cursor at(frontier); !at.is_end(); at.next()) {
    moves_.seek(at.number());
    moves_.for_each_move([&](std::uint64_t number, std::uint32_t o, std::uint64_t left) {
      const std::uint32_t weight = weight_of_[o];
      if (to[weight] == nullptr) return;
      if (question_.bound && left >= (*question_.bound)[0] - cost_ - weights_[weight]) return;
      if (number == kNoNumber) throw Rejected("a move leads to a position that has no number");
      to[weight]->add(number);
    });
    if (at.index() % 1024 == 0) spend(frontier.bytes() + free.bytes());
  }
}

void LayerMaker::spend(std::uint64_t bytes) {
  bytes += here_.bytes();
  for (const Ascending& list : known_) bytes += list.bytes();
  for (const auto& [cost, sorter] : ahead_) bytes += sorter.bytes();
  watch_.spend(bytes);
}

}  // namespace fewest::checkers
