// A checker of LRAT proofs (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp, 2017) in the binary form that
// CaDiCaL writes. The checker does not support RAT steps. The only other file of the project that this file includes is
// assert.hpp, so that it can be reviewed on its own.
//
// The checker takes a formula, clause by clause, and then a proof, in chunks of any size. If `is_proven` returns true,
// the empty clause has been derived, so the formula has no model. A proof is a sequence of
//
//   'a' id literal* 0 hint* 0     a clause that follows from the clauses of the hints: suppose that its literals are
//                                 false; then, taking the hints in order, all literals of each hint clause but one are
//                                 false, so that one must be true; in the last hint clause, all are false
//   'd' id* 0                     the ids of clauses that are no longer needed
//
// A number is stored with seven bits per byte, lowest bits first. The top bit of a byte is set if more bytes follow. An
// id n is written as 2n. (2n + 1 would be -n, a RAT hint, which is rejected.) A literal v is written as 2v, and -v as
// 2v + 1.
//
// The ids of derived clauses ascend. The proof does not state the ids of the formula's clauses: CaDiCaL numbers all
// clauses in one sequence, and derives some clauses from unit clauses while others are still being added. So the ids
// that are never derived belong to the formula's clauses, in order. Since derived ids ascend, the ids between two
// consecutive derived ids belong to the formula. For every id so far, `place_` contains the place of its clause.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "assert.hpp"

namespace fewest::checkers {

// Thrown if the proof is wrong; the message gives the reason.
struct WrongProof : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Thrown if the memory limit, or the maximum size of `arena_`, is exceeded.
struct ProofTooLarge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class LratChecker {
 public:
  // `memory`: the limit in bytes.
  explicit LratChecker(std::uint64_t memory) : memory_(memory) {}
  LratChecker(const LratChecker&) = delete;

  // Adds the next literal of the formula. A literal 0 ends a clause.
  void add(std::int32_t literal) {
    if (is_begun_) throw WrongProof("the formula continues after the start of the proof");
    if (literal != 0) {
      if (literal == INT32_MIN) throw WrongProof("a literal is out of range");
      see(number_of(literal));
      clause_.push_back(number_of(literal));
      return;
    }
    if (clause_.empty()) is_proven_ = true;
    originals_.push_back(store(clause_));
    end_of_formula_ = arena_.size();
    ++num_clauses_;
    clause_.clear();
    check_memory();
  }

  // Processes the next bytes of the proof.
  void feed(const char* data, std::size_t size) {
    is_begun_ = true;
    for (const char* const end = data + size; data != end; ++data) {
      if (part_ == Part::none) {
        begin_line(*data);
        continue;
      }
      const auto byte = static_cast<unsigned char>(*data);
      if (shift_ > 56) throw WrongProof("a number is too long");
      number_ |= std::uint64_t{byte & 127u} << shift_;
      shift_ += 7;
      if (byte >= 128) continue;
      if (byte == 0 && shift_ > 7) throw WrongProof("a number is not in its shortest form");
      shift_ = 0;
      take(std::exchange(number_, 0));
    }
  }

  // Throws unless the proof is complete and the empty clause has been derived.
  void finish() const {
    if (!clause_.empty() || !hints_.empty() || part_ != Part::none || shift_ != 0)
      throw WrongProof("the proof ends within a clause");
    if (!is_proven_) throw WrongProof("the proof does not derive the empty clause");
  }

  // Makes the checker append the rest of the proof to `text`, for other checkers. Clauses of the formula are numbered
  // from 1; derived clauses follow. The caller may empty `text` between two calls of `feed`.
  void write_to(std::string* text) {
    text_ = text;
    if (text != nullptr && text_number_.empty()) text_number_.push_back(0);
  }

  bool is_proven() const { return is_proven_; }
  std::uint64_t num_clauses() const { return num_clauses_; }
  std::uint64_t num_derived() const { return num_derived_; }

 private:
  using Literal = std::uint32_t;  // as in the proof: v is 2v and -v is 2v + 1
  // A place in `arena_`, where the length and the literals of a clause are. With 64 bits, the checker would be slower:
  // most of its time goes into looking up places.
  using Place = std::uint32_t;
  static constexpr Place kNowhere = ~Place{0}, kDeleted = kNowhere - 1;
  static constexpr std::uint64_t kMostUnused = 1 << 16;  // the maximum number of consecutive ids without a clause
  static constexpr std::size_t kAhead = 8;  // each clause is prefetched this number of hints before its use
  using Round = std::uint16_t;              // a short type, so that more of these numbers fit into the caches
  enum class Part { none, id, literals, hints, deleted };

