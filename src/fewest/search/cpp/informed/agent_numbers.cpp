#include <algorithm>

#include "informed/agent_regions.hpp"

namespace fewest {

namespace {

// Gives each area one bit, and each place that a piece may block its own bit.
PlaceNumbers number_areas(const Pieces& pieces) {
  const int count = pieces.num_places();
  std::vector<char> may_be(pieces.num_spots(), 0), is_hindered(count, 0);
  const auto note = [&](int spot) { may_be[spot] = 1; };
  for_each_fact(pieces.initial.data(), pieces.words(), note);
  for (const PieceCube& goal : pieces.goals) for_each_fact(goal.true_spots.data(), pieces.words(), note);
  for (const PieceMove& move : pieces.moves) {
    std::for_each(move.deleted.begin(), move.deleted.end(), note);
    std::for_each(move.added.begin(), move.added.end(), note);
  }
  for (int spot = 0; spot < pieces.num_spots(); ++spot)
    if (may_be[spot])
      for (int place : pieces.blocks[spot]) is_hindered[place] = 1;
  PlaceNumbers numbers;
  numbers.bit_of.assign(count, -1);
  for (int first = 0; first < count; ++first) {
    if (numbers.bit_of[first] >= 0) continue;
    std::vector<int> area{first};
    numbers.bit_of[first] = numbers.num_bits;
    for (std::size_t i = 0; i < area.size() && !is_hindered[first]; ++i)
      for (const Walk& walk : pieces.walks[area[i]])
        if (numbers.bit_of[walk.to] < 0 && !is_hindered[walk.to]) {
          numbers.bit_of[walk.to] = numbers.num_bits;
          area.push_back(walk.to);
        }
    ++numbers.num_bits;
  }
  return numbers;
}

}  // namespace

PlaceNumbers number_places(const Pieces& pieces, const std::vector<int>& hint) {
  constexpr std::size_t kMaxDifferences = 8;
  constexpr int kFewAreas = 256;  // with more areas than this, shifts over the open places are faster
  const auto differences_of = [&](const std::vector<int>& bit_of) {
    std::vector<int> found;
    for (int place = 0; place < pieces.num_places(); ++place)
      for (const Walk& walk : pieces.walks[place]) found.push_back(bit_of[walk.to] - bit_of[place]);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    if (found.size() > kMaxDifferences) found.clear();
    return found;
  };
  if (pieces.has_agent() && pieces.walk_cost == 0 && pieces.parts.has_areas) {
    PlaceNumbers areas = number_areas(pieces);
    const bool are_few = areas.num_bits <= kFewAreas || areas.num_bits <= pieces.num_places() / 4;
    if (areas.num_bits < pieces.num_places() && are_few) return areas;
  }
  PlaceNumbers plain;
  for (int place = 0; place < pieces.num_places(); ++place) plain.bit_of.push_back(place);
  plain.num_bits = pieces.num_places();
  plain.differences = differences_of(plain.bit_of);
  if (hint.empty() || pieces.places.empty()) return plain;
  PlaceNumbers hinted;
  int least = hint[pieces.places[0]], most = least;
  for (FactId fact : pieces.places) {
    least = std::min(least, hint[fact]);
    most = std::max(most, hint[fact]);
  }
  std::vector<int> seen;
  for (FactId fact : pieces.places) hinted.bit_of.push_back(hint[fact] - least);
  seen = hinted.bit_of;
  std::sort(seen.begin(), seen.end());
  if (std::adjacent_find(seen.begin(), seen.end()) != seen.end()) return plain;
  hinted.num_bits = most - least + 1;
  hinted.differences = differences_of(hinted.bit_of);
  const bool is_better = !hinted.differences.empty() && hinted.num_bits <= 1024 &&
                         (plain.differences.empty() ||
                          plain.differences.size() > hinted.differences.size());
  return is_better ? hinted : plain;
}

}  // namespace fewest
