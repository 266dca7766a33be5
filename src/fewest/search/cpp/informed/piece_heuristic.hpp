// A lower bound on the remaining cost of a state: the cost that would remain if every piece could move to its goal spot
// independently of the others.
//
// Solution: for each group of pieces, find a cheapest assignment (assignment.hpp) of its pieces to goal spots, based on
// their distances (piece_distances.hpp). Each move counts only for the pieces that it moves, so the sum over the groups
// is admissible. The sum is consistent, since a move changes the distances of its pieces by at most its cost. The bound
// is the minimum over the goal cubes; for a lexicographic pair, each part has its own bound. If the goal has several
// lists and there is no agent, the bound of variable_pdbs.hpp is used instead, or the maximum of both bounds. If there
// are pattern databases (patterns.hpp), they give a second bound: the sum over the patterns, and over the groups of
// pieces that never move together with a pattern. Local PDBs (local_pdbs.hpp) give a third bound. The result is the
// maximum of these bounds. Each search has its own copy of this object. All copies share the tables, but each has its
// own incrementally updated sums.
// Usage:
//   bound.set(spots, place);          // h of a state
//   bound.after(deleted, added, to); // h of the successor by a move of one piece
#pragma once

#include <memory>
#include <vector>

#include "informed/patterns.hpp"
#include "informed/piece_distances.hpp"
#include "informed/variable_pdbs.hpp"

namespace fewest {

class LocalPdbs;

inline constexpr PackedCost kInfiniteCost = ~PackedCost{0};

class PieceHeuristic {
 public:
  PieceHeuristic(const Pieces& pieces, int num_components);
  PieceHeuristic(const PieceHeuristic& other);
  ~PieceHeuristic();

  const PieceDistances& table(int component) const { return (*tables_)[component]; }

  // `patterns` must have been built and must outlive this object.
  void use(const Patterns& patterns);
  // `local_pdbs` must have been built. These local PDBs replace the previous ones.
  void use(std::shared_ptr<const LocalPdbs> local_pdbs);
  bool has_local_pdbs() const;

  // From now on, the heuristic uses these tables, if there are any. No later call replaces them.
  void use(std::shared_ptr<const VariablePdbs> pdbs);
  const VariablePdbs* variable_pdbs() const { return variable_pdbs_.get(); }

  // Returns h of a state with these true spots, or kInfiniteCost if h shows that the state is dead.
  PackedCost set(const std::vector<int>& spots, int place);

  // Whether every move decreases h by at most the cost of the move.
  bool is_consistent() const { return patterns_ == nullptr; }

  // Whether `after` supports this move: it moves exactly one piece, within one group.
  bool knows(const PieceMove& move) const;

  // Returns h of a successor of the state most recently passed to `set`. Requires that, in the projection to any other
  // piece, the agent stays in the same part of the open places (piece_distances.hpp).
  PackedCost after(int deleted, int added, int place);

  // Returns h after any move, given by its index in `pieces.moves`. The function may be called only if
  // `knows_all_moves` is true.
  bool knows_all_moves() const { return only_variables_; }
  PackedCost after_move(int move) { return variables_->after(move); }

 private:
  struct Alternative;
  struct Part;
  struct UsedLocalPdbs;

  PackedCost set_pieces(const std::vector<int>& spots, int place);
  PackedCost after_pieces(int deleted, int added, int place);
  void set_patterns(const std::vector<int>& spots);
  void find_sums_after(int deleted, int added);
  template <class Total>
  PackedCost combine(Total total_of);

  const Pieces& pieces_;
  std::shared_ptr<const std::vector<PieceDistances>> tables_;  // a table for each part of the metric; copies share it
  std::vector<Part> parts_;
  std::vector<int> index_;  // for each spot that was true in `set`: its row in its group
  std::vector<int> filled_;
  const Patterns* patterns_ = nullptr;
  bool only_patterns_ = false;
  std::vector<UsedLocalPdbs> local_pdbs_;  // at most one element; the type is incomplete here
  std::shared_ptr<const VariablePdbs> variable_pdbs_;
  std::optional<VariablePdbHeuristic> variables_;
  bool only_variables_ = false;
  std::vector<std::uint32_t> codes_;             // per pattern
  std::vector<int> pattern_sums_, sums_after_;   // per part of the metric
};

}  // namespace fewest
