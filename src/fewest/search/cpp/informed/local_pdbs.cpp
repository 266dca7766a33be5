#include "informed/local_pdbs.hpp"

#include <algorithm>
#include <queue>

#include "informed/assignment.hpp"

namespace fewest {

namespace {

constexpr int kSeed = 12;                                   // the number of spots of a local PDB before it grows
constexpr int kMostSeeds = 512;                             // the maximum number of seeds on a board
constexpr int kMostScore = 10;  // the maximum score of a sample, in detours; also the score of a dead sample
constexpr std::size_t kTriedStates = 20000;                 // up to this size, a local PDB tries all linked spots
// A state takes about kBytesOfEntry bytes, and at least kLeastLocalPdbs local PDBs must fit into memory.
constexpr std::size_t kLeastLocalPdbs = 4, kBytesOfEntry = 64;

// Returns a value of 0 or 1 for each column. Within each row, the distances plus these values are all even or all odd.
// If there are no such values, all results are 0. On a chequered board, all paths from a spot to a goal spot have even
// lengths, or all have odd lengths. Prices with these parities make all reduced costs even, so that no half detour is
// lost to rounding when costs are divided between pieces.
std::vector<Distance> parities(const PieceDistances::Group& group) {
  const auto count = static_cast<std::size_t>(group.count);
  std::vector<int> found(count, -1);
  bool is_new = count > 0;
  if (is_new) found[0] = 0;
  while (is_new) {
    is_new = false;
    for (std::size_t at = 0; at < group.table.size(); at += count) {
      int of_row = -1;
      for (std::size_t j = 0; j < count && of_row < 0; ++j)
        if (found[j] >= 0 && group.table[at + j] != kFar) of_row = (group.table[at + j] + found[j]) % 2;
      if (of_row < 0) continue;
      for (std::size_t j = 0; j < count; ++j) {
        if (group.table[at + j] == kFar) continue;
        const int needed = (group.table[at + j] + of_row) % 2;
        if (found[j] < 0) found[j] = needed, is_new = true;
        if (found[j] != needed) return std::vector<Distance>(count, 0);
      }
    }
  }
  std::vector<Distance> all;
  for (int one : found) all.push_back(static_cast<Distance>(std::max(0, one)));
  return all;
}

}  // namespace

LocalPdbs::LocalPdbs(const Pieces& pieces, const PieceDistances& distances, int num_components, const PieceCube& start,
             const LocalPdbLimits& limits)
    : pieces_(pieces),
      distances_(distances),
      num_spots_(pieces.num_spots()),
      num_places_(pieces.num_places()),
      limits_(limits),
      start_(start),
      board_{pieces, distances, {}, {}, {}} {
  limits_.spots = std::min(limits.spots, LocalPdbProjection::kMostSpots);
  limits_.states = std::min({limits.states, limits.memory / (kLeastLocalPdbs * kBytesOfEntry),
                              LocalPdbTable::kMostEntries});
  applies_ = pieces.has_agent() && num_components == 1 && distances.scale() == 1 && pieces.goals.size() == 1 &&
             distances.alternatives().size() == 1 &&
             std::all_of(pieces.moves.begin(), pieces.moves.end(), [&](const PieceMove& move) {
               return move.deleted.size() == 1 && move.added.size() == 1 && distances.group_of(move.deleted[0]) >= 0 &&
                      distances.group_of(move.deleted[0]) == distances.group_of(move.added[0]);
             });
  if (!applies_) return;
  find_potentials();
  if (!applies_) return;
  find_links();
  find_reachable_spots();
}

void LocalPdbs::find_potentials() {
  const auto& groups = distances_.alternatives()[0].groups;
  std::int64_t most = 0;  // an upper bound on the absolute value of the sum of the potentials
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto count = static_cast<std::size_t>(groups[g].count);
    const std::vector<Distance> added = parities(groups[g]);
    Assignment assignment;
    assignment.resize(groups[g].count);
    std::vector<Distance> rows;
    for (int spot : pieces_.groups[g].spots) {
      if (!has(start_.true_spots.data(), spot) || rows.size() == count * count) continue;
      const Distance* row = &groups[g].table[static_cast<std::size_t>(distances_.row(spot, start_.place)) * count];
      for (std::size_t j = 0; j < count; ++j) rows.push_back(row[j] == kFar ? kFar : static_cast<Distance>(row[j] + added[j]));
    }
    for (std::size_t i = 0; i < rows.size(); i += count) assignment.row(static_cast<int>(i / count)) = &rows[i];
    if (rows.size() < count * count || assignment.solve() == kNever) {
      applies_ = false;
      return;
    }
    std::vector<int> prices = assignment.prices();
    for (std::size_t j = 0; j < count; ++j) prices[j] -= added[j];
    for (int price : prices) base_ += price;
    potentials_.emplace_back();
    int largest = 0;
    for (std::size_t at = 0; at < groups[g].table.size(); at += count) {
      int least = kUnreachable;
      for (std::size_t j = 0; j < count; ++j)
        if (groups[g].table[at + j] != kFar) least = std::min(least, groups[g].table[at + j] - prices[j]);
      potentials_.back().push_back(least);
      if (least < kUnreachable) largest = std::max(largest, std::abs(least));
    }
    most += static_cast<std::int64_t>(largest) * groups[g].count;
  }
  if (most + std::abs(base_) >= kUnreachable / 4) {  // a sum of potentials must not look like kUnreachable
    applies_ = false;
    return;
  }
  for (const PieceMove& move : pieces_.moves) {
    const int before = potential(move.deleted[0], move.from), after = potential(move.added[0], move.to);
    const PackedCost cost = std::min<PackedCost>(move.cost, kFar - 1);  // the cost in the unit of the distances
    board_.remaining_cost.push_back(before == kUnreachable || after == kUnreachable ? kUnreachable : static_cast<int>(cost) + after - before);
    FEWEST_ASSERT(board_.remaining_cost.back() >= 0, "no reduced cost is negative");
  }
}

