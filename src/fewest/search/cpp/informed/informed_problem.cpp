#include "informed/informed_problem.hpp"

#include "informed/gang.hpp"
#include "informed/zones.hpp"

namespace fewest {

namespace {

// Ends the work of another thread.
struct Halt final : Host {
  std::atomic<bool> is_over = false;
  bool poll(const Snapshot&, bool) override { return is_over; }
};

}  // namespace

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
                                                 const Zoning& zoning, int weight_of_start) const {
  auto zones = std::make_unique<Zones>(
      *problem.pieces, problem.bound->table(0), problem.num_components, start,
      ZoneLimits{zoning.spots, zoning.states, zoning.filled, zoning.memory, weight_of_start});
  return zones->apply() ? std::move(zones) : nullptr;
}

bool InformedProblem::can_have_zones() const {
  return has_agent() && zones_of(prepared_, start(), {}, 1) != nullptr;
}

Status InformedProblem::build_zones(Control& control, const Zoning& zoning, std::vector<PieceCube> samples) {
  std::unique_ptr<Zones> zones = zones_of(prepared_, start(), zoning, 1);
  if (!zones) return Status::running;
  const Status status = zones->build(control, std::move(samples));
  if (status != Status::running || !zones->exist()) return status;
  zones_ = std::move(zones);
  prepared_.bound->use(zones_);
  return status;
}

// The second set is for A* from the start alone: where two ends looked it up as well it took up to a third of their speed.
Status InformedProblem::build_zones_of_both_ends(Control& control, double seconds, const Zoning& zoning,
                                                 std::vector<PieceCube> samples, std::size_t threads) {
  const BackwardProblem& back = from_goals();
  std::unique_ptr<Zones> back_zones = zones_of(*back.problem, back.starts[0], zoning, 1), others;
  Gang gang(std::min<std::size_t>(2, threads));
  if (gang.size() > 1) others = zones_of(prepared_, start(), zoning, zoning.weight_of_start);
  Status status = Status::running, status_of_others = Status::running;
  Halt halt;
  Control quiet({.seconds = seconds, .host = &halt});
  gang.all([&](std::size_t i) {
    if (i == 1) {
      try {
        if (others) status_of_others = others->build(quiet, std::move(samples));
      } catch (const std::bad_alloc&) {
        status_of_others = Status::memory;
      }
      return;
    }
    try {
      if (back_zones) status = back_zones->build(control, {});
      halt.is_over = status != Status::running;
    } catch (...) {
      halt.is_over = true;
      throw;
    }
  });
  if (status != Status::running) return status;
  if (others && status_of_others == Status::running && others->exist()) other_zones_ = std::move(others);
  if (back_zones && back_zones->exist()) {
    back_zones_ = std::move(back_zones);
    back.problem->bound->use(back_zones_);
  }
  return Status::running;
}

int InformedProblem::num_zones() const {
  int count = 0;
  for (const Zones* zones : {zones_.get(), other_zones_.get(), back_zones_.get()})
    if (zones != nullptr) count += zones->num_zones();
  return count;
}

std::size_t InformedProblem::zone_bytes() const {
  std::size_t bytes = 0;
  for (const Zones* zones : {zones_.get(), other_zones_.get(), back_zones_.get()})
    if (zones != nullptr) bytes += zones->bytes();
  return bytes;
}

PieceBound InformedProblem::bound_beside() const {
  PieceBound bound = *prepared_.bound;
  if (other_zones_) bound.use_too(other_zones_);
  return bound;
}

}  // namespace fewest
