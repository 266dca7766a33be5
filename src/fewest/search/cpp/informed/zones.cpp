#include "informed/zones.hpp"

#include <algorithm>
#include <queue>

#include "informed/assignment.hpp"

namespace fewest {

namespace {

constexpr int kSeed = 12;             // spots that a zone begins with
constexpr std::size_t kLookedAt = 15;  // spots of zones that are all tried
constexpr std::size_t kUsualNodes = 32, kLeastZones = 4;

}  // namespace

Zones::Zones(const Pieces& pieces, const PieceDistances& distances, int num_components, const PieceCube& start,
             int most_spots, std::size_t memory)
    : pieces_(pieces),
      distances_(distances),
      num_spots_(pieces.num_spots()),
      num_places_(pieces.num_places()),
      most_spots_(std::min(most_spots, kMostSpots)),
      memory_(memory),
      start_(start) {
  applies_ = pieces.has_agent() && num_components == 1 && distances.scale() == 1 && pieces.goals.size() == 1 &&
             distances.alternatives().size() == 1 &&
             std::all_of(pieces.moves.begin(), pieces.moves.end(), [&](const PieceMove& move) {
               return move.deleted.size() == 1 && move.added.size() == 1 && distances.group_of(move.deleted[0]) >= 0 &&
                      distances.group_of(move.deleted[0]) == distances.group_of(move.added[0]);
             });
  if (!applies_) return;
  while (most_spots_ > kSeed && (kUsualNodes * kLeastZones << most_spots_) > memory) --most_spots_;
  for (const PieceGroup& group : pieces.groups) num_pieces_ += group.count;
  find_potentials(start);
  if (applies_) find_links();
}

void Zones::find_potentials(const PieceCube& start) {
  const auto& groups = distances_.alternatives()[0].groups;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto count = static_cast<std::size_t>(groups[g].count);
    Assignment assignment;
    assignment.resize(groups[g].count);
    int row = 0;
    for (int spot : pieces_.groups[g].spots)
      if (has(start.true_spots.data(), spot) && row < groups[g].count)
        assignment.row(row++) = &groups[g].table[static_cast<std::size_t>(distances_.row(spot, start.place)) * count];
    if (row < groups[g].count || assignment.solve() == kNever) {
      applies_ = false;
      return;
    }
    const std::vector<int>& prices = assignment.prices();
    for (int price : prices) base_ += price;
    potentials_.emplace_back();
    for (std::size_t at = 0; at < groups[g].table.size(); at += count) {
      int least = kNoWay;
      for (std::size_t j = 0; j < count; ++j)
        if (groups[g].table[at + j] != kFar) least = std::min(least, groups[g].table[at + j] - prices[j]);
      potentials_.back().push_back(least);
    }
  }
  for (const PieceMove& move : pieces_.moves) {
    const int before = potential(move.deleted[0], move.from), after = potential(move.added[0], move.to);
    const PackedCost cost = std::min<PackedCost>(move.cost, kFar - 1);  // as distances have it
    left_.push_back(before == kNoWay || after == kNoWay ? kNoWay : static_cast<int>(cost) + after - before);
  }
}

void Zones::find_links() {
  links_.resize(num_spots_);
  near_places_.resize(num_places_);
  for (int place = 0; place < num_places_; ++place)
    for (const Walk& walk : pieces_.walks[place]) near_places_[place].push_back(walk.to);
  for (const PieceMove& move : pieces_.moves) {
    links_[move.deleted[0]].push_back(move.added[0]);
    links_[move.added[0]].push_back(move.deleted[0]);
    // Of a move outside a zone: the agent goes along.
    near_places_[move.from].push_back(move.to);
    near_places_[move.to].push_back(move.from);
  }
  for (auto* lists : {&links_, &near_places_})
    for (std::vector<int>& list : *lists) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
}

// The nearest ones, itself included.
std::vector<int> Zones::spots_around(int spot, int count) const {
  std::vector<int> found{spot};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (int next : links_[found[i]])
      if (static_cast<int>(found.size()) < count && std::find(found.begin(), found.end(), next) == found.end())
        found.push_back(next);
  return found;
}

// One spot after the other, of those that have links to them: while tables are small the one with which the zone is worth
// most, then, or of several, the one with the most links.
void Zones::grow(std::vector<int>& spots) const {
  std::vector<int> num_links(num_spots_), beside;
  while (static_cast<int>(spots.size()) < most_spots_) {
    beside.clear();
    std::fill(num_links.begin(), num_links.end(), 0);
    for (int spot : spots)
      for (int next : links_[spot])
        if (num_links[next]++ == 0) beside.push_back(next);
    std::erase_if(beside, [&](int next) { return std::find(spots.begin(), spots.end(), next) != spots.end(); });
    if (beside.empty()) return;
    const auto worth_with = [&](int next) {
      if (spots.size() >= kLookedAt) return 0;
      spots.push_back(next);
      const Zone zone = zone_of(spots);
      spots.pop_back();
      return zone.spots.empty() ? 0 : worth(zone);
    };
    int best = -1;
    std::pair<int, int> most;
    for (int next : beside) {
      const std::pair here{worth_with(next), num_links[next]};
      if (best < 0 || here > most) best = next, most = here;
    }
    spots.push_back(best);
  }
}