void LocalPdbs::find_links() {
  links_.resize(num_spots_);
  board_.near_places.resize(num_places_);
  for (int place = 0; place < num_places_; ++place)
    for (const Walk& walk : pieces_.walks[place]) board_.near_places[place].push_back(walk.to);
  for (const PieceMove& move : pieces_.moves) {
    links_[move.deleted[0]].push_back(move.added[0]);
    links_[move.added[0]].push_back(move.deleted[0]);
    // A move outside a local PDB also changes the place of the agent.
    board_.near_places[move.from].push_back(move.to);
    board_.near_places[move.to].push_back(move.from);
  }
  for (auto* lists : {&links_, &board_.near_places})
    for (std::vector<int>& list : *lists) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
}

// Collects the spots that each piece could reach if there were no other pieces.
void LocalPdbs::find_reachable_spots() {
  std::vector<std::vector<int>> after(num_spots_);
  for (const PieceMove& move : pieces_.moves) after[move.deleted[0]].push_back(move.added[0]);
  for_each_fact(start_.true_spots.data(), pieces_.words(), [&](FactId first) {
    if (distances_.group_of(first) < 0) return;
    std::vector<char> comes(num_spots_, 0);
    std::vector<int> queue{first};
    comes[first] = 1;
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (int next : after[queue[i]])
        if (!comes[next]) comes[next] = 1, queue.push_back(next);
    board_.reachable.push_back(std::move(comes));
  });
}

// Returns at most `count` spots: `spot` and the spots that are the fewest links away from it.
std::vector<int> LocalPdbs::spots_around(int spot, int count) const {
  std::vector<int> found{spot};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (int next : links_[found[i]])
      if (static_cast<int>(found.size()) < count && std::find(found.begin(), found.end(), next) == found.end())
        found.push_back(next);
  return found;
}

// Returns a local PDB that contains these spots and further linked spots, or nullopt if even the first spot has too
// many states. If the given spots have too many states, the last ones are omitted. The function adds one linked spot
// after another until the limits allow no more. While the table has at most `tried` states, it adds the spot that gives
// the local PDB the highest score; ties are broken in favour of the smaller table. Once the table is larger, it adds
// the spot with the most links among those that fit.
std::optional<LocalPdbProjection> LocalPdbs::grown(std::vector<int> spots, std::size_t tried) {
  std::optional<LocalPdbProjection> local_pdb = projection_to(spots);
  for (; !local_pdb && spots.size() > 1; local_pdb = projection_to(spots)) spots.pop_back();
  while (local_pdb && static_cast<int>(local_pdb->spots().size()) < limits_.spots) {
    const bool is_large = local_pdb->num_states() > tried;
    std::optional<LocalPdbProjection> best;
    int most = -1;
    for (int next : beside(local_pdb->spots())) {
      std::vector<int> more = local_pdb->spots();
      more.push_back(next);
      std::optional<LocalPdbProjection> larger = projection_to(std::move(more));
      if (!larger) continue;
      const int here = score(*larger);
      if (here > most || (here == most && larger->num_states() < best->num_states()))
        best = std::move(larger), most = here;
      if (is_large) break;
    }
    if (!best) break;
    local_pdb = std::move(best);
  }
  return local_pdb;
}

