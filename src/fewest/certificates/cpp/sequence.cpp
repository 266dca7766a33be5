#include "sequence.hpp"

#include <algorithm>
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

LayerSequence::LayerSequence(const LayersQuestion& question, double seconds, std::uint64_t memory,
                             std::uint64_t share, std::uint64_t seed)
    : question_(question), moves_(question_), goals_(question_.task.goals, question_.task.words),
      watch_(seconds, memory), share_(share), seed_(mixed(seed)) {
  if (!question_.parts.empty() && !question_.parts[0].weight.empty()) unit_ = question_.parts[0].weight[0];
  if (question_.layers.empty() || question_.layers[0].second == 0)
    throw Rejected("the start is not in the first layer");
  check_costs();
}

void LayerSequence::check_costs() const {
  for (std::size_t i = 0; i < question_.layers.size(); ++i) {
    const Cost& cost = question_.layers[i].first;
    if (cost.size() != question_.parts.size() || (i > 0 && cost <= question_.layers[i - 1].first))
      throw Rejected("its layers are not in order");
  }
  if (!question_.bound) return;
  if (question_.layers[0].first[0] != 0) throw Rejected("the start is not in the first layer");
  for (std::size_t i = 0; i < question_.layers.size(); ++i) {
    const Cost& cost = question_.layers[i].first;
    if (cost[0] != i * unit_) throw Rejected("no move leads to a layer of that cost");
    if (cost >= *question_.bound) throw Rejected("a layer is not below the bound");
    if (question_.layers[i].second == 0) throw Rejected("no move leads to an empty layer");
  }
}

void LayerSequence::feed(const char* data, std::size_t size) {
  for (const char* end = data + size; data != end; ++data) {
    const auto byte = static_cast<unsigned char>(*data);
    if (shift_ > 56) throw Rejected("a number is longer than it may be");
    value_ |= std::uint64_t{byte & 127u} << shift_;
    shift_ += 7;
    if (byte >= 128) continue;
    if (byte == 0 && shift_ > 7) throw Rejected("a number is not written as short as can be");
    take(value_);
    value_ = 0;
    shift_ = 0;
  }
}

void LayerSequence::take(std::uint64_t gap) {
  if (layer_ == question_.layers.size()) throw Rejected("the section goes on behind its end");
  const std::uint64_t number = last_ + 1 + gap;  // of a first one, the gap
  if (gap >= moves_.size() || number >= moves_.size()) throw Rejected("there is no such position");
  next_.push_back(last_ = number);
  if (share_ != 0 && !is_second_ && mixed(number ^ seed_) >> 32 < share_) chosen_.push_back(number);
  if (next_.size() % 4096 == 0) spend(0);
  if (next_.size() == question_.layers[layer_].second) end_layer();
}

void LayerSequence::end_layer() {
  last_ = kNoNumber;
  if (is_second_) {
    resolve();
  } else {
    if (layer_ == 0) check_start();
    else expand();
    counts_.positions += next_.size();
    counts_.nodes += next_.size();
    before_ = std::move(here_);
    here_ = std::move(next_);
  }
  next_ = {};
  ++layer_;
}

// The start is in the first layer, and alone there if it is one of several.
void LayerSequence::check_start() {
  const auto initial = unpacked(question_.task.initial, question_.task.words);
  for (Cursor at(next_); !at.is_end(); at.next()) {
    moves_.seek(at.number());
    if (!moves_.is_impossible() && std::equal(initial.begin(), initial.end(), moves_.state())) start_ = at.number();
  }
  if (start_ == kNoNumber || (question_.bound && next_.size() != 1))
    throw Rejected("the start is not in the first layer, or not alone there");
}

// Calls `led` with the number of every position that a move leads to, and with its potential.
template <class Led>
void LayerSequence::play(const Ascending& positions, Led&& led) {
  for (Cursor at(positions); !at.is_end(); at.next()) {
    moves_.seek(at.number());
    if (moves_.is_impossible()) throw Rejected("a listed position has what the task knows cannot be");
    if (moves_.is_in(goals_)) throw Rejected("a listed position is a goal");
    moves_.for_each_move([&](std::uint64_t number, std::uint32_t, std::uint64_t left) {
      ++counts_.moves;
      led(number, left);
    });
    if (at.index() % 1024 == 0) spend(0);
  }
}

