// A checker of LRAT proofs (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp 2017), without RAT, in the
// binary form that CaDiCaL writes. Stands alone, so that it can be read alone.
//
// It is given a formula, clause after clause, and then a proof, in pieces of any size. The formula has no
// model if `is_proven`: the empty clause has been derived. A proof is a sequence of
//
//   'a' id literal* 0 hint* 0     a clause that follows from those that the hints name, in this order:
//                                 with its literals false, each of them has all its literals false but one,
//                                 which becomes true; the last one has all of them false
//   'd' id* 0                     clauses that are not needed any more
//
// Numbers are written seven bits a byte, the low ones first, the top bit for "more". An id n is 2n (2n + 1
// would be -n: a RAT hint, refused), a literal v is 2v and -v is 2v + 1.
//
// Ids of derived clauses ascend. Which ids the clauses of the formula have is not said: CaDiCaL numbers all
// clauses as they come and derives some, from units that it has, while others are still being added. So the
// clauses of the formula are, in their order, those ids that are never derived. When a hint names id n, all
// derived ids below n are known, since n is below the id of the clause that is being derived: if n is not
// among them, it is the clause of the formula with the number n less how many of them there are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace fewest::checkers {

// The proof is wrong, and why.
struct WrongProof : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// It takes more memory than it may.
struct ProofTooLarge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class LratChecker {
 public:
  // `memory`: bytes that may be taken.
  explicit LratChecker(std::uint64_t memory) : memory_(memory) {}

  // The next literal of the formula; 0 ends a clause.
  void add(std::int32_t literal) {
    if (is_begun_) throw WrongProof("the formula goes on behind the begin of the proof");
    if (literal != 0) {
      if (literal == INT32_MIN) throw WrongProof("a literal is out of range");
      see(literal);
      clause_.push_back(literal);
      return;
    }
    if (clause_.empty()) is_proven_ = true;
    originals_.push_back(store(clause_));
    clause_.clear();
    check_memory();
  }

  // The next bytes of the proof.
  void feed(const char* data, std::size_t size) {
    is_begun_ = true;
    for (const char* end = data + size; data != end; ++data) {
      const auto byte = static_cast<unsigned char>(*data);
      if (part_ == Part::hints && shift_ == 0 && byte < 128 && byte != 0)
        hints_.push_back(id_of(byte));
      else
        take(byte);
    }
  }

  // Throws unless the proof has come to its end, and to the empty clause.
  void finish() const {
    if (!clause_.empty() || !hints_.empty() || part_ != Part::none || shift_ != 0)
      throw WrongProof("the proof ends within a clause");
    if (!is_proven_) throw WrongProof("the proof does not come to the empty clause");
  }

  // The proof as text from here on, for other checkers: clauses of the formula are numbered from 1, derived ones
  // behind them. `text` is written to, and may be emptied between two calls of `feed`.
  void write_to(std::string* text) { text_ = text; }

  bool is_proven() const { return is_proven_; }
  std::uint64_t num_clauses() const { return originals_.size(); }
  std::uint64_t num_derived() const { return num_derived_; }

 private:
  using Offset = std::uint64_t;  // into `arena_`: the length of a clause, then its literals
  struct Derived {
    std::uint64_t id;
    Offset at;
  };
  static constexpr Offset kNone = ~Offset{0};
  enum class Part { none, id, literals, hints, deleted };

  // -- reading ------------------------------------------------------------------------------------

  void take(unsigned char byte) {
    if (part_ == Part::none) {
      if (byte == 'a') part_ = Part::id;
      else if (byte == 'd') part_ = Part::deleted;
      else throw WrongProof("a line that is neither an addition nor a deletion");
      return;
    }
    if (shift_ > 56) throw WrongProof("a number is longer than it may be");
    number_ |= std::uint64_t{byte & 127u} << shift_;
    shift_ += 7;
    if (byte >= 128) return;
    if (byte == 0 && shift_ > 7) throw WrongProof("a number is not written as short as can be");
    const std::uint64_t number = number_;
    number_ = 0;
    shift_ = 0;
    took(number);
  }

