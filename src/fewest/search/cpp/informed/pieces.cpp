#include "informed/pieces.hpp"
#include "informed/macro_moves.hpp"
#include "state/costs.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace fewest {

namespace {

PackedCost short_weight(const CostTable& costs, std::size_t num_operators, OperatorId id) {
  PackedCost all = 0;
  for (int c = 0; c < costs.components; ++c) {
    if (costs.weight[c * num_operators + id] > 0x7fffffff)
      throw std::overflow_error("a weight is too large");
    all += packed_weight(costs, num_operators, id, c);
  }
  return all;
}

// Reduces a cube to its intersection with `other`, which must not name a place of the agent. Returns false if the
// intersection is empty.
bool narrow(PieceCube& cube, const PieceCube& other) {
  FEWEST_ASSERT(other.place < 0, "only the first list of the goal may name places");
  for (std::size_t i = 0; i < cube.true_spots.size(); ++i) {
    cube.true_spots[i] |= other.true_spots[i];
    cube.false_spots[i] |= other.false_spots[i];
    if (cube.true_spots[i] & cube.false_spots[i]) return false;
  }
  return true;
}

}  // namespace

Pieces::Pieces(const Compiler& compiler, const CostTable& costs, const FactGroups& all_groups,
               const std::vector<char>& is_dropped)
    : compiler_(compiler), problem_(compiler.problem()) {
  const auto words = static_cast<std::size_t>(problem_.words);
  const std::size_t num_operators = problem_.operators.count;
  agent_ = find_agent(costs);
  place_of_.assign(problem_.num_facts, -1);
  if (agent_ >= 0) {
    places = compiler.invariants().exactly_one()[agent_];
    std::sort(places.begin(), places.end());
    for (std::size_t i = 0; i < places.size(); ++i) place_of_[places[i]] = static_cast<int>(i);
  }
  can_be_true_.assign(problem_.initial, problem_.initial + words);
  const std::vector<char> is_live = reachable_operators(is_dropped, can_be_true_);
  changes_.assign(words, 0);
  for (std::size_t op = 0; op < num_operators; ++op)
    for (std::size_t i = 0; is_live[op] && i < words; ++i)
      changes_[i] |= problem_.flip[op * words + i];
  spot_of_.assign(problem_.num_facts, -1);
  for_each_fact(changes_.data(), problem_.words, [&](FactId fact) {
    if (place_of_[fact] >= 0) return;
    spot_of_[fact] = num_spots();
    spots.push_back(fact);
  });
  initial.assign(this->words(), 0);
  for (int spot = 0; spot < num_spots(); ++spot)
    if (has(problem_.initial, spots[spot])) add(initial.data(), spot);
  for (int place = 0; place < num_places(); ++place)
    if (has(problem_.initial, places[place])) initial_place = place;

  blocks.resize(num_spots());
  walks.resize(num_places());
  for (int place = 0; place < num_places(); ++place) {
    FactSet at(words);
    add(at.data(), places[place]);
    const FactSet excluded = compiler.invariants().false_in(at.data(), at.data());
    for_each_fact(excluded.data(), problem_.words, [&](FactId fact) {
      if (spot_of_[fact] >= 0) blocks[spot_of_[fact]].push_back(place);
    });
  }
  for (std::size_t op = 0; op < num_operators; ++op) {
    if (!is_live[op]) continue;
    const Word* mask = problem_.operators.mask + op * words;
    const Word* value = problem_.operators.value + op * words;
    const Word* flip = problem_.flip + op * words;
    PieceMove move;
    move.id = static_cast<OperatorId>(op);
    move.cost = short_weight(costs, num_operators, move.id);
    move.true_spots.assign(this->words(), 0);
    move.false_spots.assign(this->words(), 0);
    for_each_fact(mask, problem_.words, [&](FactId fact) {
      const bool is_true = has(value, fact), is_flipped = has(flip, fact);
      if (const int place = place_of_[fact]; place >= 0) {
        if (is_true) move.from = place;
        if (is_true != is_flipped) move.to = place;
      } else if (const int spot = spot_of_[fact]; spot >= 0) {
        add((is_true ? move.true_spots : move.false_spots).data(), spot);
        if (is_flipped) (is_true ? move.deleted : move.added).push_back(spot);
      }
    });
    if (move.deleted.empty() && move.added.empty()) {
      if (agent_ < 0 || move.from == move.to) continue;  // the operator changes nothing
      walks[move.from].push_back({move.to, move.id});
      walk_cost = move.cost;
    } else {
      moves.push_back(std::move(move));
    }
  }
  if (has_runs(problem_, costs)) {
    const std::vector<PieceMove> runs = run_moves(problem_, costs, moves, walks);
    moves.insert(moves.end(), runs.begin(), runs.end());
  }
  check_costs(costs.components);
  collect_goals();
  collect_cubes(problem_.forbidden, forbidden);
  collect_groups(all_groups);
  FEWEST_ASSERT(are_sound(), "moves test what they change, groups are disjoint, and lists are ascending");
}

