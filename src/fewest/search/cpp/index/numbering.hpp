// Ranks and unranks states: the diagrams of space/index.py give the states consecutive numbers, starting at 0.
//
// Problem: the search needs to rank tens of millions of states per second. The facts of a state are scattered across
// its words, and every step through a diagram depends on the result of the previous one.
// Solution: the facts of a step, wherever they are in the packed state, are gathered into a *code*. To do this, a few
// bits of the state at a time select a row of a small table, and the selected rows are XORed. The options of a variable
// exclude each other, so every fact can contribute its own constant. One look-up per step then gives the next row and
// the number of preceding states. A successor differs from its origin in only a few steps. The steps before the first
// difference need not be read again, and successors with the same first difference are read side by side (`rank_all`),
// so that their memory accesses overlap. If numbers are visited in ascending order, each number shares the beginning of
// its path with the previous number (`Cursor`).
// Usage:
//   Numbers<1, 1> numbers(layout, numbering);
//   Cursor<1, 1> cursor(numbers);
//   cursor.seek(number);                     // cursor.state() is the state of that number
//   number = numbers.rank(state); // numbers.size() or more: no consistent state has its code
#pragma once

#include <algorithm>
#include <stdexcept>

#include "state/compiler_attributes.hpp"
#include "state/layout.hpp"

namespace fewest {

using Number = std::uint64_t;

// A diagram: the C++ counterpart of `Numbering` in model/problem.py. The entries belong to the caller.
struct Numbering {
  Number size = 0;
  std::vector<std::vector<FactId>> variables;
  std::vector<int> may_be_none;      // per variable: whether option 0 is "none of its facts"
  std::vector<int> steps;            // per step: the number of its variables
  std::vector<std::uint32_t> nodes;  // per step: the number of its nodes
  const Word* entries = nullptr;     // per step, node and code: preceding states << 24 | child; ~0: no state
  std::size_t num_entries = 0;
};

// The maximum number of words in a code.
inline constexpr int kMaxCodeWords = 8;

// The number of bits that the greatest option of a variable takes.
inline int option_bits(const Numbering& numbering, std::size_t variable) {
  const std::size_t options =
      numbering.variables.at(variable).size() + numbering.may_be_none.at(variable);
  return options == 0 ? 0 : std::bit_width(options - 1);
}

inline bool has_short_codes(const Numbering& numbering) {
  int bits = 0;
  for (std::size_t i = 0; i < numbering.variables.size(); ++i) bits += option_bits(numbering, i);
  return bits <= 64;
}

// A state has P words, and a code has Q.
template <int P, int Q>
class Numbers {
 public:
  struct Code {
    Word w[Q];
  };
  // A state after some of its steps have been read: `before` is the number of preceding states, and the next entry is
  // in the row that begins at `row`.
  struct Reading {
    Number before;
    Code code;
    std::uint32_t row;
  };

  // Throws std::invalid_argument if the diagram does not fit the layout.
  Numbers(const Layout& layout, const Numbering& numbering) : size_(numbering.size) {
    require(size_ <= kMaxSize);
    place_steps(layout, numbering);
    collect_windows(layout);
    collect_rows(numbering);
  }

  Number size() const { return size_; }
  int num_steps() const { return static_cast<int>(steps_.size()); }
  std::size_t bytes() const {
    return (entries_.size() + arcs_.size()) * sizeof(Word) + gather_.size() * sizeof(Code) +
           state_of_.size() * sizeof(State<P>);
  }

  Code code(const State<P>& s) const {
    Code code = base_;
    for (const Window& window : windows_) {
      const Code& row = gather_[window.row + ((s.w[window.word] >> window.shift) & window.mask)];
      for (int i = 0; i < Q; ++i) code.w[i] ^= row.w[i];
    }
    return code;
  }

  // Returns the number of a state. The result is size() or more if no consistent state has the code of this state. An
  // inconsistent state may have the code of a consistent one.
  Number rank(const State<P>& s) const {
    const Code own = code(s);
    Number before = 0;
    std::uint32_t row = 0;
    for (const Step& step : steps_) read(step, own, before, row);
    return before;
  }

  // Reads the steps of all readings, from step `first` onwards. Afterwards the field `before` of each reading is the
  // number of its state.
  void rank_all(Reading* readings, unsigned size, int first) const {
    for (int i = first; i < num_steps(); ++i) {
      const Step step = steps_[i];
      for (unsigned j = 0; j < size; ++j)
        read(step, readings[j].code, readings[j].before, readings[j].row);
    }
  }