  void took(std::uint64_t number) {
    switch (part_) {
      case Part::id:
        id_ = id_of(number);
        if (id_ <= last_id_) throw WrongProof("the ids of derived clauses do not ascend");
        part_ = Part::literals;
        break;
      case Part::literals:
        if (number == 0) part_ = Part::hints;
        else clause_.push_back(literal_of(number));
        break;
      case Part::hints:
        if (number != 0) {
          hints_.push_back(id_of(number));
          break;
        }
        derive();
        part_ = Part::none;
        break;
      default:
        if (number == 0) part_ = Part::none;
        else remove(id_of(number));
    }
  }

  static std::uint64_t id_of(std::uint64_t number) {
    if (number % 2 == 1) throw WrongProof("it has a RAT hint, which this checker does not take");
    if (number == 0) throw WrongProof("a clause without an id");
    return number / 2;
  }

  std::int32_t literal_of(std::uint64_t number) {
    const std::uint64_t variable = number / 2;
    if (variable == 0 || variable > INT32_MAX) throw WrongProof("a literal is out of range");
    const auto literal = static_cast<std::int32_t>(variable);
    if (index(literal) + 1 >= value_.size())
      throw WrongProof("a derived clause has a variable that the formula does not have");
    return number % 2 == 1 ? -literal : literal;
  }

  // -- checking -----------------------------------------------------------------------------------

  // That the clause follows by its hints; then it is one more. `value_[l]` is the round in which literal l
  // became false.
  void derive() {
    ++round_;
    for (const std::int32_t literal : clause_) make_false(literal);
    bool is_refuted = false;
    for (const std::uint64_t hint : hints_) {
      if (is_refuted) throw WrongProof(named("has hints behind the last one that it needs"));
      is_refuted = follow(hint);
    }
    if (!is_refuted) throw WrongProof(named("does not follow by its hints"));
    if (clause_.empty()) is_proven_ = true;
    if (text_ != nullptr) write();
    insert();
    clause_.clear();
    hints_.clear();
    check_memory();
  }

  // A clause of which all literals are false but one, which becomes true; true if all of them are false.
  bool follow(std::uint64_t hint) {
    const Offset at = find(hint);
    const std::int32_t* literal = arena_.data() + at + 1;
    const std::int32_t* end = literal + arena_[at];
    std::int32_t unit = 0;
    for (; literal != end; ++literal) {
      if (is_false(*literal) || *literal == unit) continue;
      if (unit != 0) throw WrongProof(named("has a hint of which two literals are open"));
      unit = *literal;
    }
    if (unit == 0) return true;
    if (is_false(-unit)) throw WrongProof(named("has a hint that is true already"));
    make_false(-unit);
    return false;
  }

  std::string named(const char* what) const {
    return "derived clause " + std::to_string(id_) + " " + what;
  }

  static std::size_t index(std::int32_t literal) {
    return literal > 0 ? 2 * static_cast<std::size_t>(literal)
                       : 2 * static_cast<std::size_t>(-static_cast<std::int64_t>(literal)) + 1;
  }
  void see(std::int32_t literal) {
    const std::size_t size = index(std::abs(literal)) + 2;
    if (size > value_.size()) {
      if (size * sizeof(std::uint32_t) > memory_) throw ProofTooLarge("memory");
      value_.resize(size, 0);
    }
  }
  bool is_false(std::int32_t literal) const { return value_[index(literal)] == round_; }
  void make_false(std::int32_t literal) { value_[index(literal)] = round_; }

  // -- clauses ------------------------------------------------------------------------------------

  Offset store(const std::vector<std::int32_t>& clause) {
    if (clause.size() > INT32_MAX) throw WrongProof("a clause is too long");
    const Offset at = arena_.size();
    arena_.push_back(static_cast<std::int32_t>(clause.size()));
    arena_.insert(arena_.end(), clause.begin(), clause.end());
    return at;
  }

  // Derived clauses stand in the order of their ids.
  void insert() {
    last_id_ = id_;
    ++num_derived_;
    derived_.push_back({id_, store(clause_)});
  }