// Throws std::overflow_error if, in a lexicographic pair, the sum of a stored cost, a walk and a move might not fit into
// its part of a packed cost. A stored cost has at most 16 bits in each part (node_costs.hpp).
void Pieces::check_costs(int num_components) const {
  if (num_components == 1) return;
  constexpr PackedCost kMostInPart = 0xffffffffu, kMostStored = 0xffff;
  const PackedCost most_steps = has_agent() ? static_cast<PackedCost>(num_places() - 1) : 0;
  for (const int shift : {0, 32}) {
    PackedCost most = 0;
    for (const PieceMove& move : moves) most = std::max(most, move.cost >> shift & kMostInPart);
    if ((walk_cost >> shift & kMostInPart) * most_steps + most + kMostStored > kMostInPart)
      throw std::overflow_error("a walk of the agent can cost too much");
  }
}

#ifdef FEWEST_ASSERTIONS
bool Pieces::are_sound() const {
  if (!std::is_sorted(spots.begin(), spots.end()) || !std::is_sorted(places.begin(), places.end())) return false;
  if (has_agent() && initial_place < 0) return false;
  for (const PieceMove& move : moves) {
    if (has_agent() && (move.from < 0 || move.to < 0)) return false;
    if (intersects(move.true_spots.data(), move.false_spots.data(), words())) return false;
    if (!move.then.empty()) continue;  // not checked for macro operators
    for (int spot : move.deleted)
      if (!has(move.true_spots.data(), spot)) return false;
    for (int spot : move.added)
      if (!has(move.false_spots.data(), spot)) return false;
  }
  std::vector<char> is_taken(num_spots(), 0);
  for (const PieceGroup& group : groups) {
    int num_true = 0;
    for (int spot : group.spots) {
      if (std::exchange(is_taken[spot], 1) != 0) return false;
      num_true += has(initial.data(), spot);
    }
    if (num_true != group.count || !std::is_sorted(group.spots.begin(), group.spots.end())) return false;
  }
  return true;
}
#endif

std::vector<int> Pieces::excluded_by(const FactSet& true_spots, int place) const {
  FactSet facts(static_cast<std::size_t>(problem_.words));
  for_each_fact(true_spots.data(), words(), [&](FactId spot) { add(facts.data(), spots[spot]); });
  if (place >= 0) add(facts.data(), places[place]);
  const FactSet excluded = compiler_.invariants().false_in(facts.data(), facts.data());
  std::vector<int> found;
  for_each_fact(excluded.data(), problem_.words, [&](FactId fact) {
    if (spot_of_[fact] >= 0) found.push_back(spot_of_[fact]);
  });
  return found;
}

int Pieces::find_agent(const CostTable& costs) const {
  const auto& groups = compiler_.invariants().exactly_one();
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (walks_alike(static_cast<int>(i), costs)) return static_cast<int>(i);
  return -1;
}

// Whether the group with the number `agent` can be the agent: it meets the conditions in pieces.hpp, and the goal and
// the forbidden cubes name its facts only in the supported form.
bool Pieces::walks_alike(int agent, const CostTable& costs) const {
  const auto words = static_cast<std::size_t>(problem_.words);
  const Invariants& invariants = compiler_.invariants();
  const std::vector<FactId>& facts = invariants.exactly_one()[agent];
  FactSet group(words);
  for (FactId fact : facts) add(group.data(), fact);
  if (!cubes_fit(problem_.goals, group, true) || !cubes_fit(problem_.forbidden, group, false) ||
      !is_agent_in_one_list(group))
    return false;
  std::vector<FactSet> excluded(problem_.num_facts);
  for (FactId fact : facts) {
    FactSet at(words);
    add(at.data(), fact);
    excluded[fact] = invariants.false_in(at.data(), at.data());
    for (FactId other : facts) remove(excluded[fact].data(), other);
  }
  std::vector<std::pair<FactId, FactId>> steps;
  PackedCost walk = 0;
  for (std::size_t op = 0; op < problem_.operators.count; ++op) {
    const Word* mask = problem_.operators.mask + op * words;
    const Word* value = problem_.operators.value + op * words;
    const Word* flip = problem_.flip + op * words;
    FactId from = kNoFact, to = kNoFact;
    bool has_other_flips = false, has_other_positives = false, names_no_place = true;
    for (FactId fact : facts) {
      if (has(value, fact)) {
        if (from != kNoFact) return false;
        from = fact;
        names_no_place = false;
      } else if (has(flip, fact)) {
        to = fact;
      }
    }
    if (names_no_place) return false;
    for (std::size_t i = 0; i < words; ++i) {
      has_other_flips |= (flip[i] & ~group[i]) != 0;
      has_other_positives |= (value[i] & ~group[i]) != 0;
    }
    if (has_other_flips) continue;
    if (to == kNoFact || has_other_positives) return false;
    for (std::size_t i = 0; i < words; ++i) {
      const Word required = mask[i] & ~value[i] & ~group[i];
      if (required & ~(excluded[to][i] | excluded[from][i])) return false;
      if (excluded[to][i] & ~(required | excluded[from][i])) return false;
    }
    const PackedCost cost =
        short_weight(costs, problem_.operators.count, static_cast<OperatorId>(op));
    if (!steps.empty() && cost != walk) return false;
    walk = cost;
    steps.emplace_back(from, to);
  }
  std::sort(steps.begin(), steps.end());
  return !steps.empty() && std::all_of(steps.begin(), steps.end(), [&](const auto& step) {
    return std::binary_search(steps.begin(), steps.end(), std::pair(step.second, step.first));
  });
}