  // -- reading ------------------------------------------------------------------------------------

  void begin_line(char kind) {
    if (kind == 'a') part_ = Part::id;
    else if (kind == 'd') part_ = Part::deleted;
    else throw WrongProof("a line is neither an addition nor a deletion");
  }

  void take(std::uint64_t number) {
    switch (part_) {
      case Part::hints:
        if (number != 0) {
          hints_.push_back(id_of(number));
          check_line(hints_.size());
          if (hints_.back() < place_.size()) __builtin_prefetch(&place_[hints_.back()]);
          break;
        }
        derive();
        part_ = Part::none;
        break;
      case Part::literals:
        if (number == 0) {
          part_ = Part::hints;
          break;
        }
        clause_.push_back(literal_of(number));
        check_line(clause_.size());
        break;
      case Part::id:
        id_ = id_of(number);
        if (id_ < place_.size()) throw WrongProof("the ids of derived clauses are not in ascending order");
        give_ids_below(id_);
        part_ = Part::literals;
        break;
      default:
        if (number == 0) part_ = Part::none;
        else remove(id_of(number));
    }
  }

  static std::uint64_t id_of(std::uint64_t number) {
    if (number % 2 == 1) throw WrongProof("the proof has a RAT hint, which this checker does not support");
    if (number == 0) throw WrongProof("a clause has no id");
    return number / 2;
  }

  Literal literal_of(std::uint64_t number) const {
    if (number < 2 || number > UINT32_MAX) throw WrongProof("a literal is out of range");
    if (number >= round_of_.size())
      throw WrongProof("a derived clause has a variable that the formula does not have");
    return static_cast<Literal>(number);
  }

  // -- checking -----------------------------------------------------------------------------------

  // Checks that the current clause follows from its hints, and adds the clause. `round_of_[l]` is the round in which
  // literal l became false, so nothing needs to be reset after a round.
  void derive() {
    if (++round_ == 0) {
      std::fill(round_of_.begin(), round_of_.end(), 0);
      round_ = 1;
    }
    for (const Literal literal : clause_) make_false(literal);
    bool is_refuted = false;
    for (std::size_t h = 0; h < hints_.size(); ++h) {
      if (is_refuted) throw WrongProof(named("has hints after the last one that it needs"));
      if (h + kAhead < hints_.size()) fetch(hints_[h + kAhead]);
      is_refuted = follow(hints_[h]);
    }
    if (!is_refuted) throw WrongProof(named("does not follow from its hints"));
    if (clause_.empty()) is_proven_ = true;
    if (text_ != nullptr) write();
    FEWEST_ASSERT(place_.size() == id_, "the ids before a derived one are given");
    place_.push_back(store(clause_));
    ++num_derived_;
    if (text_ != nullptr) text_number_.push_back(num_clauses_ + num_derived_);
    FEWEST_ASSERT(text_ == nullptr || text_number_.size() == place_.size(), "each id has its number in the text");
    clause_.clear();
    hints_.clear();
    check_memory();
  }

  // Applies a hint: all literals of its clause except one must be false, and the remaining one becomes true. Returns
  // true if all literals are false.
  bool follow(std::uint64_t hint) {
    const Place at = find(hint);
    FEWEST_ASSERT(at < arena_.size() && at + std::size_t{arena_[at]} < arena_.size(), "a clause is within the arena");
    const Literal* const begin = arena_.data() + at + 1;
    const Literal* const end = begin + arena_[at];
    std::size_t num_open = 0;
    Literal unit = 0;
    for (const Literal* literal = begin; literal != end; ++literal) {  // no branch depends on the data
      const bool is_open = !is_false(*literal);
      num_open += is_open;
      unit = is_open ? *literal : unit;
    }
    if (num_open == 0) return true;
    if (num_open > 1 && std::any_of(begin, end, [&](Literal l) { return l != unit && !is_false(l); }))
      throw WrongProof(named("has a hint with two open literals"));
    FEWEST_ASSERT(unit >= 2 && !is_false(unit), "the literal that becomes true was open");
    if (is_false(unit ^ 1)) throw WrongProof(named("has a hint that is true already"));
    make_false(unit ^ 1);
    return false;
  }

