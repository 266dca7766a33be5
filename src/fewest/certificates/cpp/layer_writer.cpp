#include "layer_writer.hpp"

#include <algorithm>

namespace fewest::checkers {

LayerWriter::LayerWriter(const LayersInput& input, std::uint64_t start, bool is_reversible, double seconds,
                       std::uint64_t memory)
    : input_(input), moves_(input_), runs_(input_, moves_.size()), inverse_moves_(moves_, runs_),
      watch_(seconds, memory, 16) {
  if (start >= moves_.size()) throw std::invalid_argument("the start must be one of the numbers");
  std::vector<std::uint64_t> weights(input_.task.index_fact.size() + input_.task.permutations.size(), 1);
  if (!input_.parts.empty()) weights = input_.parts[0].weight;
  weights_ = weights;
  std::sort(weights_.begin(), weights_.end());
  weights_.erase(std::unique(weights_.begin(), weights_.end()), weights_.end());
  for (const std::uint64_t weight : weights)
    weight_of_.push_back(std::lower_bound(weights_.begin(), weights_.end(), weight) - weights_.begin());
  keeps_two_ = is_reversible && runs_.unit() != 0;
  if (!keeps_two_) known_.emplace_back();
  ahead_[0].add(inverse_moves_.without_move(runs_.node(start, 0)));
}

// Dijkstra's algorithm (1959) on sorted lists. A layer consists of the cheapest nodes and all nodes that free moves
// reach from them.
std::uint64_t LayerWriter::advance() {
  keep();
  while (here_.empty() && !ahead_.empty()) {
    FEWEST_ASSERT(ahead_.begin()->first >= cost_, "layers are found in the order of their cost");
    cost_ = ahead_.begin()->first;
    Sorter found = std::move(ahead_.begin()->second);
    ahead_.erase(ahead_.begin());
    for (Frontier frontier = fresh(found); !frontier.nodes.empty(); frontier = fresh(found)) {
      found = Sorter();
      expand(frontier, found);
      add(std::move(frontier.nodes));
    }
  }
  while (here_.size() > 1) {
    const Ascending last = std::move(here_.back());
    here_.pop_back();
    here_.back() = merged(here_.back(), last);
  }
  positions_ = {};
  if (here_.empty()) return 0;
  if (runs_.size() == 1) return here_[0].size();
  runs_.for_each_position(here_[0], [&](std::uint64_t position, const auto&) { positions_.push_back(position); });
  return positions_.size();
}

// Adds the layer to the earlier layers.
void LayerWriter::keep() {
  if (runs_.size() == 1 && !here_.empty()) positions_ = std::move(here_[0]);
  here_.clear();
  if (keeps_two_) {
    if (known_.size() == 2) known_.erase(known_.begin());
    known_.push_back(std::move(positions_));
    FEWEST_ASSERT(known_.size() <= 2, "if moves are reversible, at most two layers are kept");
  } else {
    known_[0] = known_[0].empty() ? std::move(positions_) : merged(known_[0], positions_);
  }
  positions_ = {};
}

// Returns the nodes in `found` for which no listed node implies the bound. An earlier layer that contains the node's
// position implies it: if moves merge, all moves that are not free cost the same, so leaving the run of an earlier node
// costs at most the difference between two layers. This layer also implies the bound if it contains the node itself or,
// for a node without a run, any node of the position.
LayerWriter::Frontier LayerWriter::fresh(Sorter& found) {
  std::vector<Cursor> known, same, beside;
  for (const Ascending& list : known_) known.emplace_back(list);
  for (const Ascending& list : here_) {
    same.emplace_back(list);
    beside.emplace_back(list);
  }
  Frontier out;
  inverse_moves_.for_each_node(found, [&](std::uint64_t node, const InverseMoveSet& arrivals) {
    const std::uint64_t position = runs_.position(node);
    bool is_known = false;
    for (Cursor& list : known) is_known = list.finds(position) || is_known;
    for (Cursor& list : same) is_known = is_known || list.finds(node);
    if (!is_known && runs_.size() > 1 && node == runs_.node(position, 0))
      for (Cursor& list : beside) is_known = is_known || runs_.finds_position(list, node);
    if (is_known) return;
    if (inverse_moves_.any()) out.trails.put(out.nodes.size(), arrivals);
    out.nodes.push_back(node);
  });
  spend(found.bytes() + out.nodes.bytes() + out.trails.bytes());
  return out;
}

// Adds nodes to this layer. Lists are merged until each list is at least twice as long as the next one.
void LayerWriter::add(Ascending nodes) {
  here_.push_back(std::move(nodes));
  for (std::size_t n = here_.size(); n > 1 && here_[n - 2].size() < 2 * here_[n - 1].size(); n = here_.size()) {
    here_[n - 2] = merged(here_[n - 2], here_[n - 1]);
    here_.pop_back();
  }
  FEWEST_ASSERT(are_shorter_and_shorter(), "each list is at least twice as long as the next");
}

#ifdef FEWEST_ASSERTIONS
bool LayerWriter::are_shorter_and_shorter() const {
  for (std::size_t n = 1; n < here_.size(); ++n)
    if (here_[n - 1].size() < 2 * here_[n].size()) return false;
  return true;
}
#endif

// Follows every move from the nodes of `frontier`, which belong to this layer. The targets of free moves are added to
// `free`.
void LayerWriter::expand(const Frontier& frontier, Sorter& free) {
  std::vector<Sorter*> to;  // a sorter for each weight; null if the cost reaches the bound
  for (const std::uint64_t weight : weights_) {
    const bool is_below = !input_.bound || weight < (*input_.bound)[0] - cost_;
    to.push_back(!is_below ? nullptr : weight == 0 ? &free : &ahead_[cost_ + weight]);
  }
  std::uint64_t seen = 0;
  Trails::Reader trails(frontier.trails);
  const auto changes = [&](std::uint32_t o, int fact) { return moves_.changes(o, fact); };
  runs_.for_each_position(frontier.nodes, [&](std::uint64_t position, const std::vector<std::uint32_t>& runs) {
    moves_.seek(position);
    const InverseMoveSet arrivals = trails.next();
    moves_.for_each_move([&](std::uint64_t number, std::uint32_t o, std::uint64_t potential) {
      if (inverse_moves_.leads_back(arrivals, o)) return;
      for (const std::uint32_t run : runs) {
        const Runs::Step step = runs_.step(o, run, changes);
        Sorter* sorter = step.cost == 0 ? &free : to[weight_of_[o]];
        FEWEST_ASSERT(step.cost == 0 || step.cost == weights_[weight_of_[o]], "a move is free or costs its weight");
        if (sorter == nullptr) continue;
        if (input_.bound && potential >= (*input_.bound)[0] - cost_ - step.cost) continue;
        if (number == kNoNumber) throw Rejected("a move leads to a position that has no number");
        sorter->add(inverse_moves_.with_move(runs_.node(number, step.run), o));
      }
    });
    if (++seen % 1024 == 0) spend(frontier.nodes.bytes() + frontier.trails.bytes() + free.bytes());
  });
}

void LayerWriter::encode(const std::function<void(const std::string&)>& piece) const {
  if (here_.empty()) return;
  const Ascending& nodes = here_[0];
  for (const std::string& block : (runs_.size() == 1 ? nodes : positions_).blocks()) piece(block);
  if (runs_.size() == 1) return;
  std::string text;
  const auto put = [&](std::uint64_t value) {
    for (; value > 127; value >>= 7) text.push_back(static_cast<char>((value & 127) | 128));
    text.push_back(static_cast<char>(value));
  };
  runs_.for_each_position(nodes, [&](std::uint64_t, const std::vector<std::uint32_t>& runs) {
    put(runs.size() - 1);
    for (const std::uint32_t run : runs) put(run);
    if (text.size() >= std::size_t{1} << 20) {
      piece(text);
      text.clear();
    }
  });
  piece(text);
}

void LayerWriter::spend(std::uint64_t bytes) {
  bytes += positions_.bytes();
  for (const Ascending& list : here_) bytes += list.bytes();
  for (const Ascending& list : known_) bytes += list.bytes();
  for (const auto& [cost, sorter] : ahead_) bytes += sorter.bytes();
  watch_.spend(bytes);
}

}  // namespace fewest::checkers