// Whether the cubes have the supported form. If `may_name_place`, a cube must either name no place of the agent or
// require exactly one. Otherwise a cube must not name a place, and it must not hold at the start.
bool Pieces::cubes_fit(const Cubes& cubes, const FactSet& agent, bool may_name_place) const {
  const auto words = static_cast<std::size_t>(problem_.words);
  for (std::size_t i = 0; i < cubes.count; ++i) {
    const Word* mask = cubes.mask + i * words;
    const Word* value = cubes.value + i * words;
    int positives = 0, literals = 0;
    bool holds = true;
    for (std::size_t j = 0; j < words; ++j) {
      positives += std::popcount(value[j] & agent[j]);
      literals += std::popcount(mask[j] & agent[j]);
      holds = holds && (problem_.initial[j] & mask[j]) == value[j];
    }
    if (may_name_place ? positives > 1 || (positives == 0 && literals > 0) : literals > 0 || holds)
      return false;
  }
  return true;
}

// Returns, for each operator, whether it can be reached from the start in the delete relaxation. `facts` contains the
// facts of the start; the facts that the reachable operators can make true are added. An operator that never applies
// deletes no fact. Once it is dropped, more facts may be constant and fewer operators may apply, so this loop repeats
// until no operator is dropped. Otherwise, an operator that requires a constantly true fact to be false could remain.
std::vector<char> Pieces::reachable_operators(std::vector<char> is_dropped, FactSet& facts) const {
  const FactSet start = facts;
  for (;;) {
    facts = start;
    const std::vector<char> is_live = reachable_without(is_dropped, facts);
    bool is_stable = true;
    for (std::size_t op = 0; op < is_live.size(); ++op) {
      is_stable = is_stable && (is_dropped[op] || is_live[op]);
      is_dropped[op] = !is_live[op];
    }
    if (is_stable) return is_live;
  }
}

std::vector<char> Pieces::reachable_without(const std::vector<char>& is_dropped,
                                            FactSet& facts) const {
  const auto words = static_cast<std::size_t>(problem_.words);
  std::vector<char> is_live(problem_.operators.count, 0);
  // Facts that are true at the start and that no operator deletes are always true.
  FactSet deleted(words);
  for (std::size_t op = 0; op < is_live.size(); ++op)
    for (std::size_t i = 0; !is_dropped[op] && i < words; ++i)
      deleted[i] |= problem_.flip[op * words + i] & problem_.operators.value[op * words + i];
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t op = 0; op < is_live.size(); ++op) {
      if (is_live[op] || is_dropped[op]) continue;
      const Word* mask = problem_.operators.mask + op * words;
      const Word* value = problem_.operators.value + op * words;
      bool is_possible = true;
      for (std::size_t i = 0; i < words; ++i) {
        const Word always = problem_.initial[i] & ~deleted[i];
        is_possible = is_possible && !(value[i] & ~facts[i]) && !(mask[i] & ~value[i] & always);
      }
      if (!is_possible) continue;
      is_live[op] = 1;
      grows = true;
      for (std::size_t i = 0; i < words; ++i) facts[i] |= problem_.flip[op * words + i];
    }
  }
  return is_live;
}

