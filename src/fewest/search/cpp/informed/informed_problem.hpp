// A problem, together with the heuristic that its informed searches use and the tables that improve this heuristic.
//
// The caller decides which tables are built. All searches that are created afterwards use these tables.
#pragma once

#include "informed/backward.hpp"
#include "informed/informed_search.hpp"
#include "informed/local_pdbs.hpp"

namespace fewest {

class InformedProblem {
 public:
  // `problem` and `costs` must outlive this object. Throws std::invalid_argument for permutations, effects, and merged
  // moves that macro_moves.hpp does not support. Throws std::overflow_error if a cost does not fit.
  InformedProblem(const Problem& problem, const CostTable& costs, const Hints& hints);

  const PieceProblem& pieces() const { return prepared_; }
  const Problem& problem() const { return problem_; }
  const CostTable& costs() const { return costs_; }
  bool has_agent() const { return prepared_.pieces->has_agent(); }
  // Whether the problem can be searched from the goals.
  bool can_begin_at_goals() const { return can_go_backward(prepared_); }
  // The inverse problem; it is computed on the first call.
  const BackwardProblem& from_goals() const;

  // Functions for pattern databases, for tasks without an agent. The caller first chooses the patterns and then builds
  // the tables. `choose_patterns` and `build_patterns` return `running` once they have finished, or the reason why they
  // stopped. `memory`: a limit in bytes.
  Status choose_patterns(Control& control, std::size_t memory);
  bool has_pattern_choice() const { return patterns_ && patterns_->exist(); }
  bool do_patterns_pay() const { return patterns_ && patterns_->pay(); }
  std::size_t num_pattern_entries() const { return patterns_ ? patterns_->num_entries() : 0; }
  Status build_patterns(Control& control, std::size_t threads);
  // For each pattern in use, one fact of each of its pieces.
  std::vector<std::vector<FactId>> patterns() const;
  std::size_t pattern_bytes() const { return uses_patterns_ ? patterns_->bytes() : 0; }

  // Functions for local PDBs, for tasks with an agent. New local PDBs replace earlier ones. The functions that build
  // them return `running` once they have finished, even if they found no useful local PDBs, or the reason why they
  // stopped.
  bool can_have_local_pdbs() const;
  Status build_local_pdbs(Control& control, const LocalPdbLimits& limits, std::vector<PieceCube> samples);
  // Builds local PDBs for the search from the goals.
  Status build_local_pdbs_from_goals(Control& control, const LocalPdbLimits& limits);
  bool has_local_pdbs() const { return local_pdbs_ != nullptr; }
  int num_local_pdbs() const;
  std::size_t local_pdb_bytes() const;

 private:
  std::unique_ptr<LocalPdbs> local_pdbs_of(const PieceProblem& problem, const PieceCube& start,
                                           const LocalPdbLimits& limits) const;
  PieceCube start() const;

  const Problem& problem_;
  const CostTable& costs_;
  PieceProblem prepared_;
  std::unique_ptr<Patterns> patterns_;
  bool uses_patterns_ = false;
  std::shared_ptr<const LocalPdbs> local_pdbs_, backward_local_pdbs_;
  mutable std::optional<BackwardProblem> from_goals_;
};

}  // namespace fewest