  // Returns the first step in which two codes differ, or num_steps() if the codes are equal.
  int first_difference(const Code& a, const Code& b) const {
    for (int i = 0; i < Q; ++i)
      if (const Word differing = a.w[i] ^ b.w[i])
        return step_of_bit_[i * 64 + std::countr_zero(differing)];
    return num_steps();
  }

 private:
  template <int, int>
  friend class Cursor;

  // The place of a step's bits in the code. The partial states of the values of the step begin at state_of_[state_of].
  struct Step {
    int bits = 0, word = 0, shift = 0;
    std::uint32_t width = 0;  // the greatest code of any state, plus one
    std::size_t state_of = 0;
  };
  // Some bits of a state; the rows of `gather_` for their values begin at `row`.
  struct Window {
    int word, shift;
    Word mask;
    std::size_t row;
  };
  static constexpr int kWindowBits = 8, kRowBits = 24;
  static constexpr Word kRowMask = (Word{1} << kRowBits) - 1;
  static constexpr Number kMaxSize = (Number{1} << (64 - kRowBits)) - 1;
  static constexpr Word kNone = kMaxSize << kRowBits;

  void read(const Step& step, const Code& code, Number& before, std::uint32_t& row) const {
    const Word mask = (Word{1} << step.bits) - 1;
    FEWEST_ASSERT(row + ((code.w[step.word] >> step.shift) & mask) < entries_.size(),
                  "every entry that is read is within the array");
    const Word entry = entries_[row + ((code.w[step.word] >> step.shift) & mask)];
    before += entry >> kRowBits;
    row = static_cast<std::uint32_t>(entry & kRowMask);
  }

  static void require(bool holds) {
    if (!holds) throw std::invalid_argument("the numbering does not fit the problem");
  }

  // Places the steps side by side in the code, so that no step crosses a word boundary. Sets the constant for each
  // fact, and the partial state for each value of a step.
  FEWEST_COLD void place_steps(const Layout& layout, const Numbering& numbering) {
    code_of_fact_.assign(layout.num_facts(), Code{});
    int word = 0, used = 0;
    std::size_t variable = 0;
    for (const int num_variables : numbering.steps) {
      Step step;
      std::vector<int> shifts;
      require(variable + num_variables <= numbering.variables.size());
      for (int j = 0; j < num_variables; ++j) {
        shifts.push_back(step.bits);
        step.bits += option_bits(numbering, variable + j);
      }
      require(step.bits < kRowBits);
      if (used + step.bits > 64) ++word, used = 0;
      require(word < Q);
      step.word = word;
      step.shift = used;
      step.state_of = state_of_.size();
      step_of_bit_.resize(static_cast<std::size_t>(word) * 64 + used, num_steps());
      step_of_bit_.resize(step_of_bit_.size() + step.bits, num_steps());
      used += step.bits;
      FEWEST_ASSERT(used <= 64, "no step straddles two words");
      state_of_.resize(state_of_.size() + (std::size_t{1} << step.bits), zero_state<P>());
      for (int j = 0; j < num_variables; ++j, ++variable) {
        const std::vector<FactId>& facts = numbering.variables[variable];
        for (std::size_t k = 0; k < facts.size(); ++k) {
          require(facts[k] >= 0 && facts[k] < layout.num_facts());
          const std::size_t option = k + numbering.may_be_none[variable];
          code_of_fact_[facts[k]].w[step.word] = static_cast<Word>(option)
                                                 << (step.shift + shifts[j]);
          add_to_states(layout.of(facts[k]), step, shifts[j], option_bits(numbering, variable),
                        option);
        }
      }
      steps_.push_back(step);
    }
    require(variable == numbering.variables.size());
  }

  // Adds the bits of a fact to the partial states of all codes in which its variable has this option.
  void add_to_states(const FactPlace& place, const Step& step, int shift, int bits,
                     std::size_t option) {
    const std::size_t mask = (std::size_t{1} << bits) - 1;
    for (std::size_t code = 0; code < std::size_t{1} << step.bits; ++code)
      if ((code >> shift & mask) == option)
        state_of_[step.state_of + code].w[place.word] ^= place.value;
  }

