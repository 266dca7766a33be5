// The Python classes for the results of searches. Costs are packed (problem.hpp); cost_packing.py unpacks them.
#include "blind/search.hpp"
#include "informed/informed_search.hpp"
#include "python/inputs.hpp"

namespace fewest::python {

const char* name_of(Status status) {
  switch (status) {
    case Status::running:
    case Status::paused: return "running";
    case Status::goal: return "goal";
    case Status::exhausted: return "exhausted";
    case Status::depth: return "depth";
    case Status::time: return "time";
    case Status::memory: return "memory";
    case Status::disk: return "disk";
    default: return "interrupted";
  }
}

void bind_outcomes(nb::module_& module) {
  nb::class_<Outcome>(module, "Outcome")
      .def_prop_ro("status", [](const Outcome& outcome) { return name_of(outcome.status); })
      .def_ro("cost", &Outcome::cost)
      .def_ro("lower_bound", &Outcome::lower_bound)
      .def_ro("plan", &Outcome::plan)
      .def_ro("is_only_plan", &Outcome::is_only_plan)
      .def_ro("layers", &Outcome::layers)
      .def_ro("num_states", &Outcome::num_states)
      .def_ro("num_goal_states", &Outcome::num_goal_states)
      .def_ro("num_expanded", &Outcome::num_expanded)
      .def_ro("num_generated", &Outcome::num_generated)
      .def_ro("num_resumed", &Outcome::num_resumed)
      .def_ro("seconds", &Outcome::seconds)
      .def_ro("bytes", &Outcome::bytes)
      .def_prop_ro("algorithm", [](const Outcome& outcome) { return outcome.algorithm; })
      .def_ro("canonical_states", &Outcome::canonical_states)
      .def_ro("orbit_states", &Outcome::orbit_states)
      .def_prop_ro("endless", [](const Outcome& outcome) {
        std::optional<std::pair<OperatorId, std::vector<Word>>> found;
        if (outcome.endless) found.emplace(outcome.endless->op, outcome.endless->state);
        return found;
      });
  nb::class_<IndexOutcome, Outcome>(module, "IndexOutcome")
      .def_ro("has_distances", &IndexOutcome::has_distances)
      .def_ro("goal_distances", &IndexOutcome::goal_distances)
      .def_ro("num_dead", &IndexOutcome::num_dead)
      .def_ro("hardest", &IndexOutcome::hardest)
      .def_ro("farthest", &IndexOutcome::farthest);
  nb::class_<Meeting, Outcome>(module, "Meeting")
      .def_ro("backward_plan", &Meeting::backward_plan)
      .def_prop_ro(
          "waypoints",
          [](const Meeting& meeting) { return to_array(std::vector(meeting.waypoints)); },
          nb::rv_policy::automatic)
      .def_ro("forward_states", &Meeting::forward_states)
      .def_ro("backward_states", &Meeting::backward_states)
      .def_ro("forward_cost", &Meeting::forward_cost)
      .def_ro("backward_cost", &Meeting::backward_cost);
  nb::class_<GuidedOutcome, Outcome>(module, "GuidedOutcome")
      .def_ro("initial_bound", &GuidedOutcome::initial_bound)
      .def_ro("num_abstractions", &GuidedOutcome::num_abstractions)
      .def_ro("abstract_bytes", &GuidedOutcome::abstract_bytes);
  nb::class_<GoalDistanceResult>(module, "GoalDistanceResult")
      .def_prop_ro("status", [](const GoalDistanceResult& found) { return name_of(found.status); })
      .def_ro("layers", &GoalDistanceResult::layers)
      .def_ro("num_states", &GoalDistanceResult::num_states)
      .def_ro("num_goal_states", &GoalDistanceResult::num_goal_states)
      .def_ro("num_solvable", &GoalDistanceResult::num_solvable)
      .def_ro("from_start", &GoalDistanceResult::from_start)
      .def_ro("hardest", &GoalDistanceResult::hardest)
      .def_ro("num_plans", &GoalDistanceResult::num_plans)
      .def_prop_ro(
          "plan_states",
          [](const GoalDistanceResult& found) { return to_array(std::vector(found.plan_states)); },
          nb::rv_policy::automatic)
      .def_ro("seconds", &GoalDistanceResult::seconds)
      .def_ro("bytes", &GoalDistanceResult::bytes);
  nb::class_<Iteration>(module, "Iteration")
      .def_ro("limit", &Iteration::limit)
      .def_ro("num_expanded", &Iteration::num_expanded);
  nb::class_<InformedOutcome, Outcome>(module, "InformedOutcome")
      .def_prop_ro("state", [](const InformedOutcome& outcome) { return name_of(outcome.status); })
      .def_ro("initial_bound", &InformedOutcome::initial_bound)
      .def_ro("num_dead", &InformedOutcome::num_dead)
      .def_ro("num_corrals", &InformedOutcome::num_corrals)
      .def_ro("num_learned_deadlocks", &InformedOutcome::num_learned_deadlocks)
      .def_ro("has_agent", &InformedOutcome::has_agent)
      .def_ro("merges_regions", &InformedOutcome::merges_regions)
      .def_ro("num_images", &InformedOutcome::num_images)
      .def_ro("iterations", &InformedOutcome::iterations);
}

}  // namespace fewest::python
