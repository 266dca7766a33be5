// States as numbers without gaps, and back: how the diagrams of space/index.py are read.
//
// Problem: a hundred million ranks a second would be welcome; a state's facts are scattered over its
// words, and every step of a diagram waits for the one before.
// Solution: the facts of a step, wherever they are in the packed state, are gathered into a *code*: a
// few bits of the state at a time choose a row of a small table, and the rows are XORed (the options of
// a variable exclude each other, so every fact has a constant of its own). One look-up a step then
// tells the next node and how many states come before. A successor differs from its origin in a few
// steps: those before the first of them need not be read again. Numbers that are visited in ascending
// order share the beginnings of their paths.
// Usage:
//   Numbers<1> numbers(layout, numbering);
//   Cursor<1> cursor(numbers);
//   cursor.seek(number);                     // cursor.state() is the state of that number
//   number = cursor.rank(successor);         // of a consistent state near cursor.state()
#pragma once

#include <algorithm>
#include <stdexcept>

#include "layout.hpp"

namespace fewest {

using Number = std::uint64_t;
inline constexpr Number kNoNumber = ~Number{0};

// A diagram as `index.Tables` holds it; the caller keeps the entries alive.
struct Numbering {
  Number size = 0;
  std::vector<std::vector<FactId>> variables;
  std::vector<int> may_be_none;      // per variable: option 0 is "none of its facts"
  std::vector<int> steps;            // variables read at once
  std::vector<std::uint32_t> nodes;  // per step
  const Word* entries = nullptr;     // step by step, node by node, by code: before << 24 | child
  std::size_t num_entries = 0;
};

inline constexpr int kMaxCodeWords = 8;
struct Code {
  Word w[kMaxCodeWords];
};

template <int P>
class Numbers {
 public:
  // Throws std::invalid_argument for a diagram that does not fit the layout.
  Numbers(const Layout& layout, const Numbering& numbering)
      : size_(numbering.size), entries_(numbering.entries, numbering.entries + numbering.num_entries) {
    place_steps(layout, numbering);
    collect_windows(layout);
    collect_arcs();
  }

  Number size() const { return size_; }
  int num_steps() const { return static_cast<int>(steps_.size()); }
  std::size_t bytes() const {
    return entries_.size() * sizeof(Word) + arcs_.size() * sizeof(Arc) +
           first_arc_.size() * sizeof(std::uint32_t) + rows_.size() * sizeof(Word) +
           state_of_.size() * sizeof(State<P>);
  }

  Code code(const State<P>& s) const {
    Code code = base_;
    if (code_words_ == 1) {
      for (const Window& window : windows_)
        code.w[0] ^= rows_[window.row + ((s.w[window.word] >> window.shift) & window.mask)];
      return code;
    }
    for (const Window& window : windows_) {
      const Word* row =
          &rows_[window.row + ((s.w[window.word] >> window.shift) & window.mask) * code_words_];
      for (int i = 0; i < code_words_; ++i) code.w[i] ^= row[i];
    }
    return code;
  }

  // The number of a state, read from step `step` on, where it is in `node` and `before` come before.
  // kNoNumber: no state has this code.
  Number rank(const Code& code, int step = 0, std::uint32_t node = 0, Number before = 0) const {
    for (const Step* at = steps_.data() + step; at != steps_.data() + steps_.size(); ++at) {
      const Word entry =
          entries_[at->entries + (std::size_t{node} << at->bits) + code_of(code, *at)];
      if (entry == ~Word{0}) return kNoNumber;
      before += entry >> 24;
      node = static_cast<std::uint32_t>(entry & 0xffffff);
    }
    return before;
  }

  // The first step in which two codes differ; num_steps() if they are equal.
  int first_difference(const Code& a, const Code& b) const {
    for (int i = 0; i < code_words_; ++i)
      if (const Word differing = a.w[i] ^ b.w[i])
        return step_of_bit_[i * 64 + std::countr_zero(differing)];
    return num_steps();
  }

 private:
  template <int>
  friend class Cursor;

  struct Step {
    int bits = 0, word = 0, shift = 0;
    std::size_t entries = 0;    // of node 0
    std::size_t first_arc = 0;  // of node 0 in first_arc_
    std::size_t state_of = 0;   // of code 0 in state_of_
    std::uint32_t nodes = 0;
  };
  // Bits of a state and the rows of the table that their value chooses.
  struct Window {
    int word, shift;
    Word mask;
    std::size_t row;
  };
  struct Arc {
    Number before;
    std::uint32_t code, child;
  };
  static constexpr int kWindowBits = 8;

  static std::uint32_t code_of(const Code& code, const Step& step) {
    return static_cast<std::uint32_t>(code.w[step.word] >> step.shift) &
           ((std::uint32_t{1} << step.bits) - 1);
  }

