#include "informed/backward.hpp"

#include <algorithm>

namespace fewest {

namespace {

constexpr std::size_t kMostGoals = 64;

[[maybe_unused]] bool is_subset_of(const std::vector<int>& spots, const FactSet& set) {
  return std::all_of(spots.begin(), spots.end(), [&](int spot) { return has(set.data(), spot); });
}

PieceMove undone(const Pieces& pieces, const PieceMove& move) {
  PieceMove back = move;
  for (int spot : pieces.excluded_by(move.true_spots, move.from))
    if (!has(move.true_spots.data(), spot)) add(back.false_spots.data(), spot);
  for (int spot : move.deleted) remove(back.true_spots.data(), spot), add(back.false_spots.data(), spot);
  for (int spot : move.added) remove(back.false_spots.data(), spot), add(back.true_spots.data(), spot);
  std::swap(back.deleted, back.added);
  std::swap(back.from, back.to);
  FEWEST_ASSERT(is_subset_of(back.added, back.false_spots) && is_subset_of(back.deleted, back.true_spots),
                "a backward move tests the spots that it changes");
  return back;
}

// Whether the goal cube determines the value of every spot.
bool is_whole(const Pieces& pieces, const PieceCube& goal) {
  return std::all_of(pieces.groups.begin(), pieces.groups.end(), [&](const PieceGroup& group) {
    return group.count == std::count_if(group.spots.begin(), group.spots.end(),
                                        [&](int spot) { return has(goal.true_spots.data(), spot); });
  });
}

}  // namespace

bool can_go_backward(const PieceProblem& forward) {
  const Pieces& pieces = *forward.pieces;
  if (!pieces.has_agent() || pieces.walk_cost != 0 || forward.num_components != 1) return false;
  if (pieces.goals.size() > kMostGoals || !pieces.further_goals.empty()) return false;
  std::size_t grouped = 0;
  for (const PieceGroup& group : pieces.groups) grouped += group.spots.size();
  if (static_cast<int>(grouped) != pieces.num_spots()) return false;
  return std::all_of(pieces.moves.begin(), pieces.moves.end(),
                     [&](const PieceMove& move) { return move.then.empty() && forward.bound->knows(move); }) &&
         std::all_of(pieces.goals.begin(), pieces.goals.end(),
                     [&](const PieceCube& goal) { return is_whole(pieces, goal); });
}

BackwardProblem backward(const PieceProblem& forward) {
  FEWEST_ASSERT(can_go_backward(forward), "the problem has an inverse");
  const Pieces& pieces = *forward.pieces;
  Pieces back = pieces;
  for (PieceMove& move : back.moves) move = undone(pieces, move);
  PieceCube start;
  start.true_spots = pieces.initial;
  start.false_spots.assign(pieces.words(), 0);
  start.place = pieces.initial_place;
  back.goals.assign(1, start);
  return {std::make_unique<PieceProblem>(forward, std::move(back)), pieces.goals};
}

}  // namespace fewest
