#include "python/inputs.hpp"

#include <stdexcept>
#include <string>

#include "blind/search.hpp"
#include "state/bits.hpp"

namespace fewest::python {

namespace {

void check_facts(const Problem& problem, const char* name, const Groups& groups) {
  for (const auto& group : groups)
    for (const FactId fact : group)
      if (fact < 0 || fact >= problem.num_facts)
        throw std::invalid_argument(std::string(name) + " names a fact that does not exist");
}

void check_permutations(const Problem& problem) {
  std::vector<std::size_t> reached(problem.num_facts, 0);
  for (std::size_t p = 0; p < problem.num_permutations; ++p)
    for (FactId fact = 0; fact < problem.num_facts; ++fact) {
      const FactId to = problem.permutations[p * problem.num_facts + fact];
      if (to < 0 || to >= problem.num_facts || reached[to] == p + 1)
        throw std::invalid_argument("every permutation must name each fact once");
      reached[to] = p + 1;
    }
}

void check_unused(const Problem& problem, const char* name, const Word* rows, std::size_t count) {
  const int left = problem.words * 64 - problem.num_facts;
  if (left == 0) return;
  const Word unused = left >= 64 ? ~Word{0} : ~Word{0} << (64 - left);
  for (std::size_t row = 0; row < count; ++row)
    if ((rows[(row + 1) * problem.words - 1] & unused) != 0)
      throw std::invalid_argument(std::string(name) + " has bits beyond the " +
                                  std::to_string(problem.num_facts) + " facts");
}

void check_subset(const char* name, const Input<Word>& some, const Input<Word>& all) {
  for (std::size_t i = 0; i < some.size(); ++i)
    if ((some.data()[i] & ~all.data()[i]) != 0)
      throw std::invalid_argument(std::string(name) + " must be a subset of mask");
}

// Checks that no pending fact is true at the start, that no operator flips more than one pending fact, and that each
// effect requires exactly one pending fact.
void check_pending(const Problem& problem) {
  const auto count = [&](const Word* facts) {
    int found = 0;
    for (int i = 0; i < problem.words; ++i) found += std::popcount(facts[i] & problem.pending[i]);
    return found;
  };
  if (count(problem.initial) > 0) throw std::invalid_argument("a pending fact must not be true at the start");
  for (std::size_t op = 0; op < problem.operators.count; ++op)
    if (count(problem.flip + op * problem.words) > 1)
      throw std::invalid_argument("an operator must not flip several pending facts");
  for (std::size_t i = 0; i < problem.conditional_effects.count; ++i)
    if (count(problem.conditional_effects.value + i * problem.words) != 1 ||
        count(problem.conditional_effects.mask + i * problem.words) != 1)
      throw std::invalid_argument("an effect must test one pending fact");
}

void require(bool holds, const char* otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
}

template <class T>
void check_size(const char* name, const Input<T>& values, std::size_t size) {
  if (values.size() != size)
    throw std::invalid_argument(std::string(name) + " must have " + std::to_string(size) + " numbers, not " +
                                std::to_string(values.size()));
}

}  // namespace

BoundEffects::BoundEffects(Input<Word> mask_, Input<Word> value_, Input<Word> flip_,
                             Input<Word> clear_, Input<Word> need_mask_, Input<Word> need_value_,
                             Input<std::int32_t> place_, Input<std::int32_t> stage_,
                             std::vector<bool> everywhere)
    : mask(mask_), value(value_), flip(flip_), clear(clear_), need_mask(need_mask_),
      need_value(need_value_), place(place_), stage(stage_) {
  check_size("stage", stage, place.size());
  for (const auto* rows : {&value, &flip, &clear, &need_mask, &need_value})
    check_size("an array of effects", *rows, mask.size());
  require(place.size() == 0 ? mask.size() == 0 : mask.size() % place.size() == 0,
          "effects must have rows of words, one for each place");
  conditional_effects.count = place.size();
  conditional_effects.mask = mask.data();
  conditional_effects.value = value.data();
  conditional_effects.flip = flip.data();
  conditional_effects.clear = clear.data();
  conditional_effects.need_mask = need_mask.data();
  conditional_effects.need_value = need_value.data();
  conditional_effects.place = place.data();
  conditional_effects.stage = stage.data();
  conditional_effects.everywhere.assign(everywhere.begin(), everywhere.end());
  for (std::size_t i = 0; i < conditional_effects.count; ++i) {
    require(conditional_effects.place[i] >= (i == 0 ? 0 : conditional_effects.place[i - 1]), "place must ascend");
    const std::int32_t here = conditional_effects.stage[i], before = i == 0 ? 0 : conditional_effects.stage[i - 1];
    if (here < before || static_cast<std::size_t>(here) >= everywhere.size())
      throw std::invalid_argument("stage must ascend, and name stages that exist");
  }
}

BoundProblem::BoundProblem(int num_facts, Input<Word> initial_, Input<Word> mask_,
                           Input<Word> value_, Input<Word> flip_, Input<FactId> index_fact_,
                           Input<Word> goal_mask_, Input<Word> goal_value_,
                           Input<Word> forbid_mask_, Input<Word> forbid_value_, Groups exactly_one,
                           Groups at_most_one, Input<FactId> permutations_,
                           const BoundEffects* conditional_effects_, Input<Word> pending_, Input<std::int32_t> goal_list_)
    : initial(initial_), mask(mask_), value(value_), flip(flip_), goal_mask(goal_mask_),
      goal_value(goal_value_), forbid_mask(forbid_mask_), forbid_value(forbid_value_),
      pending(pending_), index_fact(index_fact_), permutations(permutations_), goal_list(goal_list_) {
  const std::size_t words = initial.size(), size = index_fact.size();
  require(num_facts >= 0, "num_facts must not be negative");
  require(words >= 1 && words <= std::size_t{1} << 24, "a state has at least one word");
  require(static_cast<std::size_t>(num_facts) <= words * 64, "initial has too few words for the facts");
  for (const auto* rows : {&mask, &value, &flip}) check_size("an array of operators", *rows, size * words);
  require(goal_mask.size() % words == 0, "goal_mask must have rows of words");
  require(forbid_mask.size() % words == 0, "forbid_mask must have rows of words");
  check_size("goal_value", goal_value, goal_mask.size());
  check_size("forbid_value", forbid_value, forbid_mask.size());
  if (goal_list.size() > 0) check_size("goal_list", goal_list, goal_mask.size() / words);
  for (std::size_t i = 1; i < goal_list.size(); ++i)
    require(goal_list.data()[i - 1] <= goal_list.data()[i], "goal_list must ascend");
  if (pending.size() > 0) check_size("pending", pending, words);
  require(num_facts == 0 ? permutations.size() == 0 : permutations.size() % static_cast<std::size_t>(num_facts) == 0,
          "permutations must have rows of facts");
  problem.num_facts = num_facts;
  problem.words = static_cast<int>(words);
  problem.initial = initial.data();
  problem.operators = {size, mask.data(), value.data()};
  problem.flip = flip.data();
  problem.index_fact = index_fact.data();
  problem.goals = {goal_mask.size() / words, goal_mask.data(), goal_value.data(),
                   goal_list.size() == 0 ? nullptr : goal_list.data()};
  problem.forbidden = {forbid_mask.size() / words, forbid_mask.data(), forbid_value.data()};
  problem.exactly_one = std::move(exactly_one);
  problem.at_most_one = std::move(at_most_one);

  problem.permutations = permutations.data();
  problem.num_permutations = num_facts == 0 ? 0 : permutations.size() / static_cast<std::size_t>(num_facts);

  check_permutations(problem);
  if (conditional_effects_ != nullptr) {
    conditional_effects = *conditional_effects_;
    problem.conditional_effects = conditional_effects->conditional_effects;
    check_size("conditional_effects.mask", conditional_effects->mask, problem.conditional_effects.count * words);
    for (const auto* rows : {&conditional_effects->clear, &conditional_effects->need_mask})
      check_unused(problem, "conditional_effects", rows->data(), problem.conditional_effects.count);
    check_subset("conditional_effects.value", conditional_effects->value, conditional_effects->mask);
    check_subset("conditional_effects.need_value", conditional_effects->need_value, conditional_effects->need_mask);
    check_unused(problem, "conditional_effects.mask", conditional_effects->mask.data(), problem.conditional_effects.count);
    check_unused(problem, "conditional_effects.flip", conditional_effects->flip.data(), problem.conditional_effects.count);
  }
  if (problem.num_permutations > 0 && problem.conditional_effects.count > 0 && pending.size() == 0)
    throw std::invalid_argument("a problem with permutations supports effects only if it has pending facts");
  if (pending.size() > 0) {
    problem.pending = pending.data();
    check_unused(problem, "pending", problem.pending, 1);
    check_pending(problem);
  }

  check_unused(problem, "initial", problem.initial, 1);
  check_unused(problem, "mask", mask.data(), size);
  check_unused(problem, "goal_mask", goal_mask.data(), problem.goals.count);
  check_unused(problem, "forbid_mask", forbid_mask.data(), problem.forbidden.count);
  check_subset("value", value, mask);
  check_subset("flip", flip, mask);
  check_facts(problem, "exactly_one", problem.exactly_one);
  check_facts(problem, "at_most_one", problem.at_most_one);
  for (std::size_t op = 0; op < size; ++op) {
    const FactId fact = problem.index_fact[op];
    if (fact < -1 || fact >= num_facts)
      throw std::invalid_argument("index_fact names a fact that does not exist");
    if (fact >= 0 && !has(value.data() + op * words, fact))
      throw std::invalid_argument("index_fact must be a positive fact of the operator's cube");
  }
}

BoundCosts::BoundCosts(int parts, Input<std::int64_t> weight_, Input<RunKey> run_in_, Input<RunKey> run_out_,
                       Groups run_fact)
    : weight(weight_), run_in(run_in_), run_out(run_out_),
      table{parts, weight.data(), run_in.data(), run_out.data(), std::move(run_fact)} {
  require(parts == 1 || parts == 2, "a metric has 1 or 2 parts");
  require(table.run_fact.size() == static_cast<std::size_t>(parts), "run_fact must have a list for each part");
  require(weight.size() % static_cast<std::size_t>(parts) == 0, "weight must have a row for each part");
  check_size("run_in", run_in, weight.size());
  check_size("run_out", run_out, weight.size());
}

BoundSymmetry::BoundSymmetry(std::size_t order, Input<FactId> facts_, bool fixes_initial)
    : facts(facts_), symmetry{order, facts.data(), fixes_initial} {
  require(order >= 1 && facts.size() % order == 0, "a symmetry must have a row of facts for each element");
  const std::size_t row = facts.size() / order;
  std::vector<std::size_t> reached(row, 0);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    const FactId fact = facts.data()[i];
    require(fact >= 0 && static_cast<std::size_t>(fact) < row && std::exchange(reached[fact], i / row + 1) != i / row + 1,
            "a symmetry must permute the facts");
    require(i >= row || static_cast<std::size_t>(fact) == i, "the first element of a symmetry must be the identity");
  }
}

