#include "index/transducer.hpp"

#include <map>

namespace fewest {

// The effect of one operator on a level: the new code for each code, or kNever if the operator does not apply to the
// code.
using Effect = std::vector<std::int32_t>;

class TransducerMaker {
 public:
  TransducerMaker(const Problem& problem, const Numbering& numbering)
      : problem_(problem), numbering_(numbering), place_of_(problem.num_facts, Place{-1, 0}) {
    std::size_t variable = 0;
    for (std::size_t i = 0; i < numbering.steps.size(); ++i) {
      Level level{variable, variable + numbering.steps.at(i), 0, {}, {}};
      for (; variable < level.end; ++variable) {
        level.bits += option_bits(numbering, variable);
        for (const FactId fact : numbering.variables.at(variable)) {
          if (fact < 0 || fact >= problem.num_facts)
            throw std::invalid_argument("the numbering does not fit the problem");
          place_of_[fact] = {static_cast<int>(i), static_cast<int>(variable - level.begin)};
        }
      }
      levels_.push_back(std::move(level));
    }
    for (std::size_t i = 0; i < levels_.size(); ++i) collect_codes(levels_[i]);
  }

  void add(const Word* mask, const Word* value, const Word* flip) {
    std::map<int, Effect> effects;
    bool is_possible = true;
    for_each_fact(mask, problem_.words, [&](FactId fact) {
      const int level = place_of_[fact].level;
      if (level >= 0)
        effects.try_emplace(level);
      else  // no consistent state has this fact
        is_possible = is_possible && !has(value, fact) && !has(flip, fact);
    });
    if (!is_possible) return;
    Tail tail = kDone;
    for (int i = static_cast<int>(levels_.size()); i-- > 0;) {
      const auto found = effects.find(i);
      if (found == effects.end()) {
        if (tail != kDone) tail = tail_of({i, kNothing, tail});
        continue;
      }
      found->second = effect(levels_[i], mask, value, flip);
      tail = tail_of({i, effect_of(levels_[i], found->second), tail});
    }
    if (tail == kDone)
      ++whole_;
    else
      tails_of_all_.push_back(tail);
  }

  // If `is_test`, operators that write the same codes always share a node. Otherwise, operators that have not changed a
  // code yet (`is_fresh`) do not share nodes with operators that have. Returns nullopt if the transducer would be too
  // large.
  std::optional<Transducer> make(bool is_test) {
    std::sort(tails_of_all_.begin(), tails_of_all_.end());
    node_of({0, !is_test, whole_, tails_of_all_});
    for (int i = 0; i <= static_cast<int>(levels_.size()); ++i) made_.copiers_.push_back(node_of({i, false, 1, {}}));
    for (std::uint32_t i = 0; i < sets_.size(); ++i) {
      made_.nodes_.push_back({sets_[i].level, sets_[i].done, made_.edges_.size(), 0});
      if (sets_[i].level < static_cast<int>(levels_.size())) add_edges(i);
      made_.nodes_.back().end = made_.edges_.size();
      FEWEST_ASSERT(sets_[i].level < static_cast<int>(levels_.size()) || sets_[i].tails.empty(),
                    "after the last level every operator is done");
      if (sets_.size() > kMostNodes || made_.edges_.size() > kMostEdges) return std::nullopt;
    }
    return std::move(made_);
  }

 private:
  static constexpr std::int32_t kNever = -1;
  static constexpr std::uint32_t kNothing = 0, kDone = 0;
  static constexpr std::size_t kMostNodes = (std::size_t{1} << 16) - 1, kMostEdges = std::size_t{1} << 20;

  struct Place {
    int level, variable;  // the level, and the variable in it; -1: none
  };
  struct Level {
    std::size_t begin, end;  // the variables of the level
    int bits;
    std::vector<std::uint32_t> codes;  // the codes of all combinations of options
    std::map<Effect, std::uint32_t> effects;  // numbered from 1; number 0 means no effect
    std::vector<const Effect*> by_number = {nullptr};
  };
  // The remaining effects of an operator from a given level onwards: its effect on this level, and the tail that begins
  // at the next level.
  using Tail = std::uint32_t;
  struct Steps {
    int level;
    std::uint32_t effect;
    Tail then;
    auto operator<=>(const Steps&) const = default;
  };
  struct Set {
    int level;
    bool is_fresh;
    std::uint32_t done;
    std::vector<Tail> tails;
    auto operator<=>(const Set&) const = default;
  };

  void collect_codes(Level& level) const {
    level.codes = {0};
    int shift = 0;
    for (std::size_t variable = level.begin; variable < level.end; ++variable) {
      std::vector<std::uint32_t> wider;
      const std::size_t options = num_options(variable);
      for (std::size_t option = 0; option < options; ++option)
        for (const std::uint32_t code : level.codes)
          wider.push_back(code | static_cast<std::uint32_t>(option << shift));
      shift += option_bits(numbering_, variable);
      level.codes = std::move(wider);
    }
  }

  std::size_t num_options(std::size_t variable) const {
    return numbering_.variables[variable].size() + numbering_.may_be_none.at(variable);
  }

