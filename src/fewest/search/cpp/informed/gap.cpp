#include "informed/gap.hpp"

#include <algorithm>

namespace fewest {

Gap::Gap(const Pieces& pieces, const Problem& problem) {
  std::vector<int> spot_of(problem.num_facts, -1);
  for (int spot = 0; spot < pieces.num_spots(); ++spot) spot_of[pieces.spots[spot]] = spot;
  covers.assign(pieces.num_spots(), 0);
  steps.resize(pieces.moves.size());
  int num_cells = 0;
  for (const auto& facts : problem.at_most_one) {
    bool is_full = false, has_spot = false;
    for (FactId fact : facts) {
      has_spot = has_spot || spot_of[fact] >= 0;
      is_full = is_full || (spot_of[fact] < 0 && pieces.is_true_at_start(fact));
    }
    if (!has_spot || is_full) continue;
    if (num_cells == 64) {
      std::fill(covers.begin(), covers.end(), 0);
      return;
    }
    for (FactId fact : facts)
      if (spot_of[fact] >= 0) covers[spot_of[fact]] |= Word{1} << num_cells;
    ++num_cells;
  }
  int empty = num_cells;
  for_each_fact(pieces.initial.data(), pieces.words(),
                [&](FactId spot) { empty -= std::popcount(covers[spot]); });
  std::vector<Step> found;
  bool is_unchanged = empty == 1;
  for (const PieceMove& move : pieces.moves) {
    Word before = 0, after = 0;
    int change = 0;
    for (int spot : move.deleted) before |= covers[spot], change -= std::popcount(covers[spot]);
    for (int spot : move.added) after |= covers[spot], change += std::popcount(covers[spot]);
    is_unchanged = is_unchanged && change == 0;
    found.push_back({after & ~before, before & ~after, std::popcount(after & ~before) <= 1});
  }
  if (!is_unchanged) return;
  exists = true;
  cells = num_cells == 64 ? ~Word{0} : (Word{1} << num_cells) - 1;
  steps = std::move(found);
}

}  // namespace fewest