BoundNumbering::BoundNumbering(Number size, Groups variables, std::vector<int> may_be_none, std::vector<int> steps,
                               std::vector<std::uint32_t> nodes, Input<Word> entries_)
    : entries(entries_),
      numbering{size,             std::move(variables), std::move(may_be_none), std::move(steps),
                std::move(nodes), entries.data(),       entries.size()} {
  require(numbering.size >= 1, "the size of a numbering must be at least 1");
  require(numbering.may_be_none.size() == numbering.variables.size(), "may_be_none must have a number for each variable");
  for (const int option : numbering.may_be_none) require(option == 0 || option == 1, "may_be_none must be 0 or 1");
  for (const int count : numbering.steps) require(count >= 1, "a step must have at least one variable");
}

void check_fits(const BoundProblem& bound, const BoundSymmetry& symmetry) {
  check_size("symmetry", symmetry.facts, symmetry.symmetry.order * static_cast<std::size_t>(bound.problem.num_facts));
}

void check_fits(const Problem& problem, const Hints& hints) {
  check_facts(problem, "groups", hints.groups);
  check_facts(problem, "images", hints.images);
  const auto size = static_cast<std::size_t>(problem.num_facts);
  require(hints.numbers.empty() || hints.numbers.size() == size, "numbers must have a number for each fact");
  for (const auto& image : hints.images) require(image.size() == size, "each of images must have one entry per fact");
  for (const auto& cube : hints.dead) {
    check_facts(problem, "dead", {cube.pieces});
    check_facts(problem, "dead", {cube.places});
  }
}

