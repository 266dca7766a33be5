#include "sequence.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>

namespace fewest::checkers {

namespace {

constexpr const char* kNotAllowed = "a move leads to a position that no layer allows at its cost";

std::uint64_t mixed(std::uint64_t x) {  // splitmix64 (Steele, Lea and Flood 2014)
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

}  // namespace

LayerSequence::LayerSequence(const LayersInput& input, double seconds, std::uint64_t memory,
                             std::uint64_t share, std::uint64_t seed)
    : input_(input), moves_(input_), runs_(input_, moves_.size()), inverse_moves_(moves_, runs_),
      goals_(input_.task.goals, input_.task.words), watch_(seconds, memory, 16), share_(share),
      seed_(mixed(seed)), unit_(runs_.unit()) {
  if (input_.layers.empty() || input_.layers[0].second == 0)
    throw Rejected("the start is not in the first layer");
  check_costs();
}

void LayerSequence::check_costs() const {
  for (std::size_t i = 0; i < input_.layers.size(); ++i) {
    const Cost& cost = input_.layers[i].first;
    if (cost.size() != input_.parts.size() || (i > 0 && cost <= input_.layers[i - 1].first))
      throw Rejected("the layers are not in order");
  }
  if (!input_.bound) return;
  if (input_.layers[0].first[0] != 0) throw Rejected("the start is not in the first layer");
  for (std::size_t i = 0; i < input_.layers.size(); ++i) {
    const Cost& cost = input_.layers[i].first;
    if (unit_ != 0 && cost[0] != i * unit_) throw Rejected("no move leads to a layer of this cost");
    if (cost >= *input_.bound) throw Rejected("a layer is not below the bound");
    if (input_.layers[i].second == 0) throw Rejected("no move leads to an empty layer");
  }
}

void LayerSequence::feed(const char* data, std::size_t size) {
  for (const char* end = data + size; data != end; ++data) {
    const auto byte = static_cast<unsigned char>(*data);
    if (shift_ > 56) throw Rejected("a number is too long");
    value_ |= std::uint64_t{byte & 127u} << shift_;
    shift_ += 7;
    if (byte >= 128) continue;
    if (byte == 0 && shift_ > 7) throw Rejected("a number is not in its shortest form");
    take(value_);
    value_ = 0;
    shift_ = 0;
  }
}

void LayerSequence::take(std::uint64_t value) {
  if (layer_ == input_.layers.size()) throw Rejected("the section continues after its end");
  if (position_) take_run(value);
  else take_position(value);
}

void LayerSequence::take_position(std::uint64_t gap) {
  const std::uint64_t number = last_ + 1 + gap;  // for the first number, `last_` + 1 is 0
  if (gap >= moves_.size() || number >= moves_.size()) throw Rejected("a listed position does not exist");
  last_ = number;
  if (share_ != 0 && !is_second_ && mixed(number ^ seed_) >> 32 < share_) chosen_.push_back(number);
  const bool has_runs = !input_.runs.empty() && !input_.runs[0].empty();
  Ascending& list = has_runs ? listed_ : next_;
  list.push_back(has_runs ? number : runs_.node(number, 0));
  if (list.size() % 4096 == 0) spend(0);
  if (list.size() != input_.layers[layer_].second) return;
  if (has_runs) position_ = std::make_unique<Cursor>(listed_);
  else end_layer();
}

// Reads the runs of a position: first the number of its nodes, minus 1, then the run of each node.
void LayerSequence::take_run(std::uint64_t value) {
  if (num_runs_ == 0) {
    if (value > std::uint64_t{1} << 20) throw Rejected("a position has too many nodes");
    num_runs_ = value + 1;
    return;
  }
  const std::vector<int>& keys = input_.runs[0];
  if (value > keys.size()) throw Rejected("a listed run does not exist");
  of_position_.push_back(value == 0 ? 0 : static_cast<std::uint64_t>(keys[value - 1]) + 1);
  if (--num_runs_ != 0) return;
  std::sort(of_position_.begin(), of_position_.end());
  of_position_.erase(std::unique(of_position_.begin(), of_position_.end()), of_position_.end());
  for (const std::uint64_t run : of_position_)
    next_.push_back(runs_.node(position_->number(), static_cast<std::uint32_t>(run)));
  of_position_.clear();
  if (position_->index() % 1024 == 0) spend(0);
  position_->next();
  if (position_->is_end()) end_layer();
}

void LayerSequence::end_layer() {
  last_ = kNoNumber;
  if (is_second_) {
    resolve();
  } else {
    is_next_reached_.assign(unit_ == 0 ? 0 : next_.size(), false);
    FEWEST_ASSERT(next_.size() >= input_.layers[layer_].second, "each position of a layer has a node");
    if (layer_ == 0) check_start();
    else if (unit_ != 0 && input_.bound) expand();
    counts_.positions += input_.layers[layer_].second;
    counts_.nodes += next_.size();
    if (unit_ == 0) {
      layers_.push_back(std::move(next_));
    } else {
      previous_ = std::move(current_);
      current_ = std::move(next_);
      is_current_reached_ = std::move(is_next_reached_);
      current_trails_ = std::move(next_trails_);
    }
  }
  position_.reset();
  listed_ = {};
  next_ = {};
  ++layer_;
}

// Checks that the start is in the first layer.
void LayerSequence::check_start() {
  const auto initial = unpacked(input_.task.initial, input_.task.words);
  for (Cursor at(next_); !at.is_end(); at.next()) {
    const std::uint64_t position = runs_.position(at.number());
    moves_.seek(position);
    if (moves_.is_impossible() || !std::equal(initial.begin(), initial.end(), moves_.state())) continue;
    start_ = position;
    if (unit_ != 0 && at.number() == runs_.node(position, 0)) is_next_reached_[at.index()] = true;
  }
  if (start_ == kNoNumber) throw Rejected("the start is not in the first layer");
}

// Calls `visit` for every move from the positions of some nodes, with the arguments of `NumberedMoves::for_each_move`
// and the runs of these nodes. If a move led to the node, its inverse is omitted, because the inverse leads to a listed
// node of at most the same cost.
template <class Visit>
void LayerSequence::for_each_move(const Ascending& nodes, const Trails& trails, Visit&& visit) {
  std::uint64_t seen = 0;
  Trails::Reader reader(trails);
  runs_.for_each_position(nodes, [&](std::uint64_t position, const std::vector<std::uint32_t>& runs) {
    moves_.seek(position);
    if (moves_.is_impossible()) throw Rejected("a listed position contradicts the invariants of the task");
    if (moves_.is_in(goals_)) throw Rejected("a listed position is a goal");
    const InverseMoveSet arrivals = reader.next();
    moves_.for_each_move([&](std::uint64_t number, std::uint32_t o, std::uint64_t potential) {
      ++counts_.moves;
      if (!inverse_moves_.leads_back(arrivals, o)) visit(number, o, potential, runs);
    });
    if (++seen % 1024 == 0) spend(0);
  });
}

// Follows every move from the nodes of `current_`, unless the cost after the move (plus the potential) reaches the
// bound. Free moves lead to this layer or an earlier layer; other moves may also lead to `next_`. Every node of
// `current_` must be the start, or the target of a move that reaches it at exactly its cost.
void LayerSequence::expand() {
  const std::uint64_t bound = (*input_.bound)[0], cost = num_expanded_ * unit_;
  const auto changes = [&](std::uint32_t o, int fact) { return moves_.changes(o, fact); };
  for_each_move(current_, current_trails_,
                [&](std::uint64_t number, std::uint32_t o, std::uint64_t potential, const auto& runs) {
    for (const std::uint32_t run : runs) {
      const Runs::Step step = runs_.step(o, run, changes);
      const std::uint64_t total = cost + step.cost;
      if (total >= bound || potential >= bound - total) continue;
      if (number == kNoNumber) throw Rejected(kNotAllowed);
      (step.cost == 0 ? free_ : targets_).add(inverse_moves_.with_move(runs_.node(number, step.run), o));
    }
  });
  spend(0);
  FEWEST_ASSERT(is_current_reached_.size() == current_.size() && is_next_reached_.size() == next_.size(),
                "each node of a layer has its mark");
  compare_targets(free_, current_, is_current_reached_, {&previous_}, nullptr);
  compare_targets(targets_, next_, is_next_reached_, {&current_, &previous_}, &next_trails_);
  ++num_expanded_;
  const auto missing = std::count(is_current_reached_.begin(), is_current_reached_.end(), false);
  if (missing != 0)
    throw Rejected("no move leads to " + std::to_string(missing) + " of the listed nodes at their cost");
}

// Looks up the targets of moves, both in the layer of exactly their cost and in earlier layers. In an earlier layer,
// any node of the position is sufficient, since the node is cheaper by at least the cost of a run. In the layer of
// exactly their cost, any node of the position is sufficient if the target has no run.
void LayerSequence::compare_targets(Sorter& targets, const Ascending& layer, Marks& is_reached,
                                    std::vector<const Ascending*> before, Trails* trails) {
  Cursor exact(layer), beside(layer);
  std::vector<Cursor> cheaper;
  for (const Ascending* list : before) cheaper.emplace_back(*list);
  if (trails != nullptr) *trails = {};
  inverse_moves_.for_each_node(targets, [&](std::uint64_t node, const InverseMoveSet& arrivals) {
    FEWEST_ASSERT(trails == nullptr || is_reached.size() == layer.size(), "each node of a layer has its mark");
    if (exact.finds(node)) {
      is_reached[exact.index()] = true;
      if (trails != nullptr && inverse_moves_.any()) trails->put(exact.index(), arrivals);
      return;
    }
    const std::uint64_t position = runs_.position(node);
    if (runs_.size() > 1 && node == runs_.node(position, 0) && runs_.finds_position(beside, node)) return;
    for (Cursor& list : cheaper)
      if (runs_.finds_position(list, node)) return;
    pending_.push_back({position, num_expanded_});
  });
  targets.clear();
  spend(0);
}

// Checks that no move leaves the set, and that some move leads to each position except the start.
void LayerSequence::check_closed() {
  std::vector<bool> is_reached(current_.size(), false);
  const auto look_up = [&] {
    Cursor set(current_);
    targets_.for_each([&](std::uint64_t number) {
      if (!set.finds(number)) throw Rejected(kNotAllowed);
      is_reached[set.index()] = true;
    });
    targets_.clear();
    spend(is_reached.size() / 8);
  };
  std::uint64_t num_targets = 0;
  for_each_move(current_, {}, [&](std::uint64_t number, std::uint32_t, std::uint64_t, const auto&) {
    if (number == kNoNumber) throw Rejected(kNotAllowed);
    targets_.add(number);
    if (++num_targets % (std::uint64_t{1} << 26) == 0) look_up();
  });
  look_up();
  Cursor set(current_);
  [[maybe_unused]] const bool has_start = set.finds(start_);
  FEWEST_ASSERT(has_start, "the start is one of the positions");
  is_reached[set.index()] = true;
  const auto missing = std::count(is_reached.begin(), is_reached.end(), false);
  if (missing != 0)
    throw Rejected("no move leads to " + std::to_string(missing) + " of the listed nodes at their cost");
}

// Checks that every move leads to a layer of at most the cost of the move's origin plus the cost of the move. Also
// checks that each position except the start is the target of a move that reaches it at exactly the cost of its layer.
void LayerSequence::check_stored() {
  const std::uint64_t bound = (*input_.bound)[0];
  for (const Ascending& layer : layers_) is_reached_.emplace_back(layer.size(), false);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::uint64_t cost = input_.layers[i].first[0];
    std::map<std::uint64_t, Sorter> targets;  // targets, by the cost of the move
    for_each_move(layers_[i], {}, [&](std::uint64_t number, std::uint32_t o, std::uint64_t potential, const auto&) {
      const std::uint64_t weight = input_.parts[0].weight[o];
      if (weight >= bound - cost || potential >= bound - cost - weight) return;
      if (number == kNoNumber) throw Rejected(kNotAllowed);
      targets[weight].add(number);
    });
    for (auto& [weight, sorter] : targets) look_up(sorter, cost + weight);
  }
  Cursor first(layers_[0]);
  [[maybe_unused]] const bool has_start = first.finds(start_);
  FEWEST_ASSERT(has_start, "the start is in the first layer");
  is_reached_[0][first.index()] = true;
  std::size_t missing = 0;
  for (const auto& layer : is_reached_) missing += std::count(layer.begin(), layer.end(), false);
  if (missing != 0)
    throw Rejected("no move leads to " + std::to_string(missing) + " of the listed nodes at their cost");
}

// Looks up the targets of moves for which the resulting cost is `total`, beginning with the most expensive layer that
// may contain them.
void LayerSequence::look_up(Sorter& targets, std::uint64_t total) {
  Ascending remaining;
  targets.for_each([&](std::uint64_t number) { remaining.push_back(number); });
  spend(targets.bytes() + remaining.bytes());
  for (std::size_t j = layers_.size(); j-- > 0 && !remaining.empty();) {
    const std::uint64_t cost = input_.layers[j].first[0];
    if (cost > total) continue;
    Ascending missing;
    Cursor layer(layers_[j]);
    for (Cursor at(remaining); !at.is_end(); at.next()) {
      if (!layer.finds(at.number())) missing.push_back(at.number());
      else if (cost == total) is_reached_[j][layer.index()] = true;
    }
    remaining = std::move(missing);
    spend(targets.bytes() + 2 * remaining.bytes());
  }
  if (!remaining.empty()) throw Rejected(kNotAllowed);
}

bool LayerSequence::needs_another_pass() {
  if (layer_ != input_.layers.size() || shift_ != 0 || !next_.empty() || !listed_.empty())
    throw Rejected("the section ends too early");
  if (is_second_) return false;
  if (!input_.bound) {
    check_closed();
    return false;
  }
  if (unit_ == 0) {
    check_stored();
    return false;
  }
  expand();  // this completes the last layer
  if (pending_.empty()) return false;
  std::sort(pending_.begin(), pending_.end(), [](const Pending& a, const Pending& b) {
    return a.position != b.position ? a.position < b.position : a.layer < b.layer;
  });
  const auto end = std::unique(pending_.begin(), pending_.end(),
                               [](const Pending& a, const Pending& b) { return a.position == b.position; });
  pending_.erase(end, pending_.end());
  is_resolved_.assign(pending_.size(), false);
  is_second_ = true;
  layer_ = 0;
  return true;
}

// In the second pass, looks for the targets of moves from later layers in the layer that has just been read.
void LayerSequence::resolve() {
  Cursor layer(next_);
  for (std::size_t i = 0; i < pending_.size(); ++i)
    if (runs_.finds_position(layer, runs_.node(pending_[i].position, 0)) && layer_ < pending_[i].layer)
      is_resolved_[i] = true;
  spend(0);
}

void LayerSequence::finish() const {
  if (std::find(is_resolved_.begin(), is_resolved_.end(), false) != is_resolved_.end()) throw Rejected(kNotAllowed);
}

void LayerSequence::spend(std::uint64_t more) {
  for (const Ascending& layer : layers_) more += layer.bytes() + layer.size() / 8;
  watch_.spend(more + listed_.bytes() + previous_.bytes() + current_.bytes() + next_.bytes() + free_.bytes() +
               targets_.bytes() + current_trails_.bytes() + next_trails_.bytes() +
               (is_current_reached_.capacity() + is_next_reached_.capacity()) / 8 +
               pending_.capacity() * sizeof(Pending) + is_resolved_.capacity() / 8 + chosen_.capacity() * 8);
}

}  // namespace fewest::checkers
