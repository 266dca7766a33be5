#include "informed/piece_distances.hpp"

#include <algorithm>
#include <numeric>

#include "informed/backward_search.hpp"

namespace fewest {

namespace {

constexpr std::size_t kMaxAlternatives = 8;
constexpr int kMaxScale = 12;

int num_moved(const PieceMove& move, const std::vector<int>& group_of) {
  int moved = 0;
  for (int spot : move.deleted) moved += group_of[spot] >= 0;
  return moved;
}

}  // namespace

PieceDistances::PieceDistances(const Pieces& pieces, int num_components, int component)
    : pieces_(pieces),
      num_places_(pieces.num_places()),
      num_groups_(static_cast<int>(pieces.groups.size())) {
  group_of_.assign(pieces.num_spots(), -1);
  first_row_.assign(pieces.num_spots(), 0);
  for (int g = 0; g < num_groups_; ++g)
    for (int spot : pieces.groups[g].spots) group_of_[spot] = g;
  find_parts();
  for (const PieceMove& move : pieces.moves) {
    const int moved = num_moved(move, group_of_);
    if (moved > 1 && std::lcm(scale_, moved) <= kMaxScale) scale_ = std::lcm(scale_, moved);
  }
  for (int rows : num_rows_) into_.emplace_back(rows);
  for (const PieceMove& move : pieces.moves) {
    const int moved = num_moved(move, group_of_);
    const PackedCost weight =
        num_components == 1 ? move.cost : component == 0 ? move.cost >> 32 : move.cost & 0xffffffffu;
    for (int from : move.deleted)
      for (int to : move.added) {
        if (group_of_[from] < 0 || group_of_[from] != group_of_[to]) continue;
        FEWEST_ASSERT(moved > 0, "a move of a piece counts at least this piece");
        const PackedCost share = weight * static_cast<PackedCost>(scale_) / static_cast<PackedCost>(moved);
        into_[group_of_[from]][row(to, move.to)].push_back(
            {row(from, move.from), static_cast<Distance>(std::min<PackedCost>(share, kFar - 1))});
      }
  }
  std::vector<const PieceCube*> goals;
  for (const PieceCube& goal : pieces.goals) goals.push_back(&goal);
  if (goals.size() <= kMaxAlternatives)
    for (const PieceCube* goal : goals) add_alternative({goal});
  else
    add_alternative(goals);
}

// Numbers the rows. Each spot has one row for each connected part of the places that remain open when a piece is on the
// spot.
void PieceDistances::find_parts() {
  num_rows_.assign(num_groups_, 0);
  part_.assign(static_cast<std::size_t>(pieces_.num_spots()) * num_places_, 0);
  std::vector<std::pair<int, int>> jumps;  // the agent's places before and after a move
  for (const PieceMove& move : pieces_.moves)
    if (move.from != move.to) jumps.emplace_back(move.from, move.to);
  std::sort(jumps.begin(), jumps.end());
  jumps.erase(std::unique(jumps.begin(), jumps.end()), jumps.end());
  std::vector<std::vector<int>> near(num_places_);
  for (int place = 0; place < num_places_; ++place)
    for (const Walk& walk : pieces_.walks[place]) near[place].push_back(walk.to);
  for (const auto& [a, b] : jumps) {
    near[a].push_back(b);
    near[b].push_back(a);
  }
  std::vector<int> part(num_places_), queue;
  for (int spot = 0; spot < pieces_.num_spots(); ++spot) {
    if (group_of_[spot] < 0) continue;
    std::fill(part.begin(), part.end(), -1);
    for (int place : pieces_.blocks[spot]) part[place] = -2;
    int num_parts = 0;
    for (int start = 0; start < num_places_; ++start) {
      if (part[start] != -1) continue;
      queue.assign(1, start);
      part[start] = num_parts;
      for (std::size_t i = 0; i < queue.size(); ++i)
        for (int place : near[queue[i]])
          if (part[place] == -1) {
            part[place] = num_parts;
            queue.push_back(place);
          }
      // If there are more parts than a byte can number, the remaining parts share the last number, which relaxes the
      // projection further.
      num_parts = std::min(num_parts + 1, 255);
    }
    first_row_[spot] = num_rows_[group_of_[spot]];
    FEWEST_ASSERT(num_parts <= 255, "the number of a part fits into a byte");
    num_rows_[group_of_[spot]] += std::max(1, std::min(num_parts + 1, 256));
    for (int place = 0; place < num_places_; ++place)
      part_[static_cast<std::size_t>(spot) * num_places_ + place] =
          static_cast<std::uint8_t>(std::max(part[place], 0));
  }
}

void PieceDistances::add_alternative(const std::vector<const PieceCube*>& goals) {
  Alternative alternative;
  for (int g = 0; g < num_groups_; ++g) {
    Group group;
    group.count = pieces_.groups[g].count;
    std::vector<int> wanted;
    bool all_want = true;
    for (const PieceCube* goal : goals) {
      const std::size_t before = wanted.size();
      for (int spot : pieces_.groups[g].spots)
        if (has(goal->true_spots.data(), spot)) wanted.push_back(spot);
      all_want = all_want && wanted.size() > before;
    }
    group.table.assign(static_cast<std::size_t>(num_rows_[g]) * group.count, 0);
    const auto fill = [&](int column, const std::vector<Distance>& distances) {
      for (int row = 0; row < num_rows_[g]; ++row)
        group.table[static_cast<std::size_t>(row) * group.count + column] = distances[row];
    };
    if (goals.size() > 1) {  // a single piece may go to any of these spots; there is no bound for several pieces
      if (group.count == 1 && all_want) {
        group.is_complete = true;
        fill(0, distances_to(g, wanted));
      }
    } else {
      if (static_cast<int>(wanted.size()) > group.count) return;  // too few pieces: this goal is impossible
      group.is_complete = static_cast<int>(wanted.size()) == group.count;
      group.goal_spots = wanted;
      for (std::size_t column = 0; column < wanted.size(); ++column)
        fill(static_cast<int>(column), distances_to(g, {wanted[column]}));
    }
    alternative.groups.push_back(std::move(group));
  }
  alternatives_.push_back(std::move(alternative));
}

struct PieceDistances::Rows {
  using AbstractState = int;