  // Prefetches a clause that will be needed soon.
  void fetch(std::uint64_t hint) const {
    if (hint < place_.size() && place_[hint] < kDeleted) __builtin_prefetch(&arena_[place_[hint]]);
  }

  std::string named(const char* what) const {
    return "derived clause " + std::to_string(id_) + " " + what;
  }

  static Literal number_of(std::int32_t literal) {
    return literal > 0 ? 2u * static_cast<Literal>(literal) : 2u * (0u - static_cast<Literal>(literal)) + 1;
  }
  void see(Literal literal) {
    const std::size_t size = (std::size_t{literal} | 1) + 1;
    if (size > round_of_.size()) {
      if (size * sizeof(Round) > memory_) throw ProofTooLarge("memory");
      round_of_.resize(size, 0);
    }
  }
  bool is_false(Literal literal) const {
    FEWEST_ASSERT(literal < round_of_.size() && round_ != 0, "the formula has the variable, and a round is under way");
    return round_of_[literal] == round_;
  }
  void make_false(Literal literal) {
    FEWEST_ASSERT(literal < round_of_.size() && round_ != 0, "the formula has the variable, and a round is under way");
    round_of_[literal] = round_;
  }

  // -- clauses ------------------------------------------------------------------------------------

  Place store(const std::vector<Literal>& clause) {
    const std::size_t size = clause.size() + 1;
    if (size > arena_.capacity() - arena_.size()) make_room(size);
    const auto at = static_cast<Place>(arena_.size());
    arena_.push_back(static_cast<Literal>(clause.size()));
    arena_.insert(arena_.end(), clause.begin(), clause.end());
    return at;
  }

  // Makes room in the arena for `size` more literals. Near the memory limit, the arena grows in small steps, so that
  // memory is left for the other vectors.
  void make_room(std::size_t size) {
    if (wasted_ > arena_.size() / 4) compact();
    const std::size_t wanted = arena_.size() + size;
    if (wanted <= arena_.capacity()) return;
    const std::uint64_t others = num_bytes() - arena_.capacity() * sizeof(Literal);
    const std::uint64_t free = memory_ > others ? (memory_ - others) / sizeof(Literal) : 0;
    const std::uint64_t most = std::min<std::uint64_t>(free, kDeleted);  // so that every place is below kDeleted
    if (wanted > most) throw ProofTooLarge("memory");
    arena_.reserve(wanted + std::min<std::uint64_t>(arena_.capacity(), (most - wanted) / 4));
  }

  // Assigns those ids below `id` that are not derived to the next clauses of the formula. After the last clause of the
  // formula, such ids have no clause.
  void give_ids_below(std::uint64_t id) {
    if (id - place_.size() > originals_.size() - next_original_ + kMostUnused)
      throw WrongProof("an id is far above the ids before it");
    while (place_.size() < id && next_original_ < originals_.size()) {
      place_.push_back(originals_[next_original_++]);
      if (text_ != nullptr) text_number_.push_back(next_original_);
    }
    FEWEST_ASSERT(place_.size() <= id && next_original_ <= originals_.size(), "ids are given in ascending order");
    place_.resize(id, kNowhere);
    if (text_ != nullptr) text_number_.resize(id, 0);
    if (next_original_ == originals_.size()) std::vector<Place>().swap(originals_), next_original_ = 0;
  }

  Place& place(std::uint64_t id) {
    if (id >= place_.size() || place_[id] == kNowhere)
      throw WrongProof(named("names a clause that does not exist: ") + std::to_string(id));
    return place_[id];
  }

  Place find(std::uint64_t id) {
    const Place at = place(id);
    if (at == kDeleted) throw WrongProof(named("names a clause that is deleted: ") + std::to_string(id));
    return at;
  }

