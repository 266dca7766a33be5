// Pattern databases: lower bounds that consider several pieces together.
//
// Problem: the distances of single pieces ignore the fact that pieces block each other, for instance in a sliding
// puzzle.
// Solution: a *pattern* is a set of distinct pieces (exactly-one groups of spots). The projection of a pattern keeps
// only the places of these pieces and relaxes everything else. A move costs its weight if it moves a piece of the
// pattern, and nothing otherwise. A backward search fills a table with the goal distance of each placement
// (backward_search.hpp; Culberson and Schaeffer, 1998). If some move moves several pieces simultaneously, these pieces
// are in the same pattern, or outside all patterns. So no cost is counted twice, and the sum over the patterns is a
// lower bound (Korf and Felner, 2002; Felner, Korf and Hanan, 2004). The bound of a group outside all patterns is added
// if no move moves pieces of this group together with pieces of a pattern.
// - If the pieces leave exactly one cell of a board empty, the state determines this cell, although no fact represents
//   it. The projection keeps this *gap* as well: moves of other pieces carry the gap through the open cells of the
//   pattern at no cost, and a move of a pattern piece requires the gap to be at a certain cell. The table contains the
//   minimum over all cells of the gap. So a move may decrease the bound by more than the cost of the move. The bound
//   is admissible, but not consistent.
// - Patterns are chosen by their gains. The gain of two pieces is the mean, over the placements of the pair that can
//   reach a goal state, of their joint distance minus the sum of their single distances. All patterns have about the
//   same size, and pieces are exchanged to maximise the sum of the gains within the patterns. Pieces that some move
//   moves simultaneously are treated like one piece.
// - An entry is a byte; distances above 255 are stored as 255. Building the tables takes about thirty bytes of memory
//   for each entry of the largest table. The bound is sound in every metric in which merged moves are macro operators
//   (macro_moves.hpp), with any weights; for a lexicographic pair, each part has its own bound. Tasks with an
//   agent are excluded, because the projection has no other pieces and therefore cannot account for the agent's walks.
//   Goals of several lists are excluded, too.
// Usage:
//   Patterns patterns(pieces, problem, num_components, memory);
//   if (patterns.choose(control) == Status::running && patterns.pay() && patterns.build(control) == ...)
#pragma once

#include "informed/pattern_projection.hpp"

namespace fewest {

class Patterns {
 public:
  // `memory`: a limit in bytes. The limit also applies while the tables are built.
  Patterns(const Pieces& pieces, const Problem& problem, int num_components, std::size_t memory);

  // Chooses the patterns; there may be none (`exist`). Returns `running` on success, or the reason why the function
  // stopped.
  Status choose(Control& control);
  bool exist() const { return !patterns_.empty(); }
  // Whether the expected gain of the patterns justifies building the tables.
  bool pay() const { return pays_; }
  // Builds the tables on at most `threads` threads. Each thread builds one table at a time; fewer threads are used if
  // the memory does not suffice for all of them. Returns `running` on success, or the reason why the function stopped.
  Status build(Control& control, std::size_t threads);

  std::size_t num_entries() const;     // in the tables for one part of the metric
  std::size_t bytes() const { return num_entries() * num_components_; }
  const std::vector<std::vector<int>>& groups() const { return patterns_; }  // each as indices in pieces.groups
  bool covers(int group) const { return is_covered_[group]; }
  // Whether the bound of this group may be added to the bound of the patterns.
  bool is_apart(int group) const { return is_apart_[group]; }

  // Functions for incrementally updated sums. A placement is encoded as the sum of the terms of its spots.
  int num_patterns() const { return static_cast<int>(patterns_.size()); }
  int pattern_of(int spot) const { return pattern_of_[spot]; }  // -1: none
  std::uint32_t term(int spot) const { return term_[spot]; }
  static constexpr int kUnreachable = -1;
  int distance(int component, int pattern, std::uint32_t code) const {
    const PatternTable& table = tables_[component][pattern];
    FEWEST_ASSERT(code < table.distance.size(), "a placement is one of the table");
    const int d = table.distance[code];
    return d == PatternTable::kTooFar && !table.is_cut ? kUnreachable : d;
  }

 private:
  bool moves_one_pattern(const PieceMove& move) const;
  std::size_t entries_of(const std::vector<int>& groups) const;
  std::size_t spots_of(const std::vector<int>& groups) const;
  std::vector<std::vector<int>> units() const;
  void partition(const std::vector<std::vector<int>>& units, const std::vector<double>& gains);
  // Fills a table. Returns `running` on success, or the reason to stop that `stop_check` returned. The function calls
  // `stop_check` every few milliseconds.
  using StopCheck = std::function<Status()>;
  Status fill(const std::vector<int>& groups, int component, const StopCheck& stop_check, PatternTable& table) const;

  const Pieces& pieces_;
  int num_components_;
  // Limits on the number of entries: per table, in all tables together, and in the tables that are built at the same
  // time.
  std::size_t most_entries_, most_in_all_, most_at_once_;
  Gap gap_;
  bool pays_ = false;
  std::vector<std::vector<int>> patterns_;
  std::vector<int> group_of_, pattern_of_;  // per spot
  std::vector<std::uint32_t> term_;         // per spot
  std::vector<char> is_covered_, is_apart_;  // per group
  std::vector<std::vector<PatternTable>> tables_;  // [components][patterns]
};

}  // namespace fewest