  // Divides the bits of the packed state, in order, into windows of at most eight bits or one field.
  void collect_windows(const Layout& layout) {
    struct Piece {
      int word, shift, bits;
      const Field* field;  // null: a single bit
      FactId fact;
      int end() const { return shift + bits; }
    };
    std::vector<Piece> pieces;
    for (const Field& field : layout.fields()) {
      if (field.bits > 0)
        pieces.push_back({field.word, field.shift, field.bits, &field, kNoFact});
      else
        join(base_, code_of_fact_[field.facts[0]]);
    }
    for (std::size_t bit = 0; bit < layout.fact_of_bit().size(); ++bit)
      if (const FactId fact = layout.fact_of_bit()[bit]; fact != kNoFact)
        pieces.push_back({static_cast<int>(bit / 64), static_cast<int>(bit % 64), 1, nullptr, fact});
    std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
      return std::pair{a.word, a.shift} < std::pair{b.word, b.shift};
    });
    for (std::size_t i = 0, end; i < pieces.size(); i = end) {
      const Piece& first = pieces[i];
      for (end = i + 1; end < pieces.size() && pieces[end].word == first.word &&
                        pieces[end].end() - first.shift <= kWindowBits;)
        ++end;
      const int bits = pieces[end - 1].end() - first.shift;
      require(bits < kRowBits);
      const Window window{first.word, first.shift, (Word{1} << bits) - 1, gather_.size()};
      for (Word value = 0; value <= window.mask; ++value) {
        Code row{};
        for (std::size_t k = i; k < end; ++k) {
          const Piece& piece = pieces[k];
          const Word part =
              value >> (piece.shift - first.shift) & ((Word{1} << piece.bits) - 1);
          if (piece.field == nullptr) {
            if (part != 0) join(row, code_of_fact_[piece.fact]);
          } else if (part < piece.field->facts.size()) {
            join(row, code_of_fact_[piece.field->facts[part]]);
          }
        }
        gather_.push_back(row);
      }
      windows_.push_back(window);
    }
  }

  static void join(Code& code, const Code& other) {
    for (int i = 0; i < Q; ++i) code.w[i] ^= other.w[i];
  }

  // Copies the entries. Each copy contains the index of the next row instead of the number of a node. A row has room
  // only for the codes up to the greatest one that occurs in its step.
  void collect_rows(const Numbering& numbering) {
    require(numbering.nodes.size() == steps_.size());
    const Word none = ~Word{0};
    std::vector<std::size_t> from(steps_.size() + 1), to(steps_.size() + 1);
    std::uint32_t widest = 1;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const std::size_t size = std::size_t{numbering.nodes[i]} << steps_[i].bits;
      from[i + 1] = from[i] + size;
      require(from[i + 1] <= numbering.num_entries);
      for (std::size_t j = 0; j < size; ++j)
        if (numbering.entries[from[i] + j] != none)
          steps_[i].width =
              std::max(steps_[i].width, static_cast<std::uint32_t>(j & ((std::size_t{1} << steps_[i].bits) - 1)) + 1);
      widest = std::max(widest, std::uint32_t{1} << steps_[i].bits);
      to[i + 1] = to[i] + std::size_t{numbering.nodes[i]} * steps_[i].width;
    }
    require(from.back() == numbering.num_entries && to.back() < kRowMask - widest);
    // The additional entries ensure that reads beyond the last row stay within the array. If a path passes through an
    // entry that has no state, the resulting number is too large.
    entries_.assign(to.back() + widest, kNone);
    arcs_.assign(to.back() + widest, ~Word{0});
    for (std::size_t i = 0; i < steps_.size(); ++i)
      for (std::uint32_t node = 0; node < numbering.nodes[i]; ++node) {
        const std::size_t row = to[i] + std::size_t{node} * steps_[i].width;
        std::size_t arc = row;
        for (std::uint32_t code = 0; code < steps_[i].width; ++code) {
          const Word entry =
              numbering.entries[from[i] + (std::size_t{node} << steps_[i].bits) + code];
          if (entry == none) continue;
          const Word child = entry & kRowMask;
          const bool is_last = i + 1 == steps_.size();
          require(child < (is_last ? 1 : numbering.nodes[i + 1]));
          const Word next = is_last ? 0 : to[i + 1] + child * steps_[i + 1].width;
          entries_[row + code] = (entry & ~kRowMask) | next;
          arcs_[arc++] = (entry & ~kRowMask) | code;
        }
        require(arc > row);
        std::sort(arcs_.begin() + row, arcs_.begin() + arc);
        FEWEST_ASSERT(arcs_[row] >> kRowBits == 0, "no state precedes the first state of a node");
      }
  }

  Number size_;
  std::vector<Step> steps_;
  Code base_{};
  std::vector<Code> code_of_fact_;
  std::vector<int> step_of_bit_;
  std::vector<Window> windows_;
  std::vector<Code> gather_;   // the code of each value of each window
  std::vector<Word> entries_;  // rows: before << kRowBits | next row, by code
  std::vector<Word> arcs_;     // the same rows: before << kRowBits | code, ascending, then all ones
  std::vector<State<P>> state_of_;
};

