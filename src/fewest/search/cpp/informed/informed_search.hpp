// Informed searches for an optimal plan. Code outside this folder includes only this header and informed_problem.hpp.
//
// Usage:
//   InformedProblem problem(task, costs, hints);
//   std::unique_ptr<InformedSearch> search = make_search(problem, hints, {.algorithm = Algorithm::astar});
//   while (search->advance(control, {.work = search->work() + 1000}) == Status::running) ...
//   InformedOutcome found = search->outcome();
//
// A search pauses when its quota is used up; the next call of `advance` resumes it. Between two calls, the caller may
// run other searches or build tables.
#pragma once

#include <memory>
#include <string>

#include "informed/deadlock_table.hpp"
#include "informed/pieces.hpp"
#include "state/control.hpp"

namespace fewest {

// Optional data for a search, in addition to the problem.
struct Hints {
  FactGroups groups;                         // groups in which the number of true facts is constant
  std::vector<int> numbers;                  // for each fact: the number of its cell
  std::vector<std::vector<FactId>> images;   // symmetries of the problem and its costs: the image of each fact
  std::vector<DeadCube> dead;                // cubes from which no goal state is reachable
  std::uint64_t look_from = 8192;            // the number of expansions after which the search looks for deadlocks
  Parts parts = {};
};

enum class Algorithm {
  astar,        // A*; with several threads or a file, its states are divided into parts by hash
  ida_star,     // iterative deepening A*: needs little memory, but expands states repeatedly
  both_ends,    // A* from the start and from the goals, if `can_begin_at_goals`
};

// A weighted A* orders states by g + h * numerator / denominator, and proves that its plan costs at most numerator /
// denominator times the minimum.
struct Weight {
  std::uint32_t numerator = 1, denominator = 1;
};

struct SearchOptions {
  Algorithm algorithm = Algorithm::astar;
  std::size_t memory = std::numeric_limits<std::size_t>::max();  // the limit in bytes on the tables of the search
  std::size_t threads = 1;  // the number of threads of A*; a bidirectional search uses at most two
  Weight weight = {};       // supported only for A* on one thread without a file, and for metrics with one part
  PackedCost at_least = 0;  // a known lower bound on the cost of all plans
  std::uint64_t expanded_before = 0;  // the number of expansions in earlier searches, which count towards `look_from`
  std::size_t most_in_table = std::size_t{1} << 28;  // the maximum size in bytes of IDA*'s table
  // The checkpoint file from which A* resumes ("": none), and the minimum number of seconds between two writes.
  std::string file = {};
  double save_every = 60;
};

// Statistics of an iterative-deepening search: the number of expansions under a limit.
struct Iteration {
  PackedCost limit = 0;
  std::uint64_t num_expanded = 0;
};

struct InformedOutcome : Outcome {
  PackedCost initial_bound = 0;
  std::uint64_t num_dead = 0;  // the number of states recognised as dead
  std::uint64_t num_corrals = 0;  // the number of states expanded only by moves into a corral
  std::uint64_t num_learned_deadlocks = 0;  // the number of deadlock sets found during the search
  bool has_agent = false;
  bool merges_regions = false;
  std::size_t num_images = 1;
  std::vector<Iteration> iterations;  // the search under the last limit may be unfinished
};

// The limits of a call of `advance`: the total work of the search since it began, and the size of its tables in bytes.
struct Quota {
  std::uint64_t work = ~std::uint64_t{0};
  std::size_t bytes = std::numeric_limits<std::size_t>::max();
};

class InformedProblem;

class InformedSearch {
 public:
  virtual ~InformedSearch() = default;

  // Searches until the quota is used up (then the status is `running`), an answer has been found, or a limit of
  // `control` or the memory limit stops the search. After any status other than `running`, further calls return the
  // same status. Throws FileError if the checkpoint file cannot be read or written, Damage if the file is damaged or
  // belongs to another search, and std::overflow_error if a cost does not fit.
  virtual Status advance(Control& control, const Quota& quota) = 0;
  // The work so far, in expansions. Except in IDA*, an expansion that has many successors counts as several.
  virtual std::uint64_t work() const = 0;
  // The proved lower bound on the cost of all plans.
  virtual PackedCost bound() const = 0;
  virtual std::size_t bytes() const = 0;
  // A sample of at most the given number of expanded states. The sample is empty unless the search is A* on one thread.
  virtual std::vector<PieceCube> samples(std::size_t) { return {}; }
  InformedOutcome outcome();

 private:
  friend std::unique_ptr<InformedSearch> make_search(const InformedProblem&, const Hints&, const SearchOptions&);

  virtual InformedOutcome found() = 0;

  const InformedProblem* problem_ = nullptr;
  Weight weight_;
};

// Creates a search of the problem that uses the problem's current tables. `problem` must outlive the search. Throws
// std::invalid_argument if there are too many facts, or if an algorithm or a weight is not supported.
std::unique_ptr<InformedSearch> make_search(const InformedProblem& problem, const Hints& hints,
                                            const SearchOptions& options);

}  // namespace fewest