  static void require(bool holds) {
    if (!holds) throw std::invalid_argument("the numbering does not fit the problem");
  }

  // Steps side by side in the code, none across two words; what each fact and each code stands for.
  void place_steps(const Layout& layout, const Numbering& numbering) {
    code_of_fact_.assign(layout.num_facts(), Code{});
    int word = 0, used = 0;
    std::size_t variable = 0, entries = 0, nodes = 0;
    for (std::size_t i = 0; i < numbering.steps.size(); ++i) {
      Step step;
      std::vector<int> shifts;
      require(variable + numbering.steps[i] <= numbering.variables.size());
      for (int j = 0; j < numbering.steps[i]; ++j) {
        const std::size_t id = variable + j;
        const std::size_t options = numbering.variables[id].size() + numbering.may_be_none[id];
        require(options > 0);
        shifts.push_back(step.bits);
        step.bits += std::bit_width(options - 1);
      }
      require(step.bits < 24);
      if (used + step.bits > 64) ++word, used = 0;
      require(word < kMaxCodeWords);
      step.word = word;
      step.shift = used;
      step.entries = entries;
      step.first_arc = nodes;
      step.nodes = numbering.nodes.at(i);
      step.state_of = state_of_.size();
      step_of_bit_.resize(static_cast<std::size_t>(word) * 64 + used, static_cast<int>(i));
      step_of_bit_.resize(step_of_bit_.size() + step.bits, static_cast<int>(i));
      used += step.bits;
      entries += std::size_t{step.nodes} << step.bits;
      nodes += step.nodes;
      state_of_.resize(state_of_.size() + (std::size_t{1} << step.bits), zero_state<P>());
      for (int j = 0; j < numbering.steps[i]; ++j) {
        const std::vector<FactId>& facts = numbering.variables[variable + j];
        for (std::size_t k = 0; k < facts.size(); ++k) {
          require(facts[k] >= 0 && facts[k] < layout.num_facts());
          const std::size_t option = k + numbering.may_be_none[variable + j];
          code_of_fact_[facts[k]].w[step.word] |= static_cast<Word>(option)
                                                  << (step.shift + shifts[j]);
          add_to_states(layout.of(facts[k]), step, shifts[j],
                        std::bit_width(facts.size() + numbering.may_be_none[variable + j] - 1),
                        option);
        }
      }
      variable += numbering.steps[i];
      steps_.push_back(step);
    }
    require(variable == numbering.variables.size() && entries == entries_.size());
    code_words_ = word + 1;
  }

  // The fact's bits into the states of all codes in which its variable has this option.
  void add_to_states(const FactPlace& place, const Step& step, int shift, int bits,
                     std::size_t option) {
    const std::size_t mask = (std::size_t{1} << bits) - 1;
    for (std::size_t code = 0; code < std::size_t{1} << step.bits; ++code)
      if ((code >> shift & mask) == option) state_of_[step.state_of + code].w[place.word] ^= place.value;
  }

  // The bits of the packed state in order, cut where neither a field nor eight bits end.
  void collect_windows(const Layout& layout) {
    struct Piece {
      int word, shift, bits;
      const Field* field;  // or a single raw bit
      FactId fact;
    };
    std::vector<Piece> pieces;
    for (const Field& field : layout.fields()) {
      if (field.bits > 0)
        pieces.push_back({field.word, field.shift, field.bits, &field, kNoFact});
      else
        join(base_, code_of_fact_[field.facts[0]]);
    }
    for (std::size_t bit = 0; bit < layout.fact_of_bit().size(); ++bit)
      if (layout.fact_of_bit()[bit] != kNoFact)
        pieces.push_back({static_cast<int>(bit / 64), static_cast<int>(bit % 64), 1, nullptr,
                          layout.fact_of_bit()[bit]});
    std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
      return std::pair{a.word, a.shift} < std::pair{b.word, b.shift};
    });
    for (std::size_t i = 0, j; i < pieces.size(); i = j) {
      const auto end = [&](std::size_t k) { return pieces[k].shift + pieces[k].bits; };
      for (j = i + 1; j < pieces.size() && pieces[j].word == pieces[i].word &&
                      end(j) - pieces[i].shift <= kWindowBits;)
        ++j;
      const int bits = end(j - 1) - pieces[i].shift;
      const Window window{pieces[i].word, pieces[i].shift,
                          bits == 64 ? ~Word{0} : (Word{1} << bits) - 1, rows_.size()};
      require(bits < 24);
      for (Word value = 0; value <= window.mask; ++value) {
        Code row{};
        for (std::size_t k = i; k < j; ++k) {
          const Word part = value >> (pieces[k].shift - window.shift) & ((Word{1} << pieces[k].bits) - 1);
          if (pieces[k].field == nullptr) {
            if (part != 0) join(row, code_of_fact_[pieces[k].fact]);
          } else if (part < pieces[k].field->facts.size()) {
            join(row, code_of_fact_[pieces[k].field->facts[part]]);
          }
        }
        rows_.insert(rows_.end(), row.w, row.w + code_words_);
      }
      windows_.push_back(window);
    }
  }

  static void join(Code& code, const Code& other) {
    for (int i = 0; i < kMaxCodeWords; ++i) code.w[i] ^= other.w[i];
  }

  // The entries of each node, by the number of states before.
  void collect_arcs() {
    for (const Step& step : steps_)
      for (std::uint32_t node = 0; node < step.nodes; ++node) {
        const std::size_t begin = arcs_.size();
        first_arc_.push_back(static_cast<std::uint32_t>(begin));
        for (std::uint32_t code = 0; code < std::uint32_t{1} << step.bits; ++code) {
          const Word entry = entries_[step.entries + (std::size_t{node} << step.bits) + code];
          if (entry == ~Word{0}) continue;
          arcs_.push_back({entry >> 24, code, static_cast<std::uint32_t>(entry & 0xffffff)});
        }
        std::sort(arcs_.begin() + begin, arcs_.end(),
                  [](const Arc& a, const Arc& b) { return a.before < b.before; });
        require(arcs_.size() > begin && arcs_[begin].before == 0);
      }
    first_arc_.push_back(static_cast<std::uint32_t>(arcs_.size()));
  }

  Number size_;
  std::vector<Word> entries_;
  std::vector<Step> steps_;
  int code_words_ = 1;
  Code base_{};
  std::vector<Code> code_of_fact_;
  std::vector<int> step_of_bit_;
  std::vector<Window> windows_;
  std::vector<Word> rows_;  // [values of the windows, code_words_]
  std::vector<Arc> arcs_;
  std::vector<std::uint32_t> first_arc_;  // [nodes of all steps + 1]
  std::vector<State<P>> state_of_;
};

