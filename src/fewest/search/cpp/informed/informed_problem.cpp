#include "informed/informed_problem.hpp"

#include "informed/local_pdbs.hpp"

namespace fewest {

InformedProblem::InformedProblem(const Problem& problem, const CostTable& costs, const Hints& hints)
    : problem_(problem), costs_(costs), prepared_(problem, costs, hints) {}

const BackwardProblem& InformedProblem::from_goals() const {
  if (!from_goals_) from_goals_.emplace(backward(prepared_));
  return *from_goals_;
}

Status InformedProblem::choose_patterns(Control& control, std::size_t memory) {
  FEWEST_ASSERT(!has_agent(), "pattern databases do not support tasks with an agent");
  patterns_ = std::make_unique<Patterns>(*prepared_.pieces, problem_, prepared_.num_components, memory);
  return patterns_->choose(control);
}

Status InformedProblem::build_patterns(Control& control, std::size_t threads) {
  FEWEST_ASSERT(has_pattern_choice(), "patterns must be chosen before they are built");
  const Status status = patterns_->build(control, threads);
  if (status != Status::running) return status;
  prepared_.bound->use(*patterns_);
  uses_patterns_ = true;
  return status;
}

std::vector<std::vector<FactId>> InformedProblem::patterns() const {
  std::vector<std::vector<FactId>> facts;
  if (!uses_patterns_) return facts;
  const Pieces& pieces = *prepared_.pieces;
  for (const auto& groups : patterns_->groups()) {
    facts.emplace_back();
    for (int g : groups) facts.back().push_back(pieces.spots[pieces.groups[g].spots[0]]);
  }
  return facts;
}

PieceCube InformedProblem::start() const {
  return {prepared_.pieces->initial, {}, prepared_.pieces->initial_place};
}

std::unique_ptr<LocalPdbs> InformedProblem::local_pdbs_of(const PieceProblem& problem, const PieceCube& start,
                                                 const LocalPdbLimits& limits) const {
  auto local_pdbs = std::make_unique<LocalPdbs>(
      *problem.pieces, problem.bound->table(0), problem.num_components, start, limits);
  return local_pdbs->apply() ? std::move(local_pdbs) : nullptr;
}

bool InformedProblem::can_have_local_pdbs() const {
  return has_agent() && local_pdbs_of(prepared_, start(), {}) != nullptr;
}

Status InformedProblem::build_local_pdbs(Control& control, const LocalPdbLimits& limits, std::vector<PieceCube> samples) {
  std::unique_ptr<LocalPdbs> local_pdbs = local_pdbs_of(prepared_, start(), limits);
  if (!local_pdbs) return Status::running;
  const Status status = local_pdbs->build(control, std::move(samples));
  if (status != Status::running || !local_pdbs->exist()) return status;
  local_pdbs_ = std::move(local_pdbs);
  prepared_.bound->use(local_pdbs_);
  return status;
}

Status InformedProblem::build_local_pdbs_from_goals(Control& control, const LocalPdbLimits& limits) {
  const BackwardProblem& back = from_goals();
  std::unique_ptr<LocalPdbs> local_pdbs = local_pdbs_of(*back.problem, back.starts[0], limits);
  if (!local_pdbs) return Status::running;
  const Status status = local_pdbs->build(control, {});
  if (status != Status::running || !local_pdbs->exist()) return status;
  backward_local_pdbs_ = std::move(local_pdbs);
  back.problem->bound->use(backward_local_pdbs_);
  return status;
}

int InformedProblem::num_local_pdbs() const {
  int count = 0;
  for (const LocalPdbs* local_pdbs : {local_pdbs_.get(), backward_local_pdbs_.get()})
    if (local_pdbs != nullptr) count += local_pdbs->num_local_pdbs();
  return count;
}

std::size_t InformedProblem::local_pdb_bytes() const {
  std::size_t bytes = 0;
  for (const LocalPdbs* local_pdbs : {local_pdbs_.get(), backward_local_pdbs_.get()})
    if (local_pdbs != nullptr) bytes += local_pdbs->bytes();
  return bytes;
}

}  // namespace fewest