  // Removes a clause. An id after the last derived id belongs to the formula, because later derived clauses have
  // greater ids.
  void remove(std::uint64_t id) {
    if (id >= place_.size() && id - place_.size() < originals_.size() - next_original_) give_ids_below(id + 1);
    Place& at = place(id);
    if (at == kDeleted) throw WrongProof("a clause is deleted twice: " + std::to_string(id));
    if (text_ != nullptr) {
      *text_ += std::to_string(num_clauses_ + num_derived_) + " d ";
      *text_ += std::to_string(text_number_[id]) + " 0\n";
    }
    FEWEST_ASSERT(at < arena_.size(), "a clause is within the arena");
    wasted_ += arena_[at] + 1;
    FEWEST_ASSERT(wasted_ <= arena_.size(), "no more is deleted than was stored");
    at = kDeleted;
    if (wasted_ > 1 << 20 && 2 * wasted_ > arena_.size()) compact();
  }

  // Removes deleted clauses from the arena. The other clauses keep their order, so they can move within the arena: first
  // the clauses of the formula (their places ascend in `place_` and then in `originals_`), then the derived clauses.
  void compact() {
    std::size_t end = 0;
    const auto move = [&](Place& at) {
      FEWEST_ASSERT(end <= at && at + std::size_t{arena_[at]} < arena_.size(), "clauses move towards the beginning");
      const auto from = arena_.begin() + static_cast<std::ptrdiff_t>(at);
      if (at != end) std::copy(from, from + 1 + arena_[at], arena_.begin() + static_cast<std::ptrdiff_t>(end));
      at = static_cast<Place>(end);
      end += 1 + std::size_t{arena_[end]};
    };
    const auto is_of_formula = [&](Place at) { return at < end_of_formula_; };
    const auto is_derived = [&](Place at) { return at >= end_of_formula_ && at < kDeleted; };
    for (Place& at : place_)
      if (is_of_formula(at)) move(at);
    for (std::size_t i = next_original_; i < originals_.size(); ++i) move(originals_[i]);
    const std::size_t end_of_formula = end;
    for (Place& at : place_)
      if (is_derived(at)) move(at);
    end_of_formula_ = end_of_formula;
    FEWEST_ASSERT(end == arena_.size() - wasted_, "every clause that is not deleted is compacted");
    arena_.resize(end);
    wasted_ = 0;
  }

  // Writes the clause and its hints as text, with the numbers that clauses have in the text.
  void write() {
    *text_ += std::to_string(num_clauses_ + num_derived_ + 1);
    for (const Literal literal : clause_) {
      *text_ += literal % 2 == 0 ? " " : " -";
      *text_ += std::to_string(literal / 2);
    }
    *text_ += " 0";
    for (const std::uint64_t hint : hints_) (*text_ += ' ') += std::to_string(text_number_[hint]);
    *text_ += " 0\n";
  }

  // Checks the size of an unfinished line, because an invalid proof can contain arbitrarily long lines.
  void check_line(std::size_t size) const {
    if (size % (1 << 12) == 0) check_memory();
  }

  void check_memory() const {
    if (num_bytes() > memory_) throw ProofTooLarge("memory");
  }

  std::uint64_t num_bytes() const {
    return clause_.capacity() * sizeof(Literal) + hints_.capacity() * 8 + arena_.capacity() * sizeof(Literal) +
           round_of_.capacity() * sizeof(Round) + (originals_.capacity() + place_.capacity()) * sizeof(Place) +
           text_number_.capacity() * 8;
  }

  std::uint64_t memory_;
  bool is_begun_ = false, is_proven_ = false;
  Part part_ = Part::none;
  std::uint64_t number_ = 0;  // the number that is being read
  int shift_ = 0;
  std::uint64_t id_ = 0, num_clauses_ = 0, num_derived_ = 0;
  std::vector<Literal> clause_;  // the current clause, and its hints
  std::vector<std::uint64_t> hints_;
  Round round_ = 0;
  std::vector<Round> round_of_;
  std::vector<Literal> arena_;
  std::uint64_t wasted_ = 0;
  std::size_t end_of_formula_ = 0;  // the place after the last clause of the formula
  std::vector<Place> place_ = {kNowhere};  // a place for each id that is assigned so far; no clause has id 0
  std::vector<Place> originals_;           // the clauses of the formula without an id, in order
  std::size_t next_original_ = 0;
  std::string* text_ = nullptr;
  std::vector<std::uint64_t> text_number_;  // per id: the number of the clause in the text, if text is written
};

}  // namespace fewest::checkers
