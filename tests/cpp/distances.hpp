// Computes all goal distances of a small task by a separate search from each reachable state.
#pragma once

#include <map>
#include <set>

#include "tasks.hpp"

namespace tasks {

inline std::set<FactSet> reachable(const Task& task) {
  std::set<FactSet> known = {task.initial};
  std::vector<FactSet> waiting = {task.initial};
  const auto expander = make_expander(task.problem());
  while (!waiting.empty()) {
    const FactSet s = waiting.back();
    waiting.pop_back();
    std::vector<Word> successors;
    std::vector<std::int64_t> parents;
    std::vector<OperatorId> operators;
    expander->expand(s.data(), 1, successors, parents, operators);
    for (std::size_t at = 0; at < successors.size(); at += task.words) {
      const FactSet next(successors.begin() + at, successors.begin() + at + task.words);
      if (known.insert(next).second) waiting.push_back(next);
    }
  }
  return known;
}

struct Distances {
  std::uint64_t num_states = 0, num_solvable = 0;
  std::map<PackedCost, std::uint64_t> layers;
  FactSet hardest;  // the least of the farthest states; states are compared as numbers
};

inline Distances distances(Task task) {
  Distances found;
  for (const FactSet& s : reachable(task)) {
    ++found.num_states;
    task.initial = s;
    const auto cost = task.search(false).cost;
    if (!cost) continue;
    ++found.num_solvable;
    const bool is_farther = found.layers.empty() || *cost > found.layers.rbegin()->first;
    if (is_farther || (*cost == found.layers.rbegin()->first &&
                       std::lexicographical_compare(s.rbegin(), s.rend(), found.hardest.rbegin(), found.hardest.rend())))
      found.hardest = s;
    ++found.layers[*cost];
  }
  return found;
}

}  // namespace tasks
