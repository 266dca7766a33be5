#include "informed/walk_heuristic.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace fewest {

WalkHeuristic::WalkHeuristic(const Pieces& pieces, const std::vector<int>& numbers) {
  if (!pieces.has_agent() || pieces.walk_cost == 0 || numbers.empty()) return;
  int width = 1;
  for (int place = 0; place < pieces.num_places(); ++place)
    for (const Walk& walk : pieces.walks[place])
      width = std::max(width, std::abs(numbers[pieces.places[walk.to]] - numbers[pieces.places[place]]));
  const auto of = [&](FactId fact) { return Displacement{numbers[fact] / width, numbers[fact] % width}; };
  for (FactId fact : pieces.places) places_.push_back(of(fact));
  for (FactId fact : pieces.spots) spots_.push_back(of(fact));
  applies_ = holds(pieces) && find_targets(pieces) && fill(pieces);
}

bool WalkHeuristic::holds(const Pieces& pieces) const {
  for (int place = 0; place < pieces.num_places(); ++place)
    for (const Walk& walk : pieces.walks[place])
      if (std::abs(places_[walk.to].row - places_[place].row) +
              std::abs(places_[walk.to].column - places_[place].column) > 1)
        return false;
  return std::all_of(pieces.moves.begin(), pieces.moves.end(), [&](const PieceMove& move) {
    int row = places_[move.from].row - places_[move.to].row;
    int column = places_[move.from].column - places_[move.to].column;
    for (int spot : move.added) row += spots_[spot].row, column += spots_[spot].column;
    for (int spot : move.deleted) row -= spots_[spot].row, column -= spots_[spot].column;
    return row == 0 && column == 0;
  });
}

bool WalkHeuristic::find_targets(const Pieces& pieces) {
  std::size_t num_grouped = 0;
  for (const PieceGroup& group : pieces.groups) num_grouped += group.spots.size();
  if (num_grouped != pieces.spots.size()) return false;
  for (const PieceCube& goal : pieces.goals) {
    Displacement sum;
    int num_wanted = 0, num_pieces = 0;
    for_each_fact(goal.true_spots.data(), pieces.words(), [&](FactId spot) {
      sum.row += spots_[spot].row;
      sum.column += spots_[spot].column;
      ++num_wanted;
    });
    for (const PieceGroup& group : pieces.groups) num_pieces += group.count;
    if (num_wanted != num_pieces) return false;
    const auto add_target = [&](int place) {
      targets_.push_back({places_[place].row - sum.row, places_[place].column - sum.column});
    };
    if (goal.place >= 0) {
      add_target(goal.place);
      continue;
    }
    for (const PieceMove& move : pieces.moves)
      if (std::any_of(move.added.begin(), move.added.end(),
                      [&](int spot) { return has(goal.true_spots.data(), spot); }))
        add_target(move.to);
  }
  const auto key = [](const Displacement& b) { return std::pair(b.row, b.column); };
  std::sort(targets_.begin(), targets_.end(),
            [&](const Displacement& a, const Displacement& b) { return key(a) < key(b); });
  targets_.erase(std::unique(targets_.begin(), targets_.end(),
                             [&](const Displacement& a, const Displacement& b) { return key(a) == key(b); }),
                 targets_.end());
  return !targets_.empty();
}

bool WalkHeuristic::fill(const Pieces& pieces) {
  constexpr std::size_t kMaxEntries = std::size_t{1} << 20;
  const auto range = [&](auto part) {
    int least = part(places_[0]), most = least;
    for (const Displacement& place : places_) {
      least = std::min(least, part(place));
      most = std::max(most, part(place));
    }
    for (const PieceGroup& group : pieces.groups) {
      int low = part(spots_[group.spots[0]]), high = low;
      for (int spot : group.spots) {
        low = std::min(low, part(spots_[spot]));
        high = std::max(high, part(spots_[spot]));
      }
      least -= high * group.count;
      most -= low * group.count;
    }
    return std::pair(least, most - least + 1);
  };
  std::tie(least_.row, size_.row) = range([](const Displacement& b) { return b.row; });
  std::tie(least_.column, size_.column) = range([](const Displacement& b) { return b.column; });
  const std::size_t entries = static_cast<std::size_t>(size_.row) * size_.column;
  if (entries > kMaxEntries || entries * targets_.size() > 64 * kMaxEntries) return false;
  table_.assign(entries, 0);
  // A forward sweep and a backward sweep compute the distances to the targets, in steps along one coordinate. The
  // distances are capped, so that the cost of these steps has at most 31 bits in each part of the metric.
  const PackedCost dearest = std::max(pieces.walk_cost >> 32, pieces.walk_cost & 0xffffffffu);
  const auto all_steps = static_cast<PackedCost>(size_.row + size_.column);
  const PackedCost far = std::min<PackedCost>({all_steps, 0xfffe, 0x7fffffff / dearest});
  std::fill(table_.begin(), table_.end(), static_cast<std::uint16_t>(far));
  const auto at = [&](int row, int column) -> std::uint16_t& {
    return table_[static_cast<std::size_t>(row) * size_.column + column];
  };
  for (const Displacement& target : targets_) {
    const int row = target.row - least_.row, column = target.column - least_.column;
    if (row >= 0 && column >= 0 && row < size_.row && column < size_.column) at(row, column) = 0;
  }
  const auto carry = [&](int row, int column, int from_row, int from_column) {
    if (from_row < 0 || from_column < 0 || from_row >= size_.row || from_column >= size_.column) return;
    at(row, column) = std::min<std::uint16_t>(at(row, column),
                                              static_cast<std::uint16_t>(at(from_row, from_column) + 1));
  };
  for (int row = 0; row < size_.row; ++row)
    for (int column = 0; column < size_.column; ++column) {
      carry(row, column, row - 1, column);
      carry(row, column, row, column - 1);
    }
  for (int row = size_.row - 1; row >= 0; --row)
    for (int column = size_.column - 1; column >= 0; --column) {
      carry(row, column, row + 1, column);
      carry(row, column, row, column + 1);
    }
  if constexpr (kHasAssertions)
    for (int row = 0; row < size_.row; ++row)
      for (int column = 0; column < size_.column; ++column)
        FEWEST_ASSERT((row == 0 || std::abs(at(row, column) - at(row - 1, column)) <= 1) &&
                          (column == 0 || std::abs(at(row, column) - at(row, column - 1)) <= 1),
                      "a step changes the bound by at most one");
  return true;
}

}  // namespace fewest
