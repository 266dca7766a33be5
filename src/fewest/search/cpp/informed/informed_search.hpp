// Informed searches for an optimal plan. Code outside of this folder includes only this header and
// informed_problem.hpp.
//
// Usage:
//   InformedProblem problem(task, costs, hints);
//   std::unique_ptr<InformedSearch> search = make_search(problem, hints, {.algorithm = Algorithm::astar});
//   while (search->advance(control, {.work = search->work() + 1000}) == Status::running) ...
//   InformedOutcome found = search->outcome();
//
// A search pauses when its quota is used up. The next call of `advance` continues the search. Between two calls, the
// caller may run other searches or build tables.
#pragma once

#include <memory>
#include <string>

#include "informed/deadlock_table.hpp"
#include "informed/pieces.hpp"
#include "state/control.hpp"

namespace fewest {

// Optional data for a search in addition to the problem.
struct Hints {
  FactGroups groups;                         // groups with a constant number of true facts
  std::vector<int> numbers;                  // per fact: the number of its cell
  std::vector<std::vector<FactId>> images;   // symmetries of problem and costs: per fact its image
  std::vector<DeadCube> dead;                // cubes from which no goal is reachable
  std::uint64_t look_from = 8192;            // number of expansions after which the search looks for deadlocks
  Parts parts = {};
};

enum class Algorithm {
  astar,        // A*; with several threads or a file, its states are divided into parts by hash
  ida_star,     // iterative deepening A*: little memory, states are expanded repeatedly
  both_ends,    // A* from the start and from the goals, if `can_begin_at_goals`
};

// A weighted A* orders states by g + h * numerator / denominator, and proves that its plan costs at most numerator /
// denominator times the minimum.
struct Weight {
  std::uint32_t numerator = 1, denominator = 1;
};

struct SearchOptions {
  Algorithm algorithm = Algorithm::astar;
  std::size_t memory = std::numeric_limits<std::size_t>::max();  // bytes of its tables
  std::size_t threads = 1;  // for the parts of A*; a search from both ends uses at most two threads
  Weight weight = {};       // for A* on one thread without a file, if costs have one component
  PackedCost at_least = 0;  // a known lower bound on the cost of all plans
  std::uint64_t expanded_before = 0;  // expansions of earlier searches, which count towards `look_from`
  std::size_t most_in_table = std::size_t{1} << 28;  // The bytes of the table of IDA*.
  // The checkpoint file of A*, from which the search resumes ("": none), and the minimum number of seconds between two
  // writes.
  std::string file = {};
  double save_every = 60;
};

// Statistics of a deepening search: the expansions up to a limit.
struct Iteration {
  PackedCost limit = 0;
  std::uint64_t num_expanded = 0;
};

struct InformedOutcome : Outcome {
  PackedCost initial_bound = 0;
  std::uint64_t num_dead = 0;  // dead successors that were recognised
  std::uint64_t num_corrals = 0;  // states expanded only by moves into a corral
  std::uint64_t num_learned_deadlocks = 0;  // sets of pieces, found during the search
  bool has_agent = false;
  bool merges_regions = false;
  std::size_t num_images = 1;
  std::vector<Iteration> iterations;  // the last limit may be unfinished
};

// The limits of a call of `advance`: the total work of the search since it began, and the bytes of its tables.
struct Quota {
  std::uint64_t work = ~std::uint64_t{0};
  std::size_t bytes = std::numeric_limits<std::size_t>::max();
};

class InformedProblem;

class InformedSearch {
 public:
  virtual ~InformedSearch() = default;

  // Searches until the quota is used up (then the status is `running`), there is an answer, or a limit of `control` or
  // of the memory stops the search. After any status other than `running`, further calls return the same status. Throws
  // FileError if the checkpoint file cannot be read or written, and Damage if the file is damaged or belongs to another
  // search.
  virtual Status advance(Control& control, const Quota& quota) = 0;
  // The work so far, in expansions. An expansion with many successors counts as several expansions.
  virtual std::uint64_t work() const = 0;
  // The proved lower bound on the cost of all plans.
  virtual PackedCost bound() const = 0;
  virtual std::size_t bytes() const = 0;
  // A sample of expanded states with at most the given size; only A* on one thread returns a sample.
  virtual std::vector<PieceCube> samples(std::size_t) { return {}; }
  InformedOutcome outcome();

 private:
  friend std::unique_ptr<InformedSearch> make_search(const InformedProblem&, const Hints&, const SearchOptions&);

  virtual InformedOutcome found() = 0;

  const InformedProblem* problem_ = nullptr;
  Weight weight_;
};

// Creates a search of the problem that uses the current tables of the problem. `problem` must outlive the search.
// Throws std::invalid_argument if there are too many facts, or if an algorithm or a weight is not supported, and
// std::overflow_error if a cost does not fit.
std::unique_ptr<InformedSearch> make_search(const InformedProblem& problem, const Hints& hints,
                                            const SearchOptions& options);

}  // namespace fewest
