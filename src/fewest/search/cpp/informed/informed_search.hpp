// Informed searches for a cheapest plan: what is outside this folder uses this header and informed_problem.hpp.
//
// Usage:
//   InformedProblem problem(task, costs, hints);
//   std::unique_ptr<InformedSearch> search = make_search(problem, hints, {.algorithm = Algorithm::astar});
//   while (search->advance(control, {.work = search->work() + 1000}) == Status::running) ...
//   InformedOutcome found = search->outcome();
//
// A search pauses when its quota is used up, and continues where it paused. It decides nothing about other searches or
// tables: the caller decides what runs next.
#pragma once

#include <memory>
#include <string>

#include "informed/deadlock_table.hpp"
#include "informed/pieces.hpp"
#include "state/control.hpp"

namespace fewest {

// What a search may use besides the problem itself; all of it may be left empty.
struct Hints {
  FactGroups groups;                         // in each the number of true facts never changes
  std::vector<int> numbers;                  // per fact: the number of its cell
  std::vector<std::vector<FactId>> images;   // symmetries of problem and costs: per fact its image
  std::vector<DeadCube> dead;                // from which no goal is reached
  std::uint64_t look_from = 8192;            // expansions: then sets of pieces that are lost are looked for
  Parts parts = {};
};

enum class Algorithm {
  astar,        // A*; with several threads or a file its states are shared among parts by hash
  ida_star,     // iterative deepening A*: little memory, states are expanded again
  both_ends,    // A* from the start and from the goals, where `can_begin_at_goals`
};

// A weighted A* orders states by g + h * numerator / denominator, and proves that its plan costs at most numerator /
// denominator times the minimum.
struct Weight {
  std::uint32_t numerator = 1, denominator = 1;
};

struct SearchOptions {
  Algorithm algorithm = Algorithm::astar;
  std::size_t memory = std::numeric_limits<std::size_t>::max();  // bytes of its tables
  std::size_t threads = 1;  // that A* shares its states among; that two ends use, at most two
  Weight weight = {};       // of A* on one thread without a file, where costs have one component
  PackedCost at_least = 0;  // no plan costs less, it is known
  std::uint64_t expanded_before = 0;  // expansions of earlier searches: sets that are lost are looked for the sooner
  std::size_t most_in_table = std::size_t{1} << 28;  // bytes of the table of IDA*
  // Where the states of A* are kept, and from where it goes on, at most once in so many seconds; "": nowhere.
  std::string file = {};
  double keep_every = 60;
};

// Of a search that deepens: the expansions up to a limit.
struct Iteration {
  PackedCost limit = 0;
  std::uint64_t num_expanded = 0;
};

struct InformedOutcome : Outcome {
  PackedCost initial_bound = 0;
  std::uint64_t num_dead = 0;  // successors that were seen to be dead ends
  std::uint64_t num_corrals = 0;  // states of which only the moves into a corral were made
  std::uint64_t num_learned_deadlocks = 0;  // of pieces, found on the way
  bool has_agent = false;
  bool merges_regions = false;
  std::size_t num_images = 1;
  std::vector<Iteration> iterations;  // the last one may be unfinished
};

// When `advance` returns: the work that the search has done in all since it began, and the bytes of its tables.
struct Quota {
  std::uint64_t work = ~std::uint64_t{0};
  std::size_t bytes = std::numeric_limits<std::size_t>::max();
};

class InformedProblem;

class InformedSearch {
 public:
  virtual ~InformedSearch() = default;

  // Searches until the quota is used up (`running`), there is an answer, or a limit of `control` or the memory ends it.
  // After any status but `running` another call returns the same status. Throws FileError and Damage of the file, which
  // must be of the same question.
  virtual Status advance(Control& control, const Quota& quota) = 0;
  // What has been done, in expansions; many successors count as more than one.
  virtual std::uint64_t work() const = 0;
  // No plan costs less.
  virtual PackedCost bound() const = 0;
  virtual std::size_t bytes() const = 0;
  // At most so many of the states that were expanded; only A* on one thread has any.
  virtual std::vector<PieceCube> samples(std::size_t) { return {}; }
  InformedOutcome outcome();

 private:
  friend std::unique_ptr<InformedSearch> make_search(const InformedProblem&, const Hints&, const SearchOptions&);

  virtual InformedOutcome found() = 0;

  const InformedProblem* problem_ = nullptr;
  Weight weight_;
};

// A search of the problem with the tables that it has now. `problem` must outlive it. Throws std::invalid_argument where
// there are too many facts, or an algorithm or a weight does not apply; std::overflow_error if a cost does not fit.
std::unique_ptr<InformedSearch> make_search(const InformedProblem& problem, const Hints& hints,
                                            const SearchOptions& options);

}  // namespace fewest
