#include "informed/variable_projection.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "informed/backward_search.hpp"

namespace fewest {

std::optional<VariableProjection> VariableProjection::make(const Pieces& pieces, std::vector<PieceVariable> variables,
                                                           const Limits& limits) {
  VariableProjection made;
  made.variables_ = std::move(variables);
  made.variable_of_.assign(pieces.num_spots(), -1);
  made.value_of_.assign(pieces.num_spots(), 0);
  std::size_t codes = 1;
  for (std::size_t v = 0; v < made.variables_.size(); ++v) {
    const PieceVariable& variable = made.variables_[v];
    made.strides_.push_back(static_cast<std::uint32_t>(codes));
    codes *= variable.num_values();
    if (codes > limits.codes) return std::nullopt;
    for (std::size_t i = 0; i < variable.spots.size(); ++i) {
      made.variable_of_[variable.spots[i]] = static_cast<int>(v);
      made.value_of_[variable.spots[i]] = variable.is_single ? 1 : static_cast<int>(i);
    }
  }
  made.num_codes_ = static_cast<std::uint32_t>(codes);
  if (!made.add_rows(pieces) || !made.find_states(pieces, limits)) return std::nullopt;
  made.find_goals(pieces);
  return made;
}

// Collects the rows. Returns false if a move sets a variable without a precondition on its old value, since then no
// projection is possible.
bool VariableProjection::add_rows(const Pieces& pieces) {
  using Key = std::vector<std::tuple<int, int, int>>;
  std::map<Key, std::size_t> known;
  const std::size_t n = variables_.size();
  for (std::size_t i = 0; i < pieces.moves.size(); ++i) {
    const PieceMove& move = pieces.moves[i];
    std::vector<int> before(n, -1), after(n, -1);
    bool changes = false, is_possible = true;
    const auto note = [&](int spot, int value, std::vector<int>& values) {
      const int v = variable_of_[spot];
      if (v < 0) return;
      is_possible = is_possible && (values[v] < 0 || values[v] == value);
      values[v] = value;
    };
    for_each_fact(move.true_spots.data(), pieces.words(), [&](FactId spot) { note(spot, value_of_[spot], before); });
    for (int spot : move.deleted) {
      note(spot, value_of_[spot], before);
      if (variable_of_[spot] >= 0 && variables_[variable_of_[spot]].is_single) note(spot, 0, after);
    }
    for (int spot : move.added) {
      note(spot, value_of_[spot], after);
      if (variable_of_[spot] >= 0 && variables_[variable_of_[spot]].is_single) note(spot, 0, before);
      changes = changes || variable_of_[spot] >= 0;
    }
    for (int spot : move.deleted) changes = changes || variable_of_[spot] >= 0;
    std::vector<Literal> excludes;
    for_each_fact(move.false_spots.data(), pieces.words(), [&](FactId spot) {
      const int v = variable_of_[spot];
      if (v < 0) return;
      if (variables_[v].is_single)
        note(spot, 0, before);
      else
        excludes.push_back({v, value_of_[spot]});
    });
    for (const Literal& literal : excludes) is_possible = is_possible && before[literal.variable] != literal.value;
    std::erase_if(excludes, [&](const Literal& literal) { return before[literal.variable] >= 0; });
    if (!changes || !is_possible) continue;
    Row row;
    row.excludes = std::move(excludes);
    Key key;
    for (int v = 0; v < static_cast<int>(n); ++v) {
      if (after[v] >= 0 && before[v] < 0) return false;
      if (before[v] >= 0) row.needs.push_back({v, before[v]}), key.emplace_back(0, v, before[v]);
      if (after[v] >= 0) row.changes.push_back({v, after[v]}), key.emplace_back(1, v, after[v]);
    }
    for (const Literal& literal : row.excludes) key.emplace_back(2, literal.variable, literal.value);
    const auto [found, is_new] = known.emplace(std::move(key), rows_.size());
    if (is_new) rows_.push_back(std::move(row)), moves_of_.emplace_back();
    moves_of_[found->second].push_back(static_cast<int>(i));
  }
  return true;
}

// Finds the abstract states by breadth-first search from the start. Returns false if a limit was exceeded.
bool VariableProjection::find_states(const Pieces& pieces, const Limits& limits) {
  std::vector<int> number(num_codes_, -1);
  std::uint32_t start = 0;
  for_each_fact(pieces.initial.data(), pieces.words(), [&](FactId spot) {
    if (variable_of_[spot] >= 0) start += strides_[variable_of_[spot]] * static_cast<std::uint32_t>(value_of_[spot]);
  });
  // The rows, grouped by a variable and by the value of this variable that they require. Each row is listed under the
  // required variable that has the most values.
  std::vector<std::vector<std::vector<std::uint32_t>>> at(variables_.size());
  for (std::size_t v = 0; v < variables_.size(); ++v) at[v].resize(variables_[v].num_values());
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Literal* most = &rows_[r].needs[0];  // a row that changes a variable requires one of its values
    for (const Literal& need : rows_[r].needs)
      if (variables_[need.variable].num_values() > variables_[most->variable].num_values()) most = &need;
    at[most->variable][most->value].push_back(static_cast<std::uint32_t>(r));
  }
  number[start] = 0;
  codes_.push_back(start);
  std::size_t work = 0;
  for (std::size_t s = 0; s < codes_.size(); ++s) {
    const std::uint32_t code = codes_[s];
    for (std::size_t v = 0; v < variables_.size(); ++v)
      for (const std::uint32_t r : at[v][value_in(code, static_cast<int>(v))]) {
        const Row& row = rows_[r];
        if (++work > 16 * limits.transitions) return false;
        const auto is_there = [&](const Literal& literal) { return value_in(code, literal.variable) == literal.value; };
        if (!std::all_of(row.needs.begin(), row.needs.end(), is_there) ||
            std::any_of(row.excludes.begin(), row.excludes.end(), is_there))
          continue;
        std::uint32_t to = code;
        for (const Literal& change : row.changes)
          to += strides_[change.variable] *
                static_cast<std::uint32_t>(change.value - value_in(code, change.variable));
        FEWEST_ASSERT(to < num_codes_, "a code is one of the table");
        if (to == code) continue;
        if (number[to] < 0) {
          number[to] = static_cast<int>(codes_.size());
          codes_.push_back(to);
        }
        transitions_.push_back({static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(number[to]), r});
        if (codes_.size() > limits.states || transitions_.size() > limits.transitions) return false;
      }
  }
  std::stable_sort(transitions_.begin(), transitions_.end(),
                   [](const Transition& a, const Transition& b) { return a.to < b.to; });
  into_.assign(codes_.size() + 1, 0);
  for (const Transition& transition : transitions_) ++into_[transition.to + 1];
  for (std::size_t s = 0; s < codes_.size(); ++s) into_[s + 1] += into_[s];
  return true;
}

