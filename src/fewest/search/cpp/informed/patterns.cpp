#include "informed/patterns.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "informed/backward_search.hpp"
#include "informed/thread_team.hpp"

namespace fewest {

namespace {

constexpr std::size_t kMaxEntries = std::size_t{1} << 22;       // the maximum number of entries per pattern
constexpr std::size_t kMaxTotal = std::size_t{1} << 23;         // the maximum number of entries in all patterns
constexpr std::size_t kBytesToBuild = 32;                       // bytes per entry while a table is built
constexpr std::size_t kMaxPairEntries = std::size_t{1} << 21;   // the maximum number of entries over all pairs
constexpr std::size_t kMaxLocalSpots = 256;                     // the maximum number of spots per pattern
constexpr double kLeastGain = 0.02;  // the least gain that pays, as a fraction of the sum of the mean single distances

std::uint64_t weight_of(const PieceMove& move, int num_components, int component) {
  return num_components == 1 ? move.cost : component == 0 ? move.cost >> 32 : move.cost & 0xffffffffu;
}

std::function<Status()> stop_check_of(Control& control) {
  return [&control] { return control.check(0, 0, 0, [] { return std::size_t{0}; }); };
}

}  // namespace

Patterns::Patterns(const Pieces& pieces, const Problem& problem, int num_components, std::size_t memory)
    : pieces_(pieces),
      num_components_(num_components),
      most_entries_(std::min(kMaxEntries, memory / 2 / kBytesToBuild)),
      most_in_all_(std::min(kMaxTotal, memory / 8)),
      most_at_once_(memory / 2 / kBytesToBuild),
      gap_(pieces, problem) {
  group_of_.assign(pieces.num_spots(), -1);
  for (std::size_t g = 0; g < pieces.groups.size(); ++g)
    for (int spot : pieces.groups[g].spots) group_of_[spot] = static_cast<int>(g);
  pattern_of_.assign(pieces.num_spots(), -1);
  term_.assign(pieces.num_spots(), 0);
  is_covered_.assign(pieces.groups.size(), 0);
  is_apart_.assign(pieces.groups.size(), 1);
}

#ifdef FEWEST_ASSERTIONS
bool Patterns::moves_one_pattern(const PieceMove& move) const {
  int pattern = -1;
  for (int spot : move.deleted) {
    if (pattern_of_[spot] < 0) continue;
    if (pattern >= 0 && pattern != pattern_of_[spot]) return false;
    pattern = pattern_of_[spot];
  }
  return true;
}
#endif

std::size_t Patterns::entries_of(const std::vector<int>& groups) const {
  std::size_t entries = 1;
  for (int g : groups) entries = std::min(2 * kMaxTotal, entries * pieces_.groups[g].spots.size());
  return entries;
}

std::size_t Patterns::spots_of(const std::vector<int>& groups) const {
  std::size_t spots = 0;
  for (int g : groups) spots += pieces_.groups[g].spots.size();
  return spots;
}

std::size_t Patterns::num_entries() const {
  std::size_t sum = 0;
  for (const auto& groups : patterns_) sum += entries_of(groups);
  return sum;
}

// Returns the sets of groups that must be in one pattern: two groups are in the same set if some move moves pieces of
// both at the same time. A set is omitted if it contains a group of several pieces, or if it is too large for a
// pattern.
std::vector<std::vector<int>> Patterns::units() const {
  const auto num_groups = pieces_.groups.size();
  std::vector<int> leader(num_groups);
  std::iota(leader.begin(), leader.end(), 0);
  const auto find = [&](int g) {
    while (leader[g] != g) g = leader[g];
    return g;
  };
  std::vector<char> is_out(num_groups, 0);  // for each leader: whether its set has a group of several pieces
  for (const PieceMove& move : pieces_.moves) {
    int first = -1;
    for (int spot : move.deleted)
      if (const int g = group_of_[spot]; g >= 0) {
        if (first >= 0) leader[find(g)] = find(first);
        first = g;
      }
  }
  for (std::size_t g = 0; g < num_groups; ++g)
    if (pieces_.groups[g].count != 1) is_out[find(static_cast<int>(g))] = 1;
  std::vector<std::vector<int>> by_leader(num_groups), found;
  for (std::size_t g = 0; g < num_groups; ++g)
    by_leader[find(static_cast<int>(g))].push_back(static_cast<int>(g));
  for (std::size_t g = 0; g < num_groups; ++g) {
    if (by_leader[g].empty() || is_out[g] || entries_of(by_leader[g]) > most_entries_) continue;
    if (spots_of(by_leader[g]) <= kMaxLocalSpots) found.push_back(by_leader[g]);
  }
  return found;
}

Status Patterns::choose(Control& control) {
  if (pieces_.has_agent() || pieces_.goals.empty() || !pieces_.further_goals.empty()) return Status::running;
  const StopCheck stop_check = stop_check_of(control);
  const std::vector<std::vector<int>> all = units();
  const std::size_t n = all.size();
  const auto together = [&](std::size_t a, std::size_t b) {
    std::vector<int> groups = all[a];
    groups.insert(groups.end(), all[b].begin(), all[b].end());
    return groups;
  };
  const auto is_pair = [&](std::size_t a, std::size_t b) { return spots_of(together(a, b)) <= kMaxLocalSpots; };
  std::size_t pair_entries = 0;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (is_pair(a, b)) pair_entries += entries_of(together(a, b));
  if (n < 2 || pair_entries > kMaxPairEntries) return Status::running;
  std::vector<PatternTable> single(n);
  double sum = 0;
  for (std::size_t a = 0; a < n; ++a) {
    if (const Status status = fill(all[a], 0, stop_check, single[a]); status != Status::running) return status;
    double total = 0, count = 0;
    for (std::uint8_t d : single[a].distance)
      if (d != PatternTable::kTooFar) total += d, ++count;
    sum += count > 0 ? total / count : 0;
  }
  std::vector<double> gains(n * n, 0);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (!is_pair(a, b)) continue;
      PatternTable both;
      if (const Status status = fill(together(a, b), 0, stop_check, both); status != Status::running)
        return status;
      double total = 0, count = 0;
      const std::size_t size = single[a].distance.size();
      for (std::size_t code = 0; code < both.distance.size(); ++code) {
        if (both.distance[code] == PatternTable::kTooFar) continue;
        FEWEST_ASSERT(both.distance[code] >= single[a].distance[code % size] + single[b].distance[code / size],
                      "the distance of two patterns is at least the sum of their distances");
        total += both.distance[code] - single[a].distance[code % size] - single[b].distance[code / size];
        ++count;
      }
      gains[a * n + b] = gains[b * n + a] = count > 0 ? total / count : 0;
    }
  partition(all, gains);
  double gain = 0;
  std::vector<int> pattern_of_group(pieces_.groups.size(), -1);
  for (std::size_t p = 0; p < patterns_.size(); ++p)
    for (int g : patterns_[p]) pattern_of_group[g] = static_cast<int>(p);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (pattern_of_group[all[a][0]] == pattern_of_group[all[b][0]]) gain += gains[a * n + b];
  pays_ = gain > kLeastGain * sum;
  return Status::running;
}