void check_reversed(const BoundProblem& bound, const BoundProblem& reversed) {
  require(bound.problem.num_facts == reversed.problem.num_facts && bound.problem.words == reversed.problem.words,
          "a reversed problem must have the same facts");
  require(bound.problem.num_permutations == reversed.problem.num_permutations,
          "a reversed problem must have the same number of permutations");
}

void check_costs(const BoundProblem& bound, const BoundCosts& costs) {
  const std::size_t count = bound.problem.operators.count, size = count + bound.problem.num_permutations;
  const CostTable& table = costs.table;
  check_size("weight", costs.weight, static_cast<std::size_t>(table.components) * size);
  for (int part = 0; part < table.components; ++part) {
    const auto& facts = table.run_fact[part];
    const auto num_keys = static_cast<RunKey>(facts.size());
    for (const FactId fact : facts)
      if (fact < -1 || fact >= bound.problem.num_facts)
        throw std::invalid_argument("run_fact names a fact that does not exist");
    for (std::size_t op = 0; op < size; ++op) {
      const std::size_t at = part * size + op;
      if (table.weight[at] < 0) throw std::invalid_argument("weights must not be negative");
      const RunKey in = table.run_in[at], out = table.run_out[at];
      if (in < -1 || in >= num_keys)
        throw std::invalid_argument("run_in names a key that does not exist");
      if (out < -1 || out >= num_keys)
        throw std::invalid_argument("run_out names a key that does not exist");
      if (in >= 0 && facts[in] >= 0 && (op >= count || facts[in] != bound.problem.index_fact[op]))
        throw std::invalid_argument("run_fact of run_in must be the operator's index_fact");
    }
  }
}

