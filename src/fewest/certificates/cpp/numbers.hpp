// Code that the checkers and writers of layers share: cubes of states, limits, and the numbering of positions that
// docs/certificates.md defines. This file uses no code of the search core.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "assert.hpp"
#include "layers.hpp"

namespace fewest::checkers {

using Word = std::uint64_t;
using Number = unsigned __int128;  // the number of a position
using Cost = std::vector<std::uint64_t>;
constexpr Number kMostNumbers = Number{1} << 120;

inline std::vector<Word> unpacked(const Words& text, std::size_t words) {
  std::vector<Word> out(text.size() / 8);
  if (out.size() % words != 0 || text.size() % 8 != 0) throw Rejected("the rows have the wrong width");
  for (std::size_t i = 0; i < out.size(); ++i)
    for (int byte = 7; byte >= 0; --byte)
      out[i] = out[i] << 8 | static_cast<unsigned char>(text[8 * i + byte]);
  return out;
}

struct Cubes {
  Cubes(const CubeRows& rows, std::size_t words_)
      : words(words_), mask(unpacked(rows.mask, words)), value(unpacked(rows.value, words)) {
    if (mask.size() != value.size()) throw Rejected("the cubes have the wrong width");
  }
  std::size_t size() const { return mask.size() / words; }
  bool holds(std::size_t cube, const Word* state) const {
    for (std::size_t w = 0; w < words; ++w)
      if ((state[w] & mask[cube * words + w]) != value[cube * words + w]) return false;
    return true;
  }
  bool any(const Word* state) const {
    for (std::size_t cube = 0; cube < size(); ++cube)
      if (holds(cube, state)) return true;
    return false;
  }

  std::size_t words;
  std::vector<Word> mask, value;
};

// Every long computation calls this function regularly. The function throws an exception to stop the computation. The
// pointer may be null. It must not change during a computation.
inline void (*interruption)() = nullptr;

class Watch {
 public:
  // `memory`: the limit in bytes. `calls`: only one call of `spend` in `calls` checks the time.
  Watch(double seconds, std::uint64_t memory, std::uint64_t calls) : seconds_(seconds), memory_(memory), every_(calls) {}
  void spend(std::uint64_t bytes) {
    if (bytes > memory_) throw GivenUp("memory");
    if (++calls_ % every_ != 0) return;
    if (std::chrono::duration<double>(Clock::now() - began_).count() > seconds_) throw GivenUp("time");
    if (interruption != nullptr) interruption();
  }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds_;
  std::uint64_t memory_, every_, calls_ = 0;
  Clock::time_point began_ = Clock::now();
};

// Converts between numbers and states, as docs/certificates.md defines.
class Numbering {
 public:
  explicit Numbering(const LayersInput& input) : input_(input) {
    for (const GroupRows& group : input.groups) {
      tables_.emplace_back();
      Number radix = 1;
      if (group.count < 0) {
        for (std::size_t i = 0; i < group.facts.size(); ++i) radix = times(radix, 2);
      } else {
        // Row i contains the binomial coefficient C(p, i + 1) for each place p: the sum of the entries before p in the
        // previous row (before row 0: ones).
        std::vector<Number> row(group.facts.size() + 1, 1);
        for (int i = 0; i < group.count; ++i) {
          std::vector<Number> next(row.size(), 0);
          for (std::size_t p = 1; p < row.size(); ++p)
            next[p] = std::min(kMostNumbers, next[p - 1] + row[p - 1]);
          row = std::move(next);
          tables_.back().push_back(row);
        }
        radix = row.back();
      }
      radices_.push_back(radix);
      size_ = times(size_, radix);
    }
    for (const auto& places : input.variables) {
      radices_.push_back(places.size());
      size_ = times(size_, places.size());
    }
  }

  Number size() const { return size_; }

  // The radices of the digits (most significant digit first, groups before variables), and the tables of the groups.
  // Row i of a table contains the binomial coefficients C(p, i + 1).
  const std::vector<Number>& radices() const { return radices_; }
  const std::vector<std::vector<Number>>& table(std::size_t group) const { return tables_[group]; }

  // The number of a state, or kMostNumbers if it has no number.
  Number number(const Word* state, std::size_t words) const {
    const auto has = [&](int fact) {
      return fact == kConstant || (fact >= 0 && (state[fact / 64] >> fact % 64 & 1) != 0);
    };
    Number out = 0;
    int left = 0;  // the number of true facts that belong to no digit
    for (std::size_t w = 0; w < words; ++w) left += std::popcount(state[w]);
    for (std::size_t g = 0; g < input_.groups.size(); ++g) {
      const GroupRows& group = input_.groups[g];
      Number digit = 0;
      int taken = 0;
      for (std::size_t at = 0; at < group.facts.size(); ++at) {
        if (!has(group.facts[at])) continue;
        if (group.count < 0) digit |= Number{1} << at;
        else if (taken < group.count) digit += tables_[g][taken][at];
        ++taken;
      }
      if (group.count >= 0 && taken != group.count) return kMostNumbers;
      left -= taken;
      out = out * radices_[g] + digit;
    }
    for (const auto& places : input_.variables) {
      const auto at = std::find_if(places.begin(), places.end(), has);
      if (at == places.end()) return kMostNumbers;
      left -= *at >= 0;
      out = out * places.size() + static_cast<Number>(at - places.begin());
    }
    FEWEST_ASSERT(left != 0 || out < size_, "the number of a state is less than the number of positions");
    return left == 0 ? out : kMostNumbers;
  }

  void state(Number number, Word* out, std::size_t words) const {
    FEWEST_ASSERT(number < size_, "the number is that of a position");
    [[maybe_unused]] const Number whole = number;
    std::fill(out, out + words, 0);
    for (std::size_t v = input_.variables.size(); v-- > 0;) {
      const auto& places = input_.variables[v];
      set(places[static_cast<std::size_t>(number % places.size())], out);
      number /= places.size();
    }
    for (std::size_t g = input_.groups.size(); g-- > 0;) {
      const GroupRows& group = input_.groups[g];
      Number digit = number % radices_[g];
      number /= radices_[g];
      if (group.count < 0) {
        for (std::size_t at = 0; at < group.facts.size(); ++at)
          if (digit >> at & 1) set(group.facts[at], out);
        continue;
      }
      for (int i = group.count; i-- > 0;) {
        const auto& row = tables_[g][i];
        const auto at = std::upper_bound(row.begin(), row.end() - 1, digit) - row.begin() - 1;
        FEWEST_ASSERT(row[at] <= digit, "the entry of a place is at most the rest of the digit");
        digit -= row[at];
        set(group.facts[at], out);
      }
      FEWEST_ASSERT(digit == 0, "the places of a group use up its digit");
    }
    FEWEST_ASSERT_SAMPLED(this->number(out, words) == whole, "the state of a number has that number");
  }

 private:
  static Number times(Number a, Number b) {
    if (b != 0 && a > kMostNumbers / b) throw Rejected("the numbers of the positions have more than 120 bits");
    return a * b;
  }
  static void set(int fact, Word* out) {
    if (fact == kNoFact) throw Rejected("a listed position contradicts the invariants of the task");
    if (fact >= 0) out[fact / 64] |= Word{1} << fact % 64;
  }

  const LayersInput& input_;
  std::vector<std::vector<std::vector<Number>>> tables_;
  std::vector<Number> radices_;
  Number size_ = 1;
};

}  // namespace fewest::checkers
