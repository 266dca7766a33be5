// The projection of a problem onto the spots of one local PDB (local_pdbs.hpp), and its table of detours.
//
// An abstract state consists of a *code*, which is the set of true spots of the local PDB, and a *node*, which is an
// abstraction of the agent's place. A node is a place that some spot of the local PDB blocks, or a connected part of
// all other places. Walks are free, so all nodes of a region are recorded together. `LocalPdbBoard::remaining_cost`
// contains the costs of the moves.
// Usage:
//   std::optional<LocalPdbProjection> local_pdb = LocalPdbProjection::filled(board, spots, most_states, num_filled);
//   local_pdb->detours(code, place);
#pragma once

#include <optional>

#include "informed/piece_distances.hpp"
#include "informed/local_pdb_table.hpp"

namespace fewest {

// The data that all local PDBs of a problem share.
struct LocalPdbBoard {
  static constexpr int kUnreachable = 1 << 28;

  const Pieces& pieces;
  const PieceDistances& distances;
  std::vector<int> remaining_cost;  // per move: its remaining reduced cost after the earlier local PDBs; kUnreachable:
                                    // the move begins or ends in a dead state
  std::vector<std::vector<int>> near_places;  // per place: the places that the agent reaches from there by one
                                              // walk, move or inverse move
  std::vector<std::vector<char>> reachable;   // [piece at the start][spot]: whether the piece may reach the spot
};

class LocalPdbProjection {
 public:
  static constexpr int kMostSpots = 56;  // spots are bits of a word
  struct AbstractState {
    Word code;
    int node;
  };

  // Returns the projection with its table, or nullopt if it has too many nodes, goal codes or states. Adds the number
  // of recorded states to `num_filled`.
  static std::optional<LocalPdbProjection> filled(const LocalPdbBoard& board, std::vector<int> spots, std::size_t most_states,
                                              std::size_t& num_filled);

  const std::vector<int>& spots() const { return spots_; }
  std::size_t num_states() const { return table_.entries().size(); }
  std::size_t bytes() const { return table_.bytes(); }

  int detours(Word code, int place) const { return table_.detours(code, node_of_[place]); }
  // Returns the detours of a state. If the agent may be at any place, the result is the minimum over all places.
  int detours(const PieceCube& state) const;
  // Calls visit(move, decrease) for each move that changes the contents of the local PDB, where `decrease` is the
  // largest amount by which the move can decrease the detours.
  template <class Visit>
  void for_each_saving(Visit visit) const;
  // Frees the memory of the moves. Afterwards, `for_each_saving` must not be called.
  void free_moves() {
    steps_.clear();
    steps_to_.clear();
  }

  // Interface for backward_search.hpp.
  template <class Push>
  void goals(Push push) const;
  template <class Push>
  bool expand(const AbstractState& state, unsigned cost, Push push);

 private:
  static constexpr int kMostNodes = 64;  // nodes are bits of a word

  struct Step {  // a move that changes the contents of the local PDB
    Word mask = 0, value = 0, flip = 0;
    int from = 0, to = 0;  // nodes
    int more = 0;          // the number of pieces that leave the local PDB, minus those that enter it
    int cost = 0;
    int move = 0;
  };

  explicit LocalPdbProjection(std::vector<int> spots) : spots_(std::move(spots)) {}
  bool find_nodes(const LocalPdbBoard& board);
  void find_steps(const LocalPdbBoard& board);
  bool find_goals(const LocalPdbBoard& board);
  Word region(Word code, int node) const;
  // Whether the step can be applied to a state with this code: the precondition of the step holds, and no true spot
  // blocks the agent.
  bool applies_to(const Step& step, Word code) const {
    return (code & step.mask) == step.value && (blocked_[step.from] & code) == 0;
  }

  std::vector<int> spots_;
  std::size_t most_states_ = 0;
  int most_pieces_ = 0;                // the maximum number of pieces in the local PDB
  int num_nodes_ = 0;
  std::vector<std::uint8_t> node_of_;  // per place
  std::vector<Word> near_;             // per node: the neighbouring nodes, and the node itself
  std::vector<Word> blocked_;          // per node: the spots that block it
  std::vector<Step> steps_;
  std::vector<std::vector<int>> steps_to_;  // per node: the steps that lead to it
  std::vector<Word> goal_codes_;
  int goal_place_ = -1;  // -1: the agent may be at any place
  LocalPdbTable table_;
};

template <class Visit>
void LocalPdbProjection::for_each_saving(Visit visit) const {
  // Only steps that lead to states from which the goal is reachable can decrease the detours.
  std::vector<int> largest_decrease(steps_.size(), 0);
  for (const LocalPdbTable::Entry& entry : table_.entries())
    for_each_bit(entry.region, [&](int node) {
      for (int s : steps_to_[node]) {
        const Step& step = steps_[s];
        const Word before = entry.code ^ step.flip;
        if (largest_decrease[s] >= step.cost || !applies_to(step, before)) continue;
        const int detours = table_.detours(before, step.from);
        FEWEST_ASSERT(detours == LocalPdbTable::kDead || detours - static_cast<int>(entry.detours) <= step.cost,
                      "a move decreases the detours of a local PDB by at most its reduced cost");
        if (detours == LocalPdbTable::kDead) continue;
        largest_decrease[s] = std::max(largest_decrease[s], detours - static_cast<int>(entry.detours));
      }
    });
  for (std::size_t s = 0; s < steps_.size(); ++s) visit(steps_[s].move, largest_decrease[s]);
}

template <class Push>
void LocalPdbProjection::goals(Push push) const {
  for (Word code : goal_codes_)
    for (int node = 0; node < num_nodes_; ++node)
      if ((blocked_[node] & code) == 0 && (goal_place_ < 0 || node_of_[goal_place_] == node)) push(0, {code, node});
}

template <class Push>
bool LocalPdbProjection::expand(const AbstractState& state, unsigned cost, Push push) {
  const Word code = state.code;
  if (table_.detours(code, state.node) != LocalPdbTable::kDead) return true;
  if (table_.entries().size() >= most_states_) return false;
  const int count = std::popcount(code);
  FEWEST_ASSERT(count <= most_pieces_, "a local PDB contains at most as many pieces as can reach it");
  const Word nodes = region(code, state.node);
  table_.add(code, nodes, static_cast<int>(cost));
  for_each_bit(nodes, [&](int to) {
    for (int s : steps_to_[to]) {
      const Step& step = steps_[s];
      const Word before = code ^ step.flip;
      if (!applies_to(step, before) || count + step.more > most_pieces_) continue;
      if (table_.detours(before, step.from) != LocalPdbTable::kDead) continue;
      push(std::min<unsigned>(LocalPdbTable::kMost, cost + static_cast<unsigned>(step.cost)), {before, step.from});
    }
  });
  return true;
}

}  // namespace fewest
