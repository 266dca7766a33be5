// Pattern databases: lower bounds from several pieces at once.
//
// Problem: single pieces know nothing of each other; in a sliding puzzle they are in each other's way.
// Solution: a *pattern* is a set of pieces of which each is one of a kind (exactly-one groups of spots). Its
// projection keeps only where they are; all else is granted, and a move costs its weight if it moves one of
// them and nothing if not. A table has, for each placement, the cost of the way to a goal, by a backward search
// (backward_search.hpp; Culberson and Schaeffer, 1998). Pieces that some move moves together stand in one pattern, so
// no cost is counted twice and the sum over the patterns is a lower bound (Korf and Felner, 2002; Felner,
// Korf and Hanan, 2004); other groups of pieces, if no move moves them along with these, add their own.
// - Where the pieces leave exactly one cell of a board empty, that follows from the state, though it
//   is no fact. The projection keeps the *gap* as well: other pieces' moves take it through what the
//   pattern leaves open for nothing, a move of the pattern needs it at its place. A table has the least over
//   the places of the gap; so a bound may fall by more than a move costs: admissible, not consistent.
// - Which pieces go together: two gain what their common distance has above the sum of both, in the mean of
//   all placements of the pair; patterns of about the same size, the sum of the gains within them as large
//   as exchanges make it.
// - A byte each; what is too far for it counts as 255. Building takes some thirty bytes for each entry of the
//   largest table.
// Sound in every metric in which runs are moves (macro_moves.hpp), weights as they are; of a lexicographic pair each component is
// bounded for itself. Not with an agent: who walks has his own reasons to be elsewhere.
// Usage:
//   Patterns patterns(pieces, problem, num_components, memory);
//   if (patterns.choose(control) == Status::running && patterns.pay() && patterns.build(control) == ...)
#pragma once

#include "informed/pattern_projection.hpp"

namespace fewest {

class Patterns {
 public:
  // `memory`: bytes; building takes less.
  Patterns(const Pieces& pieces, const Problem& problem, int num_components, std::size_t memory);

  // Chooses the patterns: `running`, or why that was stopped.
  Status choose(Control& control);
  bool exist() const { return !patterns_.empty(); }
  // Whether they promise to be worth their tables.
  bool pay() const { return pays_; }
  // On so many threads at most, a table each; on fewer if the memory is short.
  Status build(Control& control, std::size_t threads);

  std::size_t num_entries() const;     // of one component
  std::size_t bytes() const { return num_entries() * num_components_; }
  const std::vector<std::vector<int>>& groups() const { return patterns_; }  // of pieces.groups
  bool covers(int group) const { return is_covered_[group]; }
  // Whether what this group costs may be added.
  bool is_apart(int group) const { return is_apart_[group]; }

  // For sums that are kept up to date: a placement's code is the sum of its spots' terms.
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
  std::vector<std::vector<int>> units() const;
  void partition(const std::vector<std::vector<int>>& units, const std::vector<double>& gains);
  // `asked` every few milliseconds: `running`, or why to stop.
  using Ask = std::function<Status()>;
  Status fill(const std::vector<int>& groups, int component, const Ask& asked, PatternTable& table) const;

  const Pieces& pieces_;
  int num_components_;
  std::size_t most_entries_, most_in_all_, most_at_once_;  // the last of tables that are being built
  Gap gap_;
  bool pays_ = false;
  std::vector<std::vector<int>> patterns_;
  std::vector<int> group_of_, pattern_of_;  // per spot
  std::vector<std::uint32_t> term_;         // per spot
  std::vector<char> is_covered_, is_apart_;  // per group
  std::vector<std::vector<PatternTable>> tables_;  // [components][patterns]
};

}  // namespace fewest