// Nodes and steps. False: there are too many nodes.
bool Zones::lay_out(Zone& zone) const {
  std::vector<std::uint32_t> blocked(num_places_, 0), bit(num_spots_, 0);
  for (std::size_t i = 0; i < zone.spots.size(); ++i) {
    bit[zone.spots[i]] = std::uint32_t{1} << i;
    for (int place : pieces_.blocks[zone.spots[i]]) blocked[place] |= std::uint32_t{1} << i;
  }
  std::vector<int> node(num_places_, -1), queue;
  for (int first = 0; first < num_places_; ++first) {
    if (node[first] >= 0) continue;
    if (zone.num_nodes == kMostNodes) return false;
    zone.blocked.push_back(blocked[first]);
    node[first] = zone.num_nodes;
    queue.assign(1, first);
    for (std::size_t i = 0; i < queue.size() && blocked[first] == 0; ++i)
      for (int place : near_places_[queue[i]])
        if (node[place] < 0 && blocked[place] == 0) {
          node[place] = zone.num_nodes;
          queue.push_back(place);
        }
    ++zone.num_nodes;
  }
  zone.node_of.assign(node.begin(), node.end());
  for (int at = 0; at < zone.num_nodes; ++at) zone.near.push_back(Word{1} << at);
  for (int place = 0; place < num_places_; ++place)
    for (int next : near_places_[place]) {
      zone.near[node[place]] |= Word{1} << node[next];
      zone.near[node[next]] |= Word{1} << node[place];
    }
  zone.steps_to.resize(zone.num_nodes);
  for (std::size_t m = 0; m < pieces_.moves.size(); ++m) {
    const PieceMove& move = pieces_.moves[m];
    Step step;
    step.flip = bit[move.deleted[0]] | bit[move.added[0]];
    if (step.flip == 0 || left_[m] == kNoWay) continue;
    for (std::size_t i = 0; i < zone.spots.size(); ++i) {
      const std::uint32_t one = std::uint32_t{1} << i;
      if (has(move.true_spots.data(), zone.spots[i])) step.asked |= one, step.value |= one;
      if (has(move.false_spots.data(), zone.spots[i])) step.asked |= one;
    }
    step.from = node[move.from];
    step.to = node[move.to];
    step.cost = left_[m];
    step.move = static_cast<int>(m);
    zone.steps_to[step.to].push_back(static_cast<int>(zone.steps.size()));
    zone.steps.push_back(step);
  }
  return true;
}

bool Zones::is_goal(const Zone& zone, std::uint32_t code) const {
  const PieceCube& goal = pieces_.goals[0];
  for (std::size_t i = 0; i < zone.spots.size(); ++i) {
    const int spot = zone.spots[i];
    const bool is_true = code >> i & 1;
    if (!is_true && has(goal.true_spots.data(), spot)) return false;
    if (!is_true) continue;
    if (has(goal.false_spots.data(), spot)) return false;
    const int g = distances_.group_of(spot);
    if (g >= 0 && distances_.alternatives()[0].groups[g].is_complete && !has(goal.true_spots.data(), spot)) return false;
  }
  return true;
}

// The nodes that the agent can walk to.
Word Zones::region(const Zone& zone, std::uint32_t code, int node) const {
  Word reached = Word{1} << node;
  for (Word frontier = reached; frontier != 0;) {
    Word found = 0;
    for_each_bit(frontier, [&](int at) { found |= zone.near[at]; });
    found &= ~reached;
    frontier = 0;
    for_each_bit(found, [&](int at) {
      if ((zone.blocked[at] & code) == 0) frontier |= Word{1} << at;
    });
    reached |= frontier;
  }
  return reached;
}

// Dial's algorithm, backwards; all nodes of a region at once.
void Zones::fill(Zone& zone) const {
  const std::uint32_t num_codes = std::uint32_t{1} << zone.spots.size();
  const auto nodes = static_cast<std::uint32_t>(zone.num_nodes);
  zone.table.assign(static_cast<std::size_t>(num_codes) * nodes, kLost);
  std::vector<std::vector<std::uint32_t>> buckets(kMostDetours + 1);
  const PieceCube& goal = pieces_.goals[0];
  for (std::uint32_t code = 0; code < num_codes; ++code) {
    if (std::popcount(code) > num_pieces_ || !is_goal(zone, code)) continue;
    for (std::uint32_t node = 0; node < nodes; ++node)
      if ((zone.blocked[node] & code) == 0 && (goal.place < 0 || zone.node_of[goal.place] == node))
        buckets[0].push_back(code * nodes + node);
  }
  for (int cost = 0; cost <= kMostDetours; ++cost) {
    for (std::size_t i = 0; i < buckets[cost].size(); ++i) {
      const std::uint32_t entry = buckets[cost][i], code = entry / nodes;
      if (zone.table[entry] != kLost) continue;
      for_each_bit(region(zone, code, static_cast<int>(entry % nodes)), [&](int node) {
        zone.table[code * nodes + static_cast<std::uint32_t>(node)] = static_cast<std::uint8_t>(cost);
        for (int s : zone.steps_to[node]) {
          const Step& step = zone.steps[s];
          const std::uint32_t before = code ^ step.flip;
          if ((before & step.asked) != step.value || (zone.blocked[step.from] & before) != 0) continue;
          const std::uint32_t from = before * nodes + static_cast<std::uint32_t>(step.from);
          if (zone.table[from] != kLost || std::popcount(before) > num_pieces_) continue;
          buckets[std::min<int>(kMostDetours, cost + step.cost)].push_back(from);
        }
      });
    }
    buckets[cost] = {};
  }
}

