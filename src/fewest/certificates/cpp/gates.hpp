// Operators by what must not stand where they lead: of a board with one empty cell few need to be looked at, those into
// that cell. A filter: who asks looks at the whole cube of each that is left.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <vector>

#include "numbers.hpp"

namespace fewest::checkers {

class Gates {
 public:
  // `index_fact` of each operator: a fact that it needs, or -1.
  Gates(const Cubes& operators, const std::vector<int>& index_fact) : words_(operators.words) {
    std::map<std::vector<Word>, std::uint32_t> gate_of;
    for (std::uint32_t o = 0; o < operators.size(); ++o) {
      std::vector<Word> blocked(words_);
      for (std::size_t w = 0; w < words_; ++w)
        blocked[w] = operators.mask[o * words_ + w] & ~operators.value[o * words_ + w];
      const auto [at, is_new] = gate_of.try_emplace(blocked, static_cast<std::uint32_t>(gates_.size()));
      if (is_new) gates_.push_back({std::vector<Word>(words_), {}, {}});
      if (is_new) blocked_.insert(blocked_.end(), blocked.begin(), blocked.end());
      Gate& gate = gates_[at->second];
      const int fact = index_fact[o];
      if (fact < 0) {
        gate.always.push_back(o);
        continue;
      }
      gate.wanted[fact / 64] |= Word{1} << fact % 64;
      gate.by_fact.resize(64 * words_);
      gate.by_fact[fact].push_back(o);
    }
    is_good_ = 8 * gates_.size() * words_ <= operators.size();
    if (!is_good_) gates_.clear();
  }

  // Whether there are so few gates that looking at all of them pays.
  bool are_good() const { return is_good_; }

  // Calls `found` with every operator that may be applied to a state, and with others.
  template <class Found>
  void for_each(const Word* state, Found&& found) const {
    const Word* blocked = blocked_.data();
    for (const Gate& gate : gates_) {
      Word met = 0;
      for (std::size_t w = 0; w < words_; ++w) met |= state[w] & *blocked++;
      if (met != 0) continue;
      for (const std::uint32_t o : gate.always) found(o);
      for (std::size_t w = 0; w < words_; ++w)
        for (Word left = state[w] & gate.wanted[w]; left != 0; left &= left - 1)
          for (const std::uint32_t o : gate.by_fact[64 * w + std::countr_zero(left)]) found(o);
    }
  }

 private:
  // Operators that need the same facts to be false.
  struct Gate {
    std::vector<Word> wanted;
    std::vector<std::uint32_t> always;
    std::vector<std::vector<std::uint32_t>> by_fact;
  };

  std::size_t words_;
  bool is_good_;
  std::vector<Word> blocked_;  // of each gate
  std::vector<Gate> gates_;
};

}  // namespace fewest::checkers