// A state and the path of its number through the diagram.
template <int P>
class Cursor {
 public:
  explicit Cursor(const Numbers<P>& numbers) : numbers_(&numbers), levels_(numbers.num_steps() + 1) {
    levels_[0].end = numbers.size();
    levels_[0].state = zero_state<P>();
    levels_[0].arc = numbers.first_arc_[0];
  }

  // Cheap for a number shortly after the one before. `number` < numbers.size().
  void seek(Number number) {
    int depth = depth_;
    while (depth > 0 && (number >= levels_[depth].end || number < levels_[depth].first)) --depth;
    const int last = numbers_->num_steps();
    if (depth < last && number < levels_[depth].first + numbers_->arcs_[levels_[depth].arc].before)
      levels_[depth].arc = first_arc(depth);
    for (; depth < last; ++depth) {
      Level& level = levels_[depth];
      const std::uint32_t end = numbers_->first_arc_[node_id(depth) + 1];
      const Number rest = number - level.first;
      const auto* arcs = numbers_->arcs_.data();
      std::uint32_t tries = 4;
      while (level.arc + 1 < end && arcs[level.arc + 1].before <= rest) {
        ++level.arc;
        if (--tries == 0) {
          level.arc = static_cast<std::uint32_t>(
              std::upper_bound(arcs + level.arc, arcs + end, rest,
                               [](Number r, const auto& arc) { return r < arc.before; }) -
              arcs - 1);
          break;
        }
      }
      const auto& arc = arcs[level.arc];
      Level& below = levels_[depth + 1];
      below.first = level.first + arc.before;
      below.end = level.arc + 1 < end ? level.first + arcs[level.arc + 1].before : level.end;
      below.node = arc.child;
      below.state = level.state ^ numbers_->state_of_[numbers_->steps_[depth].state_of + arc.code];
      if (depth + 1 < last) below.arc = first_arc(depth + 1);
    }
    depth_ = last;
    code_ = numbers_->code(state());
  }

  const State<P>& state() const { return levels_.back().state; }
  Number number() const { return levels_.back().first; }

  // The number of a consistent state; the fewer of the last steps it differs in, the faster.
  Number rank(const State<P>& s) const {
    const Code code = numbers_->code(s);
    const int step = numbers_->first_difference(code, code_);
    const Level& level = levels_[step];
    return numbers_->rank(code, step, level.node, level.first);
  }

 private:
  // Where step `depth` is read: the numbers first..end-1 go on from `node`; `arc` is the one taken.
  struct Level {
    Number first = 0, end = 0;
    std::uint32_t node = 0, arc = 0;
    State<P> state;
  };

  std::size_t node_id(int depth) const {
    return numbers_->steps_[depth].first_arc + levels_[depth].node;
  }
  std::uint32_t first_arc(int depth) const { return numbers_->first_arc_[node_id(depth)]; }

  const Numbers<P>* numbers_;
  std::vector<Level> levels_;
  int depth_ = 0;
  Code code_{};
};

}  // namespace fewest