// The detours from the start.
int Zones::worth(const Zone& zone) const {
  std::uint32_t code = 0;
  for (std::size_t i = 0; i < zone.spots.size(); ++i)
    code |= static_cast<std::uint32_t>(has(start_.true_spots.data(), zone.spots[i])) << i;
  const auto at = [&](int node) { return zone.table[static_cast<std::size_t>(code) * zone.num_nodes + node]; };
  if (start_.place >= 0) return at(zone.node_of[start_.place]);
  int least = kLost;
  for (int node = 0; node < zone.num_nodes; ++node) least = std::min<int>(least, at(node));
  return least;
}

// With its table; without spots where it has too many nodes.
Zones::Zone Zones::zone_of(std::vector<int> spots) const {
  Zone zone;
  zone.spots = std::move(spots);
  if (lay_out(zone))
    fill(zone);
  else
    zone.spots.clear();
  return zone;
}

// Keeps it, and takes what it needs of the costs.
void Zones::take(Zone zone) {
  const std::uint32_t num_codes = std::uint32_t{1} << zone.spots.size();
  const auto nodes = static_cast<std::uint32_t>(zone.num_nodes);
  for (const Step& step : zone.steps) {
    int most = 0;
    for (std::uint32_t code = 0; code < num_codes && most < step.cost; ++code) {
      if ((code & step.asked) != step.value || (zone.blocked[step.from] & code) != 0) continue;
      const int before = zone.table[code * nodes + static_cast<std::uint32_t>(step.from)];
      const int after = zone.table[(code ^ step.flip) * nodes + static_cast<std::uint32_t>(step.to)];
      if (before != kLost && after != kLost) most = std::max(most, before - after);
    }
    left_[step.move] -= most;
  }
  const int number = num_zones();
  bits_.resize(bits_.size() + num_spots_, 0);
  for (std::size_t i = 0; i < zone.spots.size(); ++i) {
    zones_at_[zone.spots[i]].push_back(number);
    bits_[static_cast<std::size_t>(number) * num_spots_ + zone.spots[i]] = std::uint32_t{1} << i;
  }
  zone.steps.clear();
  zone.steps_to.clear();
  zones_.push_back(std::move(zone));
}

Status Zones::build(Control& control) {
  zones_at_.resize(num_spots_);
  const auto asked = [&] { return control.check(0, 0, 0, [this] { return bytes(); }); };
  // Seeds by what they are worth at the start, which only falls when others have taken: looked at again when it is
  // their turn.
  struct Seed {
    int worth, round, spot;
    bool operator<(const Seed& other) const {
      return worth != other.worth ? worth < other.worth : spot > other.spot;
    }
  };
  std::priority_queue<Seed> seeds;
  std::vector<std::vector<int>> around(num_spots_);
  for (int spot = 0; spot < num_spots_; ++spot) {
    if (distances_.group_of(spot) < 0) continue;
    around[spot] = spots_around(spot, std::min(kSeed, most_spots_));
    seeds.push({kLost + 1, -1, spot});
  }
  int round = 0;
  const auto add = [&](int spot) {
    std::vector<int> spots = around[spot];
    grow(spots);
    Zone zone = zone_of(spots);
    for (; zone.spots.empty() && spots.size() > 1; zone = zone_of(spots)) spots.pop_back();
    if (zone.spots.empty() || bytes() + zone.table.size() > memory_) return false;
    take(std::move(zone));
    ++round;
    return true;
  };
  while (!seeds.empty()) {
    if (const Status status = asked(); status != Status::running) return status;
    Seed seed = seeds.top();
    seeds.pop();
    if (seed.round < round) {
      const Zone zone = zone_of(around[seed.spot]);
      seed.worth = zone.spots.empty() ? 0 : worth(zone);
      seed.round = round;
      if (seed.worth > 0) seeds.push(seed);
      continue;
    }
    if (!add(seed.spot)) break;
  }
  // What is worth nothing at the start may be later.
  for (int spot = 0; spot < num_spots_; ++spot) {
    if (around[spot].empty() || !zones_at_[spot].empty()) continue;
    if (const Status status = asked(); status != Status::running) return status;
    if (!add(spot)) break;
  }
  return Status::running;
}

std::size_t Zones::bytes() const {
  std::size_t all = 0;
  for (const Zone& zone : zones_) all += zone.table.size();
  return all;
}

}  // namespace fewest