// Follows every move from `here_`, unless the bound is reached by it: to `next_`, to this layer or the one before, or
// farther back. To every position of `next_` one must lead.
void LayerSequence::expand() {
  const std::uint64_t depth = num_expanded_++;
  const std::uint64_t bound = (*question_.bound)[0], cost = (depth + 1) * unit_;
  play(here_, [&](std::uint64_t number, std::uint64_t left) {
    if (cost >= bound || left >= bound - cost) return;
    if (number == kNoNumber) throw Rejected(kNotAllowed);
    led_.add(number);
  });
  spend(0);
  std::uint64_t num_met = 0;
  Cursor next(next_), here(here_), before(before_);
  led_.for_each([&](std::uint64_t number) {
    if (next.finds(number)) ++num_met;
    else if (!here.finds(number) && !before.finds(number)) pending_.push_back({number, depth});
  });
  led_.clear();
  spend(0);
  if (num_met != next_.size())
    throw Rejected("no move leads to " + std::to_string(next_.size() - num_met) +
                   " of the listed nodes at their cost");
}

// No move leads out of the set, and to every position but the start one leads.
void LayerSequence::check_closed() {
  std::vector<bool> is_met(here_.size(), false);
  const auto look_up = [&] {
    Cursor set(here_);
    led_.for_each([&](std::uint64_t number) {
      if (!set.finds(number)) throw Rejected(kNotAllowed);
      is_met[set.index()] = true;
    });
    led_.clear();
    spend(is_met.size() / 8);
  };
  std::uint64_t num_led = 0;
  play(here_, [&](std::uint64_t number, std::uint64_t) {
    if (number == kNoNumber) throw Rejected(kNotAllowed);
    led_.add(number);
    if (++num_led % (std::uint64_t{1} << 26) == 0) look_up();
  });
  look_up();
  Cursor set(here_);
  set.finds(start_);
  is_met[set.index()] = true;
  const auto lost = std::count(is_met.begin(), is_met.end(), false);
  if (lost != 0)
    throw Rejected("no move leads to " + std::to_string(lost) + " of the listed nodes at their cost");
}

bool LayerSequence::needs_another_run() {
  if (layer_ != question_.layers.size() || shift_ != 0 || !next_.empty())
    throw Rejected("the section ends too early");
  if (is_second_) return false;
  if (!question_.bound) {
    check_closed();
    return false;
  }
  expand();  // the last layer
  if (pending_.empty()) return false;
  std::sort(pending_.begin(), pending_.end(), [](const Pending& a, const Pending& b) {
    return a.number != b.number ? a.number < b.number : a.layer < b.layer;
  });
  const auto end = std::unique(pending_.begin(), pending_.end(),
                               [](const Pending& a, const Pending& b) { return a.number == b.number; });
  pending_.erase(end, pending_.end());
  is_resolved_.assign(pending_.size(), false);
  is_second_ = true;
  layer_ = 0;
  return true;
}

// A layer of the second run: what leads there from layers behind it.
void LayerSequence::resolve() {
  Cursor layer(next_);
  for (std::size_t i = 0; i < pending_.size(); ++i)
    if (layer.finds(pending_[i].number) && layer_ < pending_[i].layer) is_resolved_[i] = true;
  spend(0);
}

void LayerSequence::finish() const {
  if (std::find(is_resolved_.begin(), is_resolved_.end(), false) != is_resolved_.end()) throw Rejected(kNotAllowed);
}

void LayerSequence::spend(std::uint64_t more) {
  watch_.spend(more + before_.bytes() + here_.bytes() + next_.bytes() + led_.bytes() +
               pending_.capacity() * sizeof(Pending) + is_resolved_.capacity() / 8 + chosen_.capacity() * 8);
}

}  // namespace fewest::checkers
