// Applies the operators of a task to positions that are stored as numbers below 2^63. Each state is decoded
// incrementally from the previous state. Applying an operator is usually one addition, since most operators add a
// constant to the number.
#pragma once

#include <optional>

#include "delta_list.hpp"
#include "applicability_filter.hpp"
#include "numbers.hpp"
#include "operators.hpp"

namespace fewest::checkers {

class NumberedMoves {
 public:
  explicit NumberedMoves(const LayersInput& input)
      : words_(input.task.words), numbering_(input), input_(input),
        operators_(input.task.operators, words_), gates_(operators_, input.task.index_fact),
        forbidden_(input.task.forbidden, words_), flip_(unpacked(input.task.flip, words_)),
        by_fact_(64 * words_ + 1), state_(words_), after_(words_), slowly_(input.task) {
    if (numbering_.size() >> 63 != 0) throw Rejected("the numbers of the positions have more than 63 bits");
    make_digits();
    for (std::size_t o = 0; o < operators_.size(); ++o) {
      const int fact = input.task.index_fact[o];
      by_fact_[fact < 0 ? 64 * words_ : fact].push_back(probe_of(o));
      changes_.push_back(change_of(o));
      if (!input.potential.empty()) raises_.push_back(raise_of(o));
    }
    if (!input.potential.empty() && !input.task.has_flips_alone())
      throw Rejected("potentials do not support permutations and consequences");
    seek(0);
  }

  std::uint64_t size() const { return static_cast<std::uint64_t>(numbering_.size()); }
  const Word* state() const { return state_.data(); }

  // Whether the decoded position uses a place or a value for which the task has no fact.
  bool is_impossible() const { return num_impossible_ != 0; }

  // Decodes a number into its position. The call is fast if the number is slightly greater than the number in the
  // previous call.
  void seek(std::uint64_t number) {
    FEWEST_ASSERT(number < size(), "the number is that of a position");
    std::uint64_t carry = number - number_;
    const bool is_below = number < number_;
    if (is_below) {
      for (Digit& digit : digits_) put(digit, 0);
      carry = number;
    }
    number_ = number;
    std::size_t d = digits_.size();
    for (; carry != 0; --d) {
      Digit& digit = digits_[d - 1];
      const std::uint64_t sum = digit.value + carry;
      carry = sum < digit.radix ? 0 : sum / digit.radix;
      put(digit, carry == 0 ? sum : sum - carry * digit.radix);
    }
    shut_from(is_below ? 0 : d);
    FEWEST_ASSERT_SAMPLED(is_impossible() || numbering_.number(state_.data(), words_) == number,
                          "an updated state has its number");
  }

  // Calls `found` for every move from the decoded position. The arguments are the number of the move's target
  // (kNoNumber if the target cannot be listed), the operator, and the target's potential (at least 0).
  template <class Found>
  void for_each_move(Found&& found) {
    if constexpr (kHasAssertions) {
      if (!is_impossible() && FEWEST_IS_SAMPLED()) return compare_moves(found);
    }
    find_moves(found);
  }

  std::size_t num_operators() const { return operators_.size(); }

  // Returns the constant that an operator adds to the number of a position, modulo 2^64. Returns nullopt if the amount
  // depends on the position, if the target cannot be listed, or if the task has permutations or consequences.
  std::optional<std::uint64_t> sum(std::uint32_t o) const {
    if (!input_.task.has_flips_alone() || !changes_[o].is_listable || !changes_[o].others.empty()) return {};
    return changes_[o].sum;
  }

  // Whether a move may change a fact.
  bool changes(std::uint32_t o, int fact) const { return slowly_.changes(o, fact); }

  bool is_in(const Cubes& cubes) const { return cubes.any(state_.data()); }

 private:
  using Moves = std::vector<std::pair<std::uint32_t, std::uint64_t>>;  // operators, and their targets

  // Like `find_moves`, but also asserts that applying the operators one by one gives the same moves.
  template <class Found>
  void compare_moves(Found&& found) {
    Moves fast, slow;
    find_moves([&](std::uint64_t number, std::uint32_t o, std::uint64_t potential) {
      fast.emplace_back(o, number);
      FEWEST_ASSERT(number == kNoNumber || number < size(),
                    "the target of a move has the number of a position, or no number");
      found(number, o, potential);
    });
    slowly_.for_each(state_.data(), [&](std::uint32_t o, const Word* after) {
      const Number number = numbering_.number(after, words_);
      slow.emplace_back(o, number == kMostNumbers ? kNoNumber : static_cast<std::uint64_t>(number));
    });
    std::sort(fast.begin(), fast.end());
    std::sort(slow.begin(), slow.end());
    FEWEST_ASSERT(fast == slow, "sums and filters find the moves that the operators make");
  }