// Returns the other spots that have links to these spots. The spots with the most links come first.
std::vector<int> LocalPdbs::beside(const std::vector<int>& spots) const {
  std::vector<int> num_links(num_spots_), found;
  for (int spot : spots)
    for (int next : links_[spot])
      if (num_links[next]++ == 0) found.push_back(next);
  std::erase_if(found, [&](int next) { return std::find(spots.begin(), spots.end(), next) != spots.end(); });
  std::stable_sort(found.begin(), found.end(), [&](int a, int b) { return num_links[a] > num_links[b]; });
  return found;
}

int LocalPdbs::score(const LocalPdbProjection& local_pdb) const {
  int all = local_pdb.detours(start_);
  for (const PieceCube& state : samples_) all += std::min(kMostScore, local_pdb.detours(state));
  return all;
}

std::optional<LocalPdbProjection> LocalPdbs::projection_to(std::vector<int> spots) {
  return LocalPdbProjection::filled(board_, std::move(spots), limits_.states, num_filled_);
}

// Stores a local PDB, subtracts its share from the costs of the moves, and drops the samples that it proves dead.
void LocalPdbs::take(LocalPdbProjection local_pdb) {
  std::erase_if(samples_, [&](const PieceCube& state) { return local_pdb.detours(state) == LocalPdbTable::kDead; });
  local_pdb.for_each_saving([&](int move, int detours) {
    board_.remaining_cost[move] -= detours;
    FEWEST_ASSERT(board_.remaining_cost[move] >= 0, "all local PDBs together use at most the reduced cost of a move");
  });
  const int number = num_local_pdbs();
  bits_.resize(bits_.size() + num_spots_, 0);
  for (std::size_t i = 0; i < local_pdb.spots().size(); ++i) {
    local_pdbs_at_[local_pdb.spots()[i]].push_back(number);
    bits_[static_cast<std::size_t>(number) * num_spots_ + local_pdb.spots()[i]] = Word{1} << i;
  }
  local_pdb.free_moves();
  local_pdbs_.push_back(std::move(local_pdb));
}

Status LocalPdbs::build(Control& control, std::vector<PieceCube> samples) {
  samples_ = std::move(samples);
  local_pdbs_at_.resize(num_spots_);
  const auto stop_check = [&] { return control.check(0, 0, 0, [this] { return bytes(); }); };
  // Seeds are ordered by score. Scores can only decrease as other local PDBs use parts of the costs, so the score of a
  // seed is updated only when the seed reaches the front of the queue.
  struct Seed {
    int score, round, spot;
    bool operator<(const Seed& other) const {
      return score != other.score ? score < other.score : spot > other.spot;
    }
  };
  std::priority_queue<Seed> seeds;
  std::vector<std::vector<int>> around(num_spots_);
  const int every = 1 + num_spots_ / kMostSeeds;
  for (int spot = 0; spot < num_spots_; spot += every) {
    if (distances_.group_of(spot) < 0) continue;
    around[spot] = spots_around(spot, std::min(kSeed, limits_.spots));
    seeds.push({kUnreachable, -1, spot});
  }
  int round = 0;
  const auto add = [&](int spot, std::size_t tried) {
    std::optional<LocalPdbProjection> local_pdb = grown(around[spot], tried);
    if (!local_pdb || bytes() + local_pdb->bytes() > limits_.memory) return false;
    take(std::move(*local_pdb));
    ++round;
    return num_filled_ < limits_.filled;
  };
  while (!seeds.empty()) {
    if (const Status status = stop_check(); status != Status::running) return status;
    Seed seed = seeds.top();
    seeds.pop();
    if (seed.round < round) {
      const std::optional<LocalPdbProjection> local_pdb = projection_to(around[seed.spot]);
      seed.score = local_pdb ? score(*local_pdb) : 0;
      seed.round = round;
      if (seed.score > 0) seeds.push(seed);
      continue;
    }
    if (!add(seed.spot, kTriedStates)) return Status::running;
  }
  // Seeds at spots that are not in any local PDB yet are used, too, although each of them has a score of zero. As the
  // local PDB grows, the score may become positive, and some of its states may prove to be dead.
  for (int spot = 0; spot < num_spots_; ++spot) {
    if (around[spot].empty() || !local_pdbs_at_[spot].empty()) continue;
    if (const Status status = stop_check(); status != Status::running) return status;
    if (!add(spot, 0)) break;
  }
  return Status::running;
}

std::size_t LocalPdbs::bytes() const {
  std::size_t all = 0;
  for (const LocalPdbProjection& local_pdb : local_pdbs_) all += local_pdb.bytes();
  return all;
}

}  // namespace fewest