// Divides the units among as few patterns as the limits allow, and improves the division by exchanging units. The best
// result of several runs is used. If no division with a pattern of several units meets the limits, there are no
// patterns.
void Patterns::partition(const std::vector<std::vector<int>>& units, const std::vector<double>& gains) {
  const std::size_t n = units.size();
  std::vector<std::size_t> entries, spots, order(n);
  for (const auto& unit : units) entries.push_back(entries_of(unit)), spots.push_back(spots_of(unit));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return entries[a] > entries[b]; });
  std::vector<std::size_t> bin(n), size, spots_in;
  const auto fits = [&] {
    std::size_t total = 0;
    for (std::size_t s : size) total += s > most_entries_ ? 2 * kMaxTotal : s;
    return total <= most_in_all_ && *std::max_element(spots_in.begin(), spots_in.end()) <= kMaxLocalSpots;
  };
  for (std::size_t bins = 1; bins < n; ++bins) {
    size.assign(bins, 1);
    spots_in.assign(bins, 0);
    for (std::size_t unit : order) {
      bin[unit] = static_cast<std::size_t>(std::min_element(size.begin(), size.end()) - size.begin());
      size[bin[unit]] = std::min(2 * kMaxTotal, size[bin[unit]] * entries[unit]);
      spots_in[bin[unit]] += spots[unit];
    }
    if (fits()) break;
    if (bins + 1 == n) return;  // no division meets the limits
  }
  const std::size_t bins = size.size();
  const auto are_like = [&](std::size_t a, std::size_t b) {
    return entries[a] == entries[b] && spots[a] == spots[b];
  };
  std::vector<std::size_t> best = bin;
  double most = -1;
  std::uint64_t random = 1;
  for (int attempt = 0; attempt < 32; ++attempt) {
    const auto to = [&](std::size_t unit, std::size_t target) {  // the gain of `unit` in the bin `target`
      double gain = 0;
      for (std::size_t other = 0; other < n; ++other)
        if (other != unit && bin[other] == target) gain += gains[unit * n + other];
      return gain;
    };
    for (bool grows = true; grows;) {
      grows = false;
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < a; ++b) {
          if (bin[a] == bin[b] || !are_like(a, b)) continue;
          const double change = to(a, bin[b]) + to(b, bin[a]) - 2 * gains[a * n + b] - to(a, bin[a]) -
                                to(b, bin[b]);
          if (change <= 1e-9) continue;
          std::swap(bin[a], bin[b]);
          grows = true;
        }
    }
    double total = 0;
    for (std::size_t a = 0; a < n; ++a) total += to(a, bin[a]) / 2;
    if (total > most + 1e-9) most = total, best = bin;
    for (std::size_t a = n; a-- > 1;) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const std::size_t b = (random >> 33) % (a + 1);
      if (are_like(a, b)) std::swap(bin[a], bin[b]);
    }
  }
  patterns_.assign(bins, {});
  for (std::size_t unit = 0; unit < n; ++unit)
    patterns_[best[unit]].insert(patterns_[best[unit]].end(), units[unit].begin(), units[unit].end());
}