  template <class Found>
  void find_moves(Found&& found) {
    if (!input_.task.has_flips_alone()) {
      slowly_.for_each(state_.data(), [&](std::uint32_t o, const Word* after) {
        const Number number = numbering_.number(after, words_);
        found(number == kMostNumbers ? kNoNumber : static_cast<std::uint64_t>(number), o, std::uint64_t{0});
      });
      return;
    }
    potential_ = 0;
    if (!raises_.empty())
      for (std::size_t w = 0; w < words_; ++w)
        for (Word left = state_[w]; left != 0; left &= left - 1)
          potential_ += input_.potential[64 * w + std::countr_zero(left)];
    if (gates_.are_good()) {
      gates_.for_each(state_.data(), shut_before_.back(), [&](std::uint32_t o) { apply(o, found); });
      return;
    }
    apply(by_fact_.back(), found);
    for (std::size_t w = 0; w < words_; ++w)
      for (Word left = state_[w]; left != 0; left &= left - 1)
        apply(by_fact_[64 * w + std::countr_zero(left)], found);
  }

  // A digit of the number: a group, with the facts of its places, and the value of the digit. A variable is treated as
  // a group of one piece.
  struct Digit {
    std::vector<int> facts;
    int count;
    std::uint64_t radix, weight, value;
    const std::vector<std::vector<Number>>* table;
    std::vector<Word> mask;
    bool is_impossible = false;
    Word shut = 0;  // the gates that its facts close
  };
  // The amount `sum` that an operator adds to a number. It does not include `others`, the digits that change by an
  // amount that depends on the position.
  struct Change {
    bool is_listable = true;
    std::uint64_t sum = 0;
    std::vector<std::uint32_t> others;
  };

  // An operator and one word of its cube. Testing this word alone rules out most operators.
  struct Probe {
    std::uint32_t o, word;
    Word mask, value;
  };

  // Returns the probe for the word that has the most conditions.
  Probe probe_of(std::size_t o) const {
    const Word* mask = operators_.mask.data() + o * words_;
    std::size_t word = 0;
    for (std::size_t w = 1; w < words_; ++w)
      if (std::popcount(mask[w]) > std::popcount(mask[word])) word = w;
    return {static_cast<std::uint32_t>(o), static_cast<std::uint32_t>(word), mask[word],
            operators_.value[o * words_ + word]};
  }

  void make_digits() {
    for (std::size_t g = 0; g < input_.groups.size(); ++g)
      digits_.push_back({input_.groups[g].facts, input_.groups[g].count, 0, 0, 0, &numbering_.table(g), {}, false});
    for (const auto& facts : input_.variables) digits_.push_back({facts, 1, 0, 0, 0, nullptr, {}, false});
    std::uint64_t weight = 1;
    for (std::size_t d = digits_.size(); d-- > 0;) {
      Digit& digit = digits_[d];
      digit.radix = static_cast<std::uint64_t>(numbering_.radices()[d]);
      digit.weight = weight;
      weight *= digit.radix;
      digit.mask.resize(words_);
      for (const int fact : digit.facts)
        if (fact >= 0) digit.mask[fact / 64] |= Word{1} << fact % 64;
    }
    shut_before_.resize(digits_.size() + 1);
    for (Digit& digit : digits_) set(digit);
    shut_from(0);
  }

  void shut_from(std::size_t d) {
    for (; d < digits_.size(); ++d) shut_before_[d + 1] = shut_before_[d] | digits_[d].shut;
  }

  void put(Digit& digit, std::uint64_t value) {
    FEWEST_ASSERT(value < digit.radix, "the value of a digit is below its radix");
    if (value == digit.value) return;
    if (digit.count == 1) {
      const int fact = digit.facts[digit.value];
      if (fact >= 0) state_[fact / 64] &= ~(Word{1} << fact % 64);
    } else {
      for (std::size_t w = 0; w < words_; ++w) state_[w] &= ~digit.mask[w];
    }
    digit.value = value;
    num_impossible_ -= digit.is_impossible;
    set(digit);
  }

  // Sets the facts for a digit's value.
  void set(Digit& digit) {
    digit.is_impossible = false;
    digit.shut = 0;
    const auto take = [&](std::size_t place) {
      const int fact = digit.facts[place];
      if (fact >= 0) {
        state_[fact / 64] |= Word{1} << fact % 64;
        digit.shut |= gates_.shut_by(fact);
      } else if (fact == kNoFact) {
        digit.is_impossible = true;
      }
    };
    if (digit.count < 0) {
      for (std::uint64_t left = digit.value; left != 0; left &= left - 1) take(std::countr_zero(left));
    } else if (digit.count == 1) {
      take(digit.value);
    } else {
      Number left = digit.value;
      for (int i = digit.count; i-- > 0;) {
        const auto& row = (*digit.table)[i];
        const auto at = std::upper_bound(row.begin(), row.end() - 1, left) - row.begin() - 1;
        FEWEST_ASSERT(row[at] <= left, "the entry of a place is at most the rest of the digit");
        left -= row[at];
        take(at);
      }
    }
    num_impossible_ += digit.is_impossible;
  }

