#include "sequence.hpp"

#include <algorithm>
#include <bit>

namespace fewest::checkers {

namespace {

using Numbers = std::vector<std::uint64_t>;
constexpr std::size_t kChunk = 1 << 23;  // moves that are sorted at once
constexpr std::size_t kMore = 1 << 10;   // of one position there are seldom more

// Ascending, each once. By bytes, the lowest first; those that are the same in all numbers are left out.
void sort_unique(Numbers& numbers, Numbers& buffer) {
  std::uint64_t differing = 0;
  for (const std::uint64_t number : numbers) differing |= number ^ numbers.front();
  if (numbers.size() < 4096) {
    std::sort(numbers.begin(), numbers.end());
  } else {
    buffer.resize(numbers.size());
    for (int shift = 0; shift < 64; shift += 11) {
      if ((differing >> shift & 2047) == 0) continue;
      std::size_t count[2048] = {};
      for (const std::uint64_t number : numbers) ++count[number >> shift & 2047];
      std::size_t at = 0;
      for (std::size_t& c : count) at += std::exchange(c, at);
      for (const std::uint64_t number : numbers) buffer[count[number >> shift & 2047]++] = number;
      numbers.swap(buffer);
    }
  }
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

// Calls `found(i, j)` for each number of `few` that stands in `many`, both ascending.
template <class Found>
void intersect(const Numbers& few, const Numbers& many, Found&& found) {
  std::size_t j = 0;
  for (std::size_t i = 0; i < few.size() && j < many.size(); ++i) {
    while (j < many.size() && many[j] < few[i]) ++j;
    if (j < many.size() && many[j] == few[i]) found(i, j);
  }
}

// `numbers` without those of `known`, both ascending.
void subtract(Numbers& numbers, const Numbers& known) {
  const auto end = std::set_difference(numbers.begin(), numbers.end(), known.begin(), known.end(), numbers.begin());
  numbers.erase(end, numbers.end());
}

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
  const std::uint64_t unit = question_.parts[0].weight.empty() ? 1 : question_.parts[0].weight[0];
  for (std::size_t i = 0; i < question_.layers.size(); ++i) {
    const Cost& cost = question_.layers[i].first;
    if (cost.size() != 1 || (i > 0 && cost <= question_.layers[i - 1].first))
      throw Rejected("its layers are not in order");
  }
  if (question_.layers.empty() || question_.layers[0].first[0] != 0)
    throw Rejected("the start is not in the first layer");
  for (std::size_t i = 0; i < question_.layers.size(); ++i) {
    const Cost& cost = question_.layers[i].first;
    if (cost[0] != i * unit) throw Rejected("no move leads to a layer of that cost");
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
  const std::uint64_t number = next_.empty() ? gap : last_ + 1 + gap;
  if (gap >= moves_.size() || number >= moves_.size()) throw Rejected("there is no such position");
  if (next_.empty()) {
    next_.reserve(std::min<std::uint64_t>(question_.layers[layer_].second, kChunk));
    spend();
  }
  next_.push_back(last_ = number);
  if (share_ != 0 && !is_second_ && mixed(number ^ seed_) >> 32 < share_) chosen_.push_back(number);
  if (next_.size() % 4096 == 0) spend();
  if (next_.size() == question_.layers[layer_].second) end_layer();
}

void LayerSequence::end_layer() {
  if (is_second_) {
    resolve();
    next_.clear();
    ++layer_;
    return;
  }
  is_met_.assign(next_.size(), false);
  if (layer_ == 0) {
    const auto initial = unpacked(question_.task.initial, question_.task.words);
    moves_.seek(next_[0]);
    if (next_.size() != 1 || !std::equal(initial.begin(), initial.end(), moves_.state()))
      throw Rejected("the start is not in the first layer, or not alone there");
  } else {
    expand();
    const auto lost = std::count(is_met_.begin(), is_met_.end(), false);
    if (lost != 0)
      throw Rejected("no move leads to " + std::to_string(lost) + " of the listed nodes at their cost");
  }
  counts_.positions += next_.size();
  counts_.nodes += next_.size();
  before_.swap(here_);
  here_.swap(next_);
  next_.clear();
  ++layer_;
}

// Follows every move from `here_`, unless those behind it are not below the bound.
void LayerSequence::expand() {
  const std::size_t depth = num_expanded_++;
  const std::uint64_t unit = question_.parts[0].weight.empty() ? 1 : question_.parts[0].weight[0];
  led_.reserve(std::min(kChunk + kMore, 8 * here_.size()));
  const bool is_last = (depth + 1) * unit >= (*question_.bound)[0];
  for (std::size_t i = 0; i < here_.size(); ++i) {
    moves_.seek(here_[i]);
    if (moves_.is_impossible()) throw Rejected("a listed position has what the task knows cannot be");
    if (moves_.is_in(goals_)) throw Rejected("a listed position is a goal");
    moves_.for_each_move([&](std::uint64_t number) {
      ++counts_.moves;
      if (!is_last) led_.push_back(number);
    });
    if (led_.size() >= kChunk) look_up();
    if (i % 1024 == 0) spend();
  }
  look_up();
}

// Where the moves of `led_` lead: to the layer behind, to this one or the one before, or farther back.
void LayerSequence::look_up() {
  if (led_.empty()) return;
  sort_unique(led_, buffer_);
  spend();
  if (led_.back() == kNoNumber)
    throw Rejected("a move leads to a position that no layer allows at its cost");
  intersect(led_, next_, [&](std::size_t, std::size_t j) { is_met_[j] = true; });
  for (const Numbers* layer : {&next_, &here_, &before_}) subtract(led_, *layer);
  for (const std::uint64_t number : led_) pending_.push_back({number, num_expanded_ - 1});
  led_.clear();
}

bool LayerSequence::needs_another_run() {
  if (layer_ != question_.layers.size() || shift_ != 0 || !next_.empty())
    throw Rejected("the section ends too early");
  if (is_second_) return false;
  is_met_.clear();
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
  std::size_t j = 0;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    while (j < next_.size() && next_[j] < pending_[i].number) ++j;
    if (j < next_.size() && next_[j] == pending_[i].number && layer_ < pending_[i].layer) is_resolved_[i] = true;
  }
  spend();
}

void LayerSequence::finish() const {
  if (std::find(is_resolved_.begin(), is_resolved_.end(), false) != is_resolved_.end())
    throw Rejected("a move leads to a position that no layer allows at its cost");
}

std::uint64_t LayerSequence::bytes() const {
  return 8 * (before_.capacity() + here_.capacity() + next_.capacity() + led_.capacity() + buffer_.capacity());
}

LayerMaker::LayerMaker(const LayersQuestion& question, std::uint64_t start, bool is_reversible,
                       double seconds, std::uint64_t memory)
    : question_(question), moves_(question_), watch_(seconds, memory), is_reversible_(is_reversible), here_{start} {}

std::uint64_t LayerMaker::advance() {
  if (!is_begun_) {
    is_begun_ = true;
    return here_.size();
  }
  if (!is_reversible_) older_.push_back(encoded());
  Numbers found, led, buffer, both;
  const auto merge = [&] {
    if (led.empty()) return;
    sort_unique(led, buffer);
    if (led.back() == kNoNumber) throw Rejected("a move leads to a position that has no number");
    subtract(led, here_);
    subtract(led, before_);
    both.resize(found.size() + led.size());
    both.erase(std::set_union(found.begin(), found.end(), led.begin(), led.end(), both.begin()), both.end());
    found.swap(both);
    led.clear();
    std::uint64_t bytes = 8 * (before_.capacity() + here_.capacity() + found.capacity() + led.capacity() +
                               buffer.capacity() + both.capacity());
    for (const std::string& layer : older_) bytes += layer.size();
    watch_.spend(bytes);
  };
  led.reserve(std::min(kChunk + kMore, 8 * here_.size()));
  for (std::size_t i = 0; i < here_.size(); ++i) {
    moves_.seek(here_[i]);
    moves_.for_each_move([&](std::uint64_t number) { led.push_back(number); });
    if (led.size() >= kChunk) merge();
    if (i % 1024 == 0) watch_.spend(0);
  }
  merge();
  for (std::size_t l = 0; l + 2 < older_.size(); ++l) {  // the last two are subtracted already
    Numbers known;
    std::uint64_t number = 0, value = 0;
    unsigned shift = 0;
    for (const char c : older_[l]) {
      const auto byte = static_cast<unsigned char>(c);
      value |= std::uint64_t{byte & 127u} << shift;
      shift += 7;
      if (byte >= 128) continue;
      number = known.empty() ? value : number + 1 + value;
      known.push_back(number);
      value = shift = 0;
    }
    subtract(found, known);
    watch_.spend(0);
  }
  before_.swap(here_);
  here_.swap(found);
  return here_.size();
}

std::string LayerMaker::encoded() const {
  std::string out;
  std::uint64_t last = ~std::uint64_t{0};
  for (const std::uint64_t number : here_) {
    std::uint64_t gap = number - last - 1;
    last = number;
    for (; gap > 127; gap >>= 7) out.push_back(static_cast<char>((gap & 127) | 128));
    out.push_back(static_cast<char>(gap));
  }
  return out;
}

}  // namespace fewest::checkers