  // Where a derived id stands among all that are known, or how many of them are below it.
  std::size_t rank(std::uint64_t id) const {
    if (derived_.empty() || id > derived_.back().id) return derived_.size();
    // Between two ids there are no more derived clauses than ids: so far from the end it is at least.
    const std::uint64_t back = derived_.back().id - id;
    const std::size_t low = back < derived_.size() ? derived_.size() - 1 - back : 0;
    if (derived_[low].id == id) return low;
    const auto is_below = [](const Derived& known, std::uint64_t wanted) { return known.id < wanted; };
    return std::lower_bound(derived_.begin() + low, derived_.end(), id, is_below) - derived_.begin();
  }

  Offset& slot(std::uint64_t id) {
    const std::size_t below = rank(id);
    if (below < derived_.size() && derived_[below].id == id) return derived_[below].at;
    const std::uint64_t number = id - 1 - below;
    if (number >= originals_.size() || id >= id_)
      throw WrongProof(named("names a clause that there is not: ") + std::to_string(id));
    return originals_[number];
  }

  // The number of a clause in the text.
  std::uint64_t written(std::uint64_t id) const {
    const std::size_t below = rank(id);
    const bool is_derived = below < derived_.size() && derived_[below].id == id;
    return is_derived ? originals_.size() + below + 1 : id - below;
  }

  void write() {
    *text_ += std::to_string(originals_.size() + derived_.size() + 1);
    for (const std::int32_t literal : clause_) (*text_ += ' ') += std::to_string(literal);
    *text_ += " 0";
    for (const std::uint64_t hint : hints_) (*text_ += ' ') += std::to_string(written(hint));
    *text_ += " 0\n";
  }

  Offset find(std::uint64_t id) {
    const Offset at = slot(id);
    if (at == kNone) throw WrongProof(named("names a clause that is deleted: ") + std::to_string(id));
    return at;
  }

  void remove(std::uint64_t id) {
    // Between two derived clauses the next id is not known: those that are deleted are below it.
    if (part_ == Part::deleted) id_ = UINT64_MAX;
    Offset& at = slot(id);
    if (at == kNone) throw WrongProof("a clause is deleted twice: " + std::to_string(id));
    if (text_ != nullptr) {
      *text_ += std::to_string(originals_.size() + derived_.size()) + " d ";
      *text_ += std::to_string(written(id)) + " 0\n";
    }
    wasted_ += arena_[at] + 1;
    at = kNone;
    if (wasted_ > 1 << 20 && 2 * wasted_ > arena_.size()) compact();
  }

  // The arena without what is deleted.
  void compact() {
    std::vector<std::int32_t> kept;
    kept.reserve(arena_.size() - wasted_);
    const auto move = [&](Offset& at) {
      if (at == kNone) return;
      const Offset moved = kept.size();
      kept.insert(kept.end(), arena_.begin() + at, arena_.begin() + at + 1 + arena_[at]);
      at = moved;
    };
    for (Offset& at : originals_) move(at);
    for (Derived& known : derived_) move(known.at);
    arena_.swap(kept);
    wasted_ = 0;
  }

  void check_memory() const {
    const std::uint64_t bytes = arena_.capacity() * 4 + value_.capacity() * 4 +
                                originals_.capacity() * 8 + derived_.capacity() * 16;
    if (bytes > memory_) throw ProofTooLarge("memory");
  }

  std::uint64_t memory_;
  bool is_begun_ = false, is_proven_ = false;
  Part part_ = Part::none;
  std::uint64_t number_ = 0;  // being read
  int shift_ = 0;
  std::uint64_t id_ = 0, last_id_ = 0, num_derived_ = 0;
  std::vector<std::int32_t> clause_;  // being read, and its hints
  std::vector<std::uint64_t> hints_;
  std::uint32_t round_ = 0;
  std::vector<std::uint32_t> value_;
  std::vector<std::int32_t> arena_;
  std::uint64_t wasted_ = 0;
  std::vector<Offset> originals_;
  std::vector<Derived> derived_;
  std::string* text_ = nullptr;
};

}  // namespace fewest::checkers
