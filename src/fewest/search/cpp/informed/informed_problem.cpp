#include "informed/informed_problem.hpp"

#include "informed/zones.hpp"

namespace fewest {

InformedProblem::InformedProblem(const Problem& problem, const CostTable& costs, const Hints& hints)
    : problem_(problem), costs_(costs), prepared_(problem, costs, hints) {}

const BackwardProblem& InformedProblem::from_goals() const {
  if (!from_goals_) from_goals_.emplace(backward(prepared_));
  return *from_goals_;
}

Status InformedProblem::choose_patterns(Control& control, std::size_t memory) {
  FEWEST_ASSERT(!has_agent(), "pattern databases have no agent");
  patterns_ = std::make_unique<Patterns>(*prepared_.pieces, problem_, prepared_.num_components, memory);
  return patterns_->choose(control);
}

Status InformedProblem::build_patterns(Control& control, std::size_t threads) {
  FEWEST_ASSERT(has_pattern_choice(), "patterns are chosen before they are built");
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

std::unique_ptr<Zones> InformedProblem::zones_of(const PieceProblem& problem, const PieceCube& start,
                                                 const Zoning& zoning) const {
  auto zones = std::make_unique<Zones>(
      *problem.pieces, problem.bound->table(0), problem.num_components, start,
      ZoneLimits{zoning.spots, zoning.states, zoning.filled, zoning.memory});
  return zones->apply() ? std::move(zones) : nullptr;
}

bool InformedProblem::can_have_zones() const {
  return has_agent() && zones_of(prepared_, start(), {}) != nullptr;
}

Status InformedProblem::build_zones(Control& control, const Zoning& zoning, std::vector<PieceCube> samples) {
  std::unique_ptr<Zones> zones = zones_of(prepared_, start(), zoning);
  if (!zones) return Status::running;
  const Status status = zones->build(control, std::move(samples));
  if (status != Status::running || !zones->exist()) return status;
  zones_ = std::move(zones);
  prepared_.bound->use(zones_);
  return status;
}

Status InformedProblem::build_zones_from_goals(Control& control, const Zoning& zoning) {
  const BackwardProblem& back = from_goals();
  std::unique_ptr<Zones> zones = zones_of(*back.problem, back.starts[0], zoning);
  if (!zones) return Status::running;
  const Status status = zones->build(control, {});
  if (status != Status::running || !zones->exist()) return status;
  back_zones_ = std::move(zones);
  back.problem->bound->use(back_zones_);
  return status;
}

int InformedProblem::num_zones() const {
  int count = 0;
  for (const Zones* zones : {zones_.get(), back_zones_.get()})
    if (zones != nullptr) count += zones->num_zones();
  return count;
}

std::size_t InformedProblem::zone_bytes() const {
  std::size_t bytes = 0;
  for (const Zones* zones : {zones_.get(), back_zones_.get()})
    if (zones != nullptr) bytes += zones->bytes();
  return bytes;
}

}  // namespace fewest