Status Patterns::build(Control& control, std::size_t num_threads) {
  for (std::size_t p = 0; p < patterns_.size(); ++p) {
    std::uint32_t stride = 1;
    for (int g : patterns_[p]) {
      is_covered_[g] = 1;
      for (std::size_t i = 0; i < pieces_.groups[g].spots.size(); ++i) {
        FEWEST_ASSERT(pattern_of_[pieces_.groups[g].spots[i]] < 0, "patterns are disjoint");
        pattern_of_[pieces_.groups[g].spots[i]] = static_cast<int>(p);
        term_[pieces_.groups[g].spots[i]] = stride * static_cast<std::uint32_t>(i);
      }
      stride *= static_cast<std::uint32_t>(pieces_.groups[g].spots.size());
    }
  }
  for (std::size_t g = 0; g < is_apart_.size(); ++g) is_apart_[g] = !is_covered_[g];
  for (const PieceMove& move : pieces_.moves) {
    FEWEST_ASSERT(moves_one_pattern(move), "the cost of a move is counted in one pattern");
    const bool moves_pattern = std::any_of(move.deleted.begin(), move.deleted.end(),
                                           [&](int spot) { return pattern_of_[spot] >= 0; });
    for (int spot : move.deleted)
      if (moves_pattern && group_of_[spot] >= 0) is_apart_[group_of_[spot]] = 0;
  }
  tables_.assign(num_components_, std::vector<PatternTable>(patterns_.size()));
  const std::size_t num_tables = patterns_.size() * num_components_;
  std::size_t largest = 1;
  for (const auto& groups : patterns_) largest = std::max(largest, entries_of(groups));
  num_threads = std::min({num_threads, num_tables, std::max<std::size_t>(1, most_at_once_ / largest)});
  std::atomic<std::size_t> next = 0;
  std::atomic<Status> stopped = Status::running;
  const StopCheck host = stop_check_of(control);
  ThreadTeam(num_threads).all([&](std::size_t number) {
    const auto stop_check = [&] { return number > 0 || stopped != Status::running ? stopped.load() : host(); };
    try {
      for (std::size_t i; stopped == Status::running && (i = next++) < num_tables;) {
        const std::size_t c = i / patterns_.size(), p = i % patterns_.size();
        const Status status = fill(patterns_[p], static_cast<int>(c), stop_check, tables_[c][p]);
        if (status != Status::running) stopped = status;
      }
    } catch (...) {
      stopped = Status::interrupted;
      throw;
    }
  });
  return stopped;
}

PatternCodes::PatternCodes(const Pieces& pieces, const Gap& gap, const std::vector<int>& groups)
    : local(pieces.num_spots(), -1) {
  for (int g : groups) {
    stride.push_back(size);
    for (int spot : pieces.groups[g].spots) {
      local[spot] = static_cast<int>(covers.size());
      term.push_back(size * static_cast<std::uint32_t>(covers.size() - first.back()));
      covers.push_back(gap.covers[spot]);
    }
    first.push_back(static_cast<int>(covers.size()));
    size *= static_cast<std::uint32_t>(pieces.groups[g].spots.size());
  }
}

Status Patterns::fill(const std::vector<int>& groups, int component, const StopCheck& stop_check, PatternTable& table) const {
  const std::size_t num_spots = spots_of(groups);
  FEWEST_ASSERT(num_spots <= kMaxLocalSpots, "a pattern has at most 256 spots");
  std::vector<std::uint32_t> costs;
  for (const PieceMove& move : pieces_.moves) {
    const std::uint64_t cost = weight_of(move, num_components_, component);
    costs.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(cost, PatternTable::kTooFar)));
  }
  const auto filled = [&]<int L>() {
    PatternProjection<L> projection(pieces_, gap_, groups, costs, stop_check, table);
    BucketQueue<typename PatternProjection<L>::AbstractState> queue;
    if (backward_search(projection, queue) && kHasAssertions) projection.check_consistency();
    return projection.status();
  };
  if (num_spots <= 64) return filled.template operator()<1>();
  if (num_spots <= 128) return filled.template operator()<2>();
  return filled.template operator()<4>();
}

}  // namespace fewest
