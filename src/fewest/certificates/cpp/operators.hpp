// The moves of a task, applied to its states: cubes and flips, permutations of facts, and consequences (`model/task.py`
// and `model/conditional_effects.py` are the Python counterparts). This code uses no code of the search core.
#pragma once

#include "numbers.hpp"

namespace fewest::checkers {

class Operators {
 public:
  explicit Operators(const TaskRows& task)
      : words_(task.words), cubes_(task.operators, words_), forbidden_(task.forbidden, words_),
        flip_(unpacked(task.flip, words_)), permutations_(task.permutations), effects_(task.effects, words_),
        by_fact_(64 * words_ + 1), after_(words_), conditional_effects_(words_), saved_(words_) {
    for (std::size_t o = 0; o < cubes_.size(); ++o) {
      const int fact = task.index_fact[o];
      FEWEST_ASSERT(fact < 0 || (cubes_.value[o * words_ + fact / 64] >> fact % 64 & 1) != 0,
                    "an operator needs the fact by which it is found");
      by_fact_[fact < 0 ? 64 * words_ : fact].push_back(static_cast<std::uint32_t>(o));
    }
    for (const auto& image : permutations_) {
      std::vector<Word> row(words_);
      for (std::size_t fact = 0; fact < image.size(); ++fact)
        if (image[fact] != static_cast<int>(fact)) row[fact / 64] |= Word{1} << fact % 64;
      flip_.insert(flip_.end(), row.begin(), row.end());
    }
  }

  // Whether a move may change a fact.
  bool changes(std::uint32_t o, int fact) const { return flip_[o * words_ + fact / 64] >> fact % 64 & 1; }

  // Calls `found` for every move from a state, with the number of the move (permutations are numbered after operators)
  // and the state after the move.
  template <class Found>
  void for_each(const Word* state, Found&& found) {
    const auto try_all = [&](const std::vector<std::uint32_t>& operators) {
      for (const std::uint32_t o : operators) {
        if (!cubes_.holds(o, state)) continue;
        for (std::size_t w = 0; w < words_; ++w) after_[w] = state[w] ^ flip_[o * words_ + w];
        FEWEST_ASSERT_SAMPLED(effects_.stage.empty() || is_at_rest(state), "a move begins at a state at rest");
        if (effects_.stage.empty() || apply_consequences()) lead(o, found);
      }
    };
    try_all(by_fact_.back());
    for (std::size_t w = 0; w < words_; ++w)
      for (Word left = state[w]; left != 0; left &= left - 1) try_all(by_fact_[64 * w + std::countr_zero(left)]);
    for (std::size_t t = 0; t < permutations_.size(); ++t) {
      std::fill(after_.begin(), after_.end(), 0);
      for (std::size_t w = 0; w < words_; ++w)
        for (Word left = state[w]; left != 0; left &= left - 1) {
          const int to = permutations_[t][64 * w + std::countr_zero(left)];
          after_[to / 64] |= Word{1} << to % 64;
        }
      lead(static_cast<std::uint32_t>(cubes_.size() + t), found);
    }
  }

 private:
  // Effects, grouped by stage and, within a stage, by place.
  struct Effects {
    Effects(const EffectRows& rows, std::size_t words)
        : fits({rows.mask, rows.value}, words), can_still({rows.need_mask, rows.need_value}, words),
          flip(unpacked(rows.flip, words)), clear(unpacked(rows.clear, words)), place(rows.place), stage(rows.stage),
          is_everywhere(rows.is_everywhere) {}
    Cubes fits, can_still;
    std::vector<Word> flip, clear;
    std::vector<int> place, stage, is_everywhere;
  };

  template <class Found>
  void lead(std::uint32_t o, Found&& found) {
    if (!forbidden_.any(after_.data())) found(o, static_cast<const Word*>(after_.data()));
  }

  bool is_at_rest(const Word* state) const {
    for (std::size_t e = 0; e < effects_.stage.size(); ++e)
      if (effects_.fits.holds(e, state)) return false;
    return true;
  }

  // Applies the consequences. Returns false if they would never end, which is the case if a state repeats (Brent 1980).
  bool apply_consequences() {
    saved_ = after_;
    for (std::size_t steps = 0, power = 1; sweep(); ++steps) {
      if (after_ == saved_) return false;
      if (steps == power) {
        power *= 2;
        saved_ = after_;
      }
    }
    return true;
  }

  // Sweeps the first stage in which an effect applies. Returns false if no effect applies.
  bool sweep() {
    for (std::size_t begin = 0, end = 0; begin < effects_.stage.size(); begin = end) {
      while (end < effects_.stage.size() && effects_.stage[end] == effects_.stage[begin]) ++end;
      const bool is_everywhere = effects_.is_everywhere[effects_.stage[begin]] != 0;
      if (is_everywhere) conditional_effects_ = after_;
      bool is_any = false;
      for (std::size_t e = begin; e < end; ++e) {
        if (!effects_.fits.holds(e, is_everywhere ? conditional_effects_.data() : after_.data())) continue;
        is_any = true;
        if (!is_everywhere) {
          happen(e);
          while (e + 1 < end && effects_.place[e + 1] == effects_.place[e]) ++e;  // only one effect per place applies
        } else if (effects_.can_still.holds(e, after_.data())) {
          happen(e);
        }
      }
      if (is_any) return true;
    }
    return false;
  }

  void happen(std::size_t e) {
    for (std::size_t w = 0; w < words_; ++w)
      after_[w] = (after_[w] & ~effects_.clear[e * words_ + w]) ^ effects_.flip[e * words_ + w];
  }

  std::size_t words_;
  Cubes cubes_, forbidden_;
  std::vector<Word> flip_;
  std::vector<std::vector<int>> permutations_;
  Effects effects_;
  std::vector<std::vector<std::uint32_t>> by_fact_;
  std::vector<Word> after_, conditional_effects_, saved_;
};

}  // namespace fewest::checkers