void bind_inputs(nb::module_& module) {
  nb::class_<BoundEffects>(module, "ConditionalEffects")
      .def(nb::init<Input<Word>, Input<Word>, Input<Word>, Input<Word>, Input<Word>, Input<Word>,
                    Input<std::int32_t>, Input<std::int32_t>, std::vector<bool>>(),
           nb::arg("mask"), nb::arg("value"), nb::arg("flip"), nb::arg("clear"),
           nb::arg("need_mask"), nb::arg("need_value"), nb::arg("place"), nb::arg("stage"),
           nb::arg("everywhere"));
  nb::class_<BoundProblem>(module, "Problem")
      .def(nb::init<int, Input<Word>, Input<Word>, Input<Word>, Input<Word>, Input<FactId>,
                    Input<Word>, Input<Word>, Input<Word>, Input<Word>, Groups, Groups,
                    Input<FactId>, const BoundEffects*, Input<Word>, Input<std::int32_t>>(),
           nb::arg("num_facts"), nb::arg("initial"), nb::arg("mask"), nb::arg("value"),
           nb::arg("flip"), nb::arg("index_fact"), nb::arg("goal_mask"), nb::arg("goal_value"),
           nb::arg("forbid_mask"), nb::arg("forbid_value"), nb::arg("exactly_one"),
           nb::arg("at_most_one"), nb::arg("permutations"), nb::arg("conditional_effects").none(), nb::arg("pending"),
           nb::arg("goal_list"))
      .def_prop_ro("packed_words",
                   [](const BoundProblem& bound) { return packed_words(bound.problem); });
  nb::class_<BoundCosts>(module, "CostTable")
      .def(nb::init<int, Input<std::int64_t>, Input<RunKey>, Input<RunKey>, Groups>(),
           nb::arg("parts"), nb::arg("weight"), nb::arg("run_in"), nb::arg("run_out"),
           nb::arg("run_fact"));
  module.def("check_costs", &check_costs, nb::arg("problem"), nb::arg("costs"));
  nb::class_<BoundSymmetry>(module, "Symmetry")
      .def(nb::init<std::size_t, Input<FactId>, bool>(), nb::arg("order"), nb::arg("facts"),
           nb::arg("fixes_initial"));
  nb::class_<BoundNumbering>(module, "Numbering")
      .def(nb::init<Number, Groups, std::vector<int>, std::vector<int>, std::vector<std::uint32_t>,
                    Input<Word>>(),
           nb::arg("size"), nb::arg("variables"), nb::arg("may_be_none"), nb::arg("steps"),
           nb::arg("nodes"), nb::arg("entries"));
  nb::class_<Hints>(module, "Hints")
      .def(
          "__init__",
          [](Hints* self, Groups groups, std::vector<int> numbers, Groups images,
             std::vector<std::pair<std::vector<FactId>, std::vector<FactId>>> dead) {
            new (self) Hints{std::move(groups), std::move(numbers), std::move(images), {}};
            for (auto& [pieces, places] : dead)
              self->dead.push_back({std::move(pieces), std::move(places)});
          },
          nb::arg("groups"), nb::arg("numbers"), nb::arg("images"), nb::arg("dead"))
      .def_rw("look_from", &Hints::look_from)
      .def_prop_rw("has_areas", [](const Hints& hints) { return hints.parts.has_areas; },
                   [](Hints& hints, bool has) { hints.parts.has_areas = has; })
      .def_prop_rw("has_corrals", [](const Hints& hints) { return hints.parts.has_corrals; },
                   [](Hints& hints, bool has) { hints.parts.has_corrals = has; });
  nb::class_<Limits>(module, "Limits")
      .def(nb::init<double, std::size_t, nb::object>(), nb::arg("seconds"), nb::arg("memory"),
           nb::arg("progress").none());
}

}  // namespace fewest::python