// A state, and the path of its number through the diagram.
template <int P, int Q>
class Cursor {
 public:
  explicit Cursor(const Numbers<P, Q>& numbers)
      : numbers_(&numbers), levels_(numbers.num_steps() + 1), code_{} {
    levels_[0].end = numbers.size();
    levels_[0].state = zero_state<P>();
  }

  // Moves the cursor to a number, which must be below numbers.size(). The call is fast if the number is slightly
  // greater than the number in the previous call.
  void seek(Number number) {
    FEWEST_ASSERT(number < numbers_->size(), "the number is that of a state");
    int depth = depth_;
    while (number >= levels_[depth].end || number < levels_[depth].first) --depth;
    FEWEST_ASSERT(depth >= 0, "every number continues from the first level");
    const int last = numbers_->num_steps();
    if (depth < last && number < levels_[depth].first + before(depth)) levels_[depth].arc = 0;
    for (; depth < last; ++depth) {
      Level& level = levels_[depth];
      const auto& step = numbers_->steps_[depth];
      const Word* arcs = &numbers_->arcs_[level.row];
      const Word wanted = ((number - level.first + 1) << Numbers<P, Q>::kRowBits) - 1;
      std::uint32_t arc = level.arc;
      for (int tries = 0; arc + 1 < step.width && arcs[arc + 1] <= wanted; ++tries, ++arc) {
        if (tries < 8) continue;
        arc = static_cast<std::uint32_t>(
            std::upper_bound(arcs + arc, arcs + step.width, wanted) - arcs - 1);
        break;
      }
      level.arc = arc;
      FEWEST_ASSERT(arcs[arc] <= wanted && (arc + 1 == step.width || arcs[arc + 1] > wanted),
                    "the selected arc is the last one that begins at or before the number");
      const Word taken = arcs[arc], code = taken & Numbers<P, Q>::kRowMask;
      Level& below = levels_[depth + 1];
      below.first = level.first + (taken >> Numbers<P, Q>::kRowBits);
      below.end = arc + 1 < step.width && arcs[arc + 1] != ~Word{0}
                      ? level.first + (arcs[arc + 1] >> Numbers<P, Q>::kRowBits)
                      : level.end;
      below.row = static_cast<std::uint32_t>(numbers_->entries_[level.row + code] &
                                             Numbers<P, Q>::kRowMask);
      below.arc = 0;
      below.state = level.state ^ numbers_->state_of_[step.state_of + code];
      Word& word = code_.w[step.word];
      word = (word & ~(((Word{1} << step.bits) - 1) << step.shift)) | code << step.shift;
    }
    depth_ = last;
    FEWEST_ASSERT(levels_[last].first == number, "a path ends at its number");
    FEWEST_ASSERT_SAMPLED(numbers_->rank(state()) == number, "the state of a number has this number");
  }

  const State<P>& state() const { return levels_.back().state; }

  // The first step at which a state with this code differs from the current state (numbers.num_steps() if there is no
  // difference), and the result of the steps before that step.
  struct Common {
    int step;
    Number before;
    std::uint32_t row;
  };
  Common common(const typename Numbers<P, Q>::Code& code) const {
    const int step = numbers_->first_difference(code, code_);
    return {step, levels_[step].first, levels_[step].row};
  }

 private:
  // The path at one step: the numbers first..end-1 continue from `row`, and `arc` is the selected entry.
  struct Level {
    Number first = 0, end = 0;
    std::uint32_t row = 0, arc = 0;
    State<P> state;
  };

  Number before(int depth) const {
    return numbers_->arcs_[levels_[depth].row + levels_[depth].arc] >> Numbers<P, Q>::kRowBits;
  }

  const Numbers<P, Q>* numbers_;
  std::vector<Level> levels_;
  int depth_ = 0;
  typename Numbers<P, Q>::Code code_;
};

}  // namespace fewest