  template <class Push>
  void goals(Push push) {
    for (int row : goal_rows) reach(row, 0, push);
  }

  template <class Push>
  bool expand(int row, unsigned cost, Push push) {
    if (cost > distance[row]) return true;  // already expanded at a lower cost
    for (const Edge& edge : into[row]) reach(edge.from, std::min<unsigned>(cost + edge.cost, kFar - 1), push);
    return true;
  }

  template <class Push>
  void reach(int row, unsigned cost, Push push) {
    if (cost >= distance[row]) return;
    distance[row] = static_cast<Distance>(cost);
    push(cost, row);
  }

  const std::vector<std::vector<Edge>>& into;
  std::vector<int> goal_rows;
  std::vector<Distance> distance;
};

std::vector<Distance> PieceDistances::distances_to(int group, const std::vector<int>& spots) const {
  Rows rows{into_[group], {}, std::vector<Distance>(num_rows_[group], kFar)};
  for (int spot : spots) {
    int last = first_row_[spot];
    for (int place = 0; place < num_places_; ++place) last = std::max(last, row(spot, place));
    for (int at = first_row_[spot]; at <= last; ++at) rows.goal_rows.push_back(at);
  }
  HeapQueue<int> queue;
  backward_search(rows, queue);
  if constexpr (kHasAssertions)
    for (int to = 0; to < num_rows_[group]; ++to)
      for (const Edge& edge : into_[group][to])
        FEWEST_ASSERT(rows.distance[to] == kFar ||
                          rows.distance[edge.from] <= std::min(kFar - 1, rows.distance[to] + edge.cost),
                      "a move decreases the distance by at most its cost");
  return std::move(rows.distance);
}

bool PieceDistances::is_dead(const PieceMove& move) const {
  return std::all_of(alternatives_.begin(), alternatives_.end(), [&](const Alternative& alternative) {
    return std::any_of(move.added.begin(), move.added.end(), [&](int spot) {
      const int g = group_of_[spot];
      if (g < 0 || !alternative.groups[g].is_complete) return false;
      const int count = alternative.groups[g].count;
      const Distance* from = &alternative.groups[g].table[static_cast<std::size_t>(row(spot, move.to)) * count];
      return std::all_of(from, from + count, [](Distance d) { return d == kFar; });
    });
  });
}

}  // namespace fewest