  Effect effect(const Level& level, const Word* mask, const Word* value, const Word* flip) const {
    Effect effect(std::size_t{1} << level.bits, kNever);
    for (const std::uint32_t code : level.codes) {
      int shift = 0;
      std::int32_t written = 0;
      for (std::size_t variable = level.begin; variable < level.end && written != kNever; ++variable) {
        const int bits = option_bits(numbering_, variable);
        const std::int32_t option = changed(variable, code >> shift & ((1u << bits) - 1), mask, value, flip);
        written = option == kNever ? kNever : written | option << shift;
        shift += bits;
      }
      effect[code] = written;
    }
    return effect;
  }

  // Returns the option that a variable has after an operator, or kNever if the operator does not apply.
  std::int32_t changed(std::size_t variable, std::size_t option, const Word* mask, const Word* value,
                       const Word* flip) const {
    const std::vector<FactId>& facts = numbering_.variables[variable];
    const std::size_t none = numbering_.may_be_none[variable];
    std::int32_t becomes = none ? 0 : kNever;
    bool is_some = false;
    for (std::size_t i = 0; i < facts.size(); ++i) {
      const bool is_true = i + none == option;
      if (has(mask, facts[i]) && has(value, facts[i]) != is_true) return kNever;
      if (is_true == has(flip, facts[i])) continue;
      if (std::exchange(is_some, true)) return kNever;
      becomes = static_cast<std::int32_t>(i + none);
    }
    return becomes;
  }

  static std::uint32_t effect_of(Level& level, const Effect& effect) {
    const auto number = static_cast<std::uint32_t>(level.by_number.size());
    const auto [found, is_new] = level.effects.try_emplace(effect, number);
    if (is_new) level.by_number.push_back(&found->first);
    FEWEST_ASSERT(level.by_number.size() == level.effects.size() + 1,
                  "each effect has a number, and 0 means no effect");
    return found->second;
  }

  Tail tail_of(const Steps& steps) {
    const auto [found, is_new] = tails_.try_emplace(steps, static_cast<Tail>(by_tail_.size()));
    if (is_new) by_tail_.push_back(steps);
    return found->second;
  }

  std::uint32_t node_of(Set set) {
    const auto [found, is_new] = numbers_.try_emplace(set, static_cast<std::uint32_t>(sets_.size()));
    if (is_new) sets_.push_back(std::move(set));
    return found->second;
  }

  void add_edges(std::uint32_t from) {
    const Set set = sets_[from];
    const Level& level = levels_[set.level];
    FEWEST_ASSERT(std::is_sorted(set.tails.begin(), set.tails.end()),
                  "equal sets have the same tails in the same order");
    // Only copiers need edges for operators that have no remaining effects; other nodes count these operators in
    // `done`.
    const bool copies = set.tails.empty() && !set.is_fresh && set.done == 1 && from == made_.copiers_[set.level];
    for (const std::uint32_t code : level.codes) {
      std::map<std::pair<bool, std::uint32_t>, Set> groups;
      for (const Tail tail : set.tails) {
        const Steps& steps = by_tail_[tail];
        FEWEST_ASSERT(steps.level == set.level, "the tails of a set begin at its level");
        const Effect* effect = level.by_number[steps.effect];
        const std::int32_t to = effect == nullptr ? static_cast<std::int32_t>(code) : (*effect)[code];
        if (to == kNever) continue;
        const bool is_fresh = set.is_fresh && effect == nullptr;
        Set& group = groups.try_emplace({!is_fresh, to}, Set{set.level + 1, is_fresh, 0, {}}).first->second;
        if (steps.then == kDone)
          ++group.done;
        else
          group.tails.push_back(steps.then);
      }
      if (copies) made_.edges_.push_back({code, code, made_.copiers_[set.level + 1]});
      for (auto& [key, group] : groups) {
        std::sort(group.tails.begin(), group.tails.end());
        made_.edges_.push_back({code, key.second, node_of(std::move(group))});
      }
    }
  }

  const Problem& problem_;
  const Numbering& numbering_;
  std::vector<Place> place_of_;
  std::vector<Level> levels_;
  std::map<Steps, Tail> tails_;
  std::vector<Steps> by_tail_ = {Steps{}};
  std::vector<Tail> tails_of_all_;
  std::uint32_t whole_ = 0;  // the number of operators without conditions and effects
  std::map<Set, std::uint32_t> numbers_;
  std::vector<Set> sets_;
  Transducer made_;
};

std::optional<Transducer> operators_as_transducer(const Problem& problem, const Numbering& numbering,
                                                  Reading direction) {
  if (problem.num_permutations > 0 || problem.conditional_effects.count > 0 || problem.forbidden.count > 0) return std::nullopt;
  TransducerMaker maker(problem, numbering);
  FactSet value(problem.words);
  for (std::size_t i = 0; i < problem.operators.count * problem.words; i += problem.words) {
    for (int j = 0; j < problem.words; ++j)
      value[j] = problem.operators.value[i + j] ^ (direction == Reading::backward ? problem.flip[i + j] : 0);
    maker.add(problem.operators.mask + i, value.data(), problem.flip + i);
  }
  return maker.make(false);
}

std::optional<Transducer> cubes_as_transducer(const Problem& problem, const Cubes& cubes,
                                              const Numbering& numbering) {
  TransducerMaker maker(problem, numbering);
  const FactSet nothing(problem.words);
  for (std::size_t i = 0; i < cubes.count * problem.words; i += problem.words)
    maker.add(cubes.mask + i, cubes.value + i, nothing.data());
  return maker.make(true);
}

}  // namespace fewest
