#include "state/compiler.hpp"

#include <algorithm>
#include <numeric>

namespace fewest {

Compiler::Compiler(const Problem& problem, const Invariants& invariants, const Layout& layout)
    : problem_(&problem), invariants_(&invariants), layout_(&layout) {
  int raw = 0, true_raw = 0;
  for (FactId fact = 0; fact < problem.num_facts; ++fact) {
    if (invariants.group_of(fact) >= 0) continue;
    ++raw;
    true_raw += has(problem.initial, fact);
  }
  raw_density_ = raw == 0 ? 0.0 : static_cast<double>(true_raw) / raw;
  // If the layout is not packed and has one word, one masked comparison tests all facts, so derived words would save no
  // time.
  if (layout.is_packed() || layout.words() > 1) choose_derived();
}

void Compiler::choose_derived() {
  const auto& groups = invariants_->at_most_one();
  const int words = problem_->words;
  std::vector<std::vector<int>> groups_of(problem_->num_facts);
  for (std::size_t id = 0; id < groups.size(); ++id)
    for_each_fact(groups[id].data(), words,
                  [&](FactId fact) { groups_of[fact].push_back(static_cast<int>(id)); });
  std::vector<std::size_t> uses(groups.size()), seen(groups.size());
  for (std::size_t op = 0; op < problem_->operators.count; ++op) {
    const Word* mask = problem_->operators.mask + op * words;
    const Word* value = problem_->operators.value + op * words;
    const FactSet false_facts = invariants_->false_in(mask, value);
    for_each_fact(mask, words, [&](FactId fact) {
      if (has(value, fact)) return;
      for (int id : groups_of[fact]) {
        if (seen[id] == op + 1) continue;
        seen[id] = op + 1;
        uses[id] += is_subset(groups[id], false_facts);
      }
    });
  }
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return uses[a] > uses[b]; });
  covers_.assign(problem_->num_facts, 0);
  for (std::size_t id : order) {
    if (derived_.size() == 63 || uses[id] == 0) break;
    for_each_fact(groups[id].data(), words, [&](FactId fact) {
      covers_[fact] |= Word{1} << derived_.size();
    });
    derived_.push_back(groups[id]);
  }
  FEWEST_ASSERT(derived_.size() <= 63, "the derived word has a bit for each group, and one that is always set");
}

CompiledCube Compiler::compile(const Word* mask, const Word* value, FactId known_true,
                               bool may_derive) const {
  const int words = problem_->words;
  CompiledCube cube;
  cube.mask.assign(layout_->words(), 0);
  cube.value.assign(layout_->words(), 0);
  for (int i = 0; i < words; ++i)
    if (value[i] & ~mask[i]) cube.is_possible = false;
  FactSet open(words);  // negative literals that no derived bit covers yet
  for (int i = 0; i < words; ++i) open[i] = mask[i] & ~value[i];
  for_each_fact(value, words, [&](FactId fact) {
    const FactPlace& place = layout_->of(fact);
    if (!place.is_raw) {
      // The other facts of the group are false, because at most one fact of a group is true.
      for (FactId other : invariants_->exactly_one()[invariants_->group_of(fact)]) {
        if (other == fact) continue;
        if (has(value, other)) cube.is_possible = false;
        remove(open.data(), other);
      }
    }
    if (fact == known_true) return;
    cube.mask[place.word] |= place.mask;
    cube.value[place.word] |= place.value;
  });
  if (!cube.is_possible) return cube;
  if (may_derive && has_derived()) {
    const FactSet false_facts = invariants_->false_in(mask, value);
    Word candidates = 0;
    for_each_fact(open.data(), words, [&](FactId fact) { candidates |= covers_[fact]; });
    for_each_bit(candidates, [&](int bit) {
      FEWEST_ASSERT(static_cast<std::size_t>(bit) < derived_.size(), "each bit of a cover is that of a group");
      if (!is_subset(derived_[bit], false_facts)) return;
      cube.derived_mask |= Word{1} << bit;
      for (int i = 0; i < words; ++i) open[i] &= ~derived_[bit][i];
    });
  }
  for_each_fact(open.data(), words, [&](FactId fact) {
    const FactPlace& place = layout_->of(fact);
    if (place.is_raw)
      cube.mask[place.word] |= place.mask;
    else
      cube.differ.push_back({place.word, place.mask, place.value});
  });
  FEWEST_ASSERT(is_subset(cube.value, cube.mask), "the value of a compiled cube has only bits of its mask");
  FEWEST_ASSERT(agrees_at_start(cube, mask, value, known_true), "a compiled cube is right in the initial state");
  return cube;
}

#ifdef FEWEST_ASSERTIONS
bool Compiler::agrees_at_start(const CompiledCube& cube, const Word* mask, const Word* value,
                               FactId known_true) const {
  const Word* initial = problem_->initial;
  if (known_true != kNoFact && !has(initial, known_true)) return true;
  bool is_in = true, requires_pending = false;
  for (int i = 0; i < problem_->words; ++i) {
    is_in = is_in && (initial[i] & mask[i]) == value[i];
    requires_pending = requires_pending || (problem_->pending != nullptr && (mask[i] & problem_->pending[i]) != 0);
  }
  if (requires_pending) return true;  // the compiled cube omits these facts
  const FactSet state = layout_->pack(initial);
  bool is_in_compiled = true;
  for (std::size_t i = 0; i < state.size(); ++i)
    is_in_compiled = is_in_compiled && (state[i] & cube.mask[i]) == cube.value[i];
  Word derived = kAlwaysDerived;
  for_each_fact(initial, problem_->words, [&](FactId fact) { derived ^= cover(fact); });
  is_in_compiled = is_in_compiled && (derived & cube.derived_mask) == 0;
  for (const Differ& differ : cube.differ)
    is_in_compiled = is_in_compiled && (state[differ.word] & differ.mask) != differ.value;
  return is_in == is_in_compiled;
}
#endif

FactId Compiler::rarest_positive(const Word* value, FactId preferred) const {
  FactId best = kNoFact;
  double best_density = 2.0;
  const auto consider = [&](FactId fact) {
    const int group = invariants_->group_of(fact);
    const double density =
        group < 0 ? raw_density_
                  : 1.0 / static_cast<double>(invariants_->exactly_one()[group].size());
    if (density < best_density) best = fact, best_density = density;
  };
  if (preferred != kNoFact) consider(preferred);
  for_each_fact(value, problem_->words, consider);
  return best;
}

}  // namespace fewest