  Change change_of(std::size_t o) const {
    Change change;
    std::vector<Word> left(flip_.begin() + o * words_, flip_.begin() + (o + 1) * words_);
    for (std::size_t d = 0; d < digits_.size(); ++d) {
      const Digit& digit = digits_[d];
      std::size_t come = 0, gone = 0;
      std::uint64_t sum = 0;
      for (std::size_t place = 0; place < digit.facts.size(); ++place) {
        const int fact = digit.facts[place];
        if (fact < 0 || (left[fact / 64] >> fact % 64 & 1) == 0) continue;
        const bool is_gone = operators_.value[o * words_ + fact / 64] >> fact % 64 & 1;
        ++(is_gone ? gone : come);
        const std::uint64_t unit = digit.count < 0 ? std::uint64_t{1} << place : place;
        sum += is_gone ? -unit : unit;
      }
      if (come + gone == 0) continue;
      for (std::size_t w = 0; w < words_; ++w) left[w] &= ~digit.mask[w];
      if (digit.count >= 0 && come != gone) change.is_listable = false;
      if (digit.count > 1) change.others.push_back(static_cast<std::uint32_t>(d));
      else change.sum += sum * digit.weight;
    }
    for (const Word word : left) change.is_listable = change.is_listable && word == 0;
    return change;
  }

  template <class Found>
  void apply(const std::vector<Probe>& operators, Found&& found) {
    for (const Probe& probe : operators) {
      if ((state_[probe.word] & probe.mask) == probe.value) apply(probe.o, found);
    }
  }

  template <class Found>
  void apply(std::uint32_t o, Found&& found) {
    if (!operators_.holds(o, state_.data())) return;
    const Change& change = changes_[o];
    if (forbidden_.size() != 0 || !change.others.empty()) {
      for (std::size_t w = 0; w < words_; ++w) after_[w] = state_[w] ^ flip_[o * words_ + w];
      if (forbidden_.any(after_.data())) return;
    }
    std::uint64_t number = kNoNumber;
    if (change.is_listable) {  // otherwise, a group may have more pieces than its table has rows
      number = number_ + change.sum;
      for (const std::uint32_t d : change.others)
        number += (value_after(digits_[d]) - digits_[d].value) * digits_[d].weight;
    }
    found(number, o, raises_.empty() ? 0 : potential_after(o));
  }

  // The amount by which an operator increases the potential.
  __int128 raise_of(std::size_t o) const {
    __int128 sum = 0;
    for (std::size_t w = 0; w < words_; ++w)
      for (Word left = flip_[o * words_ + w]; left != 0; left &= left - 1) {
        const __int128 weight = input_.potential[64 * w + std::countr_zero(left)];
        sum += operators_.value[o * words_ + w] & left & -left ? -weight : weight;
      }
    return sum;
  }

  std::uint64_t potential_after(std::size_t o) const {
    return static_cast<std::uint64_t>(std::clamp<__int128>(potential_ + raises_[o], 0, std::int64_t{1} << 62));
  }

  std::uint64_t value_after(const Digit& digit) const {
    Number sum = 0;
    std::size_t row = 0;
    for (std::size_t place = 0; place < digit.facts.size(); ++place) {
      const int fact = digit.facts[place];
      if (fact >= 0 && (after_[fact / 64] >> fact % 64 & 1)) sum += (*digit.table)[row++][place];
    }
    return static_cast<std::uint64_t>(sum);
  }

  std::size_t words_;
  Numbering numbering_;
  const LayersInput& input_;
  Cubes operators_;
  ApplicabilityFilter gates_;
  Cubes forbidden_;
  std::vector<Word> flip_;
  std::vector<std::vector<Probe>> by_fact_;
  std::vector<Digit> digits_;
  std::vector<Word> shut_before_;  // per digit: gates that earlier digits close; last entry: that any digit closes
  std::vector<Change> changes_;
  std::vector<__int128> raises_;
  std::vector<Word> state_, after_;
  Operators slowly_;  // used if the task has permutations or consequences, by `changes`, and by assertions
  __int128 potential_ = 0;
  std::uint64_t number_ = 0, num_impossible_ = 0;
};

}  // namespace fewest::checkers