// Whether at most one of the goal's lists names facts of the agent.
bool Pieces::is_agent_in_one_list(const FactSet& agent) const {
  const Cubes& cubes = problem_.goals;
  if (!cubes.has_several_lists()) return true;
  std::set<std::int32_t> lists;
  for (std::size_t i = 0; i < cubes.count; ++i)
    if (intersects(cubes.mask + i * problem_.words, agent.data(), problem_.words)) lists.insert(cubes.list[i]);
  return lists.size() <= 1;
}

// Returns the cube with constant facts removed, or nullopt if a constant fact contradicts the cube.
std::optional<PieceCube> Pieces::cut_cube(const Cubes& cubes, std::size_t number) const {
  const Word* value = cubes.value + number * problem_.words;
  PieceCube cube;
  cube.true_spots.assign(this->words(), 0);
  cube.false_spots.assign(this->words(), 0);
  bool is_possible = true;
  for_each_fact(cubes.mask + number * problem_.words, problem_.words, [&](FactId fact) {
    const bool is_true = has(value, fact);
    if (place_of_[fact] >= 0) {
      if (is_true) cube.place = place_of_[fact];
    } else if (spot_of_[fact] >= 0) {
      add((is_true ? cube.true_spots : cube.false_spots).data(), spot_of_[fact]);
    } else if (is_true != has(problem_.initial, fact)) {
      is_possible = false;
    }
  });
  if (!is_possible) return std::nullopt;
  return cube;
}

void Pieces::collect_cubes(const Cubes& cubes, std::vector<PieceCube>& out) const {
  for (std::size_t i = 0; i < cubes.count; ++i)
    if (std::optional<PieceCube> cube = cut_cube(cubes, i)) out.push_back(std::move(*cube));
}

// Chooses the list that becomes `goals`: the list that names places of the agent or, if no list does, the list that is
// farthest from the start. (This distance is the least number of spots in which the start differs from a cube of the
// list.) Each other list with a single cube is merged into the cubes of this list.
void Pieces::collect_goals() {
  if (!problem_.goals.has_several_lists()) return collect_cubes(problem_.goals, goals);
  std::vector<std::vector<PieceCube>> lists;
  for (std::size_t i = 0; i < problem_.goals.count; ++i) {
    if (i == 0 || problem_.goals.list[i] != problem_.goals.list[i - 1]) lists.emplace_back();
    if (std::optional<PieceCube> cube = cut_cube(problem_.goals, i)) lists.back().push_back(std::move(*cube));
  }
  const auto is_empty_list = [](const std::vector<PieceCube>& list) { return list.empty(); };
  if (std::any_of(lists.begin(), lists.end(), is_empty_list)) return;  // there is no goal state
  const auto rank = [&](const std::vector<PieceCube>& list) {
    int least = num_spots() + 1;
    bool names_place = false;
    for (const PieceCube& cube : list) {
      int missing = 0;
      for (int i = 0; i < words(); ++i)
        missing += std::popcount(cube.true_spots[i] & ~initial[i]) + std::popcount(cube.false_spots[i] & initial[i]);
      least = std::min(least, missing);
      names_place = names_place || cube.place >= 0;
    }
    return std::pair(names_place, least);
  };
  const auto first = std::max_element(lists.begin(), lists.end(),
                                      [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  goals = std::move(*first);
  lists.erase(first);
  for (std::vector<PieceCube>& list : lists) {
    if (list.size() > 1)
      further_goals.push_back(std::move(list));
    else
      std::erase_if(goals, [&](PieceCube& goal) { return !narrow(goal, list[0]); });
  }
  if (goals.empty()) further_goals.clear();
}

// Collects the groups with spots for which every move adds as many spots of the group as it deletes. A group that
// overlaps an earlier one is omitted.
void Pieces::collect_groups(const FactGroups& all) {
  std::vector<char> is_taken(num_spots(), 0);
  for (const std::vector<FactId>& facts : all) {
    PieceGroup group;
    std::vector<char> is_in(num_spots(), 0);
    bool is_disjoint = true;
    for (FactId fact : facts) {
      const int spot = spot_of_[fact];
      if (spot < 0) continue;
      is_disjoint = is_disjoint && !is_taken[spot];
      is_in[spot] = 1;
      group.spots.push_back(spot);
      group.count += has(initial.data(), spot);
    }
    const bool holds = std::all_of(moves.begin(), moves.end(), [&](const PieceMove& move) {
      int balance = 0;
      for (int spot : move.added) balance += is_in[spot];
      for (int spot : move.deleted) balance -= is_in[spot];
      return balance == 0;
    });
    if (!is_disjoint || !holds || group.spots.empty()) continue;
    for (int spot : group.spots) is_taken[spot] = 1;
    std::sort(group.spots.begin(), group.spots.end());
    groups.push_back(std::move(group));
  }
}

}  // namespace fewest