// Whether some state with the image `code` may be in the cube.
bool VariableProjection::holds(std::uint32_t code, const PieceCube& cube) const {
  bool may_hold = true;
  const auto check = [&](FactId spot, bool is_true) {
    const int v = variable_of_[spot];
    if (v >= 0) may_hold = may_hold && (value_in(code, v) == value_of_[spot]) == is_true;
  };
  const int words = static_cast<int>(cube.true_spots.size());
  for_each_fact(cube.true_spots.data(), words, [&](FactId spot) { check(spot, true); });
  for_each_fact(cube.false_spots.data(), words, [&](FactId spot) { check(spot, false); });
  return may_hold;
}

void VariableProjection::find_goals(const Pieces& pieces) {
  is_goal_.assign(codes_.size(), 1);
  const auto keep = [&](const std::vector<PieceCube>& list) {
    std::vector<const PieceCube*> cubes;
    for (const PieceCube& cube : list) {
      bool says = false;
      for (const PieceVariable& variable : variables_)
        for (int spot : variable.spots)
          says = says || has(cube.true_spots.data(), spot) || has(cube.false_spots.data(), spot);
      if (!says) return;
      cubes.push_back(&cube);
    }
    for (std::size_t s = 0; s < codes_.size(); ++s)
      is_goal_[s] = is_goal_[s] && std::any_of(cubes.begin(), cubes.end(),
                                               [&](const PieceCube* cube) { return holds(codes_[s], *cube); });
  };
  keep(pieces.goals);
  for (const std::vector<PieceCube>& list : pieces.further_goals) keep(list);
}

void VariableProjection::measure(const std::vector<int>& costs) {
  distances_.assign(codes_.size(), kFar);
  first_.assign(codes_.size(), -1);
  order_.clear();
  std::vector<char> is_done(codes_.size(), 0);
  HeapQueue<std::uint32_t> queue;
  for (std::size_t s = 0; s < codes_.size(); ++s)
    if (is_goal_[s]) distances_[s] = 0, queue.push(0, static_cast<std::uint32_t>(s));
  unsigned cost = 0;
  std::uint32_t state = 0;
  while (queue.pop(cost, state)) {
    if (std::exchange(is_done[state], 1) != 0) continue;
    order_.push_back(state);
    for (std::uint32_t t = into_[state]; t < into_[state + 1]; ++t) {
      const Transition& transition = transitions_[t];
      const int through = std::min(static_cast<int>(cost) + costs[transition.row], kMostDistance);
      if (through >= distances_[transition.from]) continue;
      distances_[transition.from] = through;
      first_[transition.from] = static_cast<int>(t);
      queue.push(static_cast<unsigned>(through), transition.from);
    }
  }
}

std::vector<double> VariableProjection::usage() const {
  std::vector<double> flow(codes_.size(), 0), used(num_rows(), 0);
  const double share = 0.5 / static_cast<double>(std::max<std::size_t>(1, order_.size()));
  for (std::size_t i = order_.size(); i-- > 0;) {
    const std::uint32_t state = order_[i];
    if (first_[state] < 0) continue;
    const Transition& transition = transitions_[first_[state]];
    const double plans = flow[state] + share + (state == 0 ? 0.5 : 0);
    flow[transition.to] += plans;
    used[transition.row] += plans;
  }
  return used;
}

double VariableProjection::mean_distance() const {
  double sum = 0;
  for (std::uint32_t state : order_) sum += distances_[state];
  return order_.empty() ? 0 : sum / static_cast<double>(order_.size());
}

std::vector<int> VariableProjection::needed_costs() const {
  std::vector<int> needed(num_rows(), 0);
  for (const Transition& transition : transitions_)
    if (distances_[transition.from] != kFar && distances_[transition.to] != kFar)
      needed[transition.row] = std::max(needed[transition.row], distances_[transition.from] - distances_[transition.to]);
  return needed;
}

}  // namespace fewest
