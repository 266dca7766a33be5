// Groups operators by the facts that they require to be false, for instance the facts of the cell into which a piece
// steps. Each group is a *gate*, which is closed if one of these facts is true. On a board with one empty cell, only
// the operators that lead into this cell need to be tested. The filter is not exact: the caller must still test the
// full cube of each remaining operator.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <vector>

#include "assert.hpp"
#include "numbers.hpp"

namespace fewest::checkers {

class ApplicabilityFilter {
 public:
  // `index_fact`: for each operator, a fact that it requires to be true, or -1.
  ApplicabilityFilter(const Cubes& operators, const std::vector<int>& index_fact) : shuts_(64 * operators.words) {
    const std::size_t words = operators.words;
    std::map<std::vector<Word>, std::size_t> gate_of;
    for (std::uint32_t o = 0; o < operators.size(); ++o) {
      std::vector<Word> blocked(words);
      for (std::size_t w = 0; w < words; ++w)
        blocked[w] = operators.mask[o * words + w] & ~operators.value[o * words + w];
      const auto [at, is_new] = gate_of.try_emplace(blocked, gates_.size());
      if (is_new) gates_.push_back({std::vector<Word>(words), {}, {}});
      Gate& gate = gates_[at->second];
      const int fact = index_fact[o];
      if (fact < 0) {
        gate.always.push_back(o);
        continue;
      }
      gate.wanted[fact / 64] |= Word{1} << fact % 64;
      gate.by_fact.resize(64 * words);
      gate.by_fact[fact].push_back(o);
    }
    is_good_ = !gates_.empty() && gates_.size() <= 64 && 8 * gates_.size() * words <= operators.size();
    if (!is_good_) return;
    for (const auto& [blocked, gate] : gate_of)
      for (std::size_t fact = 0; fact < shuts_.size(); ++fact)
        if (blocked[fact / 64] >> fact % 64 & 1) shuts_[fact] |= Word{1} << gate;
  }

  // Whether the number of gates is small enough to test all of them.
  bool are_good() const { return is_good_; }

  // The gates that a fact closes, as a bit mask; 0 if gates are not used.
  Word shut_by(int fact) const {
    FEWEST_ASSERT(fact >= 0 && static_cast<std::size_t>(fact) < shuts_.size(), "the fact is one of the task");
    return shuts_[fact];
  }

  // Calls `found` with a superset of the operators that apply to a state. `shut`: the gates that the facts of the state
  // close.
  template <class Found>
  void for_each(const Word* state, Word shut, Found&& found) const {
    FEWEST_ASSERT(is_good_ && !gates_.empty() && gates_.size() <= 64, "each gate has a bit of a word");
    for (Word open = ~shut & ~Word{0} >> (64 - gates_.size()); open != 0; open &= open - 1) {
      const Gate& gate = gates_[std::countr_zero(open)];
      for (const std::uint32_t o : gate.always) found(o);
      for (std::size_t w = 0; w < gate.wanted.size(); ++w)
        for (Word left = state[w] & gate.wanted[w]; left != 0; left &= left - 1)
          for (const std::uint32_t o : gate.by_fact[64 * w + std::countr_zero(left)]) found(o);
    }
  }

 private:
  // The operators of a gate. `wanted`: the facts by which operators are found (`by_fact`). `always`: operators without
  // such a fact.
  struct Gate {
    std::vector<Word> wanted;
    std::vector<std::uint32_t> always;
    std::vector<std::vector<std::uint32_t>> by_fact;
  };

  bool is_good_;
  std::vector<Word> shuts_;  // per fact
  std::vector<Gate> gates_;
};

}  // namespace fewest::checkers
