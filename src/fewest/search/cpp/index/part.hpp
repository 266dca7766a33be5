// A part of a search in an index. The part owns a range of the numbers, and performs the same steps as a search over
// all numbers (index_search.hpp).
//
// Problem: the marks of a large index do not fit into the memory of a single machine.
// Solution: each machine stores the marks of one range of the numbers. The machine expands the states of its range,
// marks the successors in this range, and packs all other successors for the parts that own them (outbox.hpp). The
// caller chooses the next step, and detects when all parts have received all words.
// Usage: one thread performs the steps; meanwhile, other threads may call `take`, `receive` and `cancel`.
//   auto part = make_part(problem, costs, numbering, levels, options);
//   part->begin(part->start());
//   part->advance(false);
//   part->move(false, false); // and receive(...) the words from all other parts
//   part->advance(false);
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "index/numbering.hpp"
#include "index/outbox.hpp"
#include "state/problem.hpp"
#include "state/costs.hpp"

namespace fewest {

struct PartOptions {
  std::vector<Number> ends;  // for each part, the number after its last one: a multiple of 4096, or the size
  std::size_t part = 0;
  std::size_t threads = 1, memory = 0, outbox = std::size_t{64} << 20;  // memory, outbox: bytes
  std::size_t states_per_thread = std::size_t{1} << 10;
};

struct GoalCount {
  Number count = 0;
  std::optional<Number> first;
};

class IndexPart {
 public:
  virtual ~IndexPart() = default;

  // The number of the initial state.
  virtual Number start() const = 0;
  // Clears all marks. Then marks this number as `next` if it belongs to this part.
  virtual void begin(Number number) = 0;
  // Clears all marks. Then marks all goal states of this part as `next`.
  virtual void begin_at_goals() = 0;
  // Expands the states marked `now`, backwards or forwards. `within`: the search runs within the closed states, and
  // marks only these states. Returns false if `cancel` was called; in that case, the marks are unusable.
  virtual bool move(bool backward, bool within) = 0;
  // Marks the numbers that another part has packed for this part in the same step. Throws std::invalid_argument if the
  // bytes are damaged or contain numbers of another part.
  virtual void receive(const unsigned char* bytes, std::size_t size, bool within) = 0;
  // Appends the packed words for another part, like `Outbox::take`.
  virtual void take(std::size_t part, std::size_t most, PackedWords& bytes) = 0;
  virtual std::size_t num_waiting(std::size_t part) const = 0;
  virtual void cancel() = 0;
  // Finishes a layer, like `MarkPlanes::advance`. Returns the number of states marked `now`.
  virtual Number advance(bool within) = 0;
  // Counts the goal states among the states marked `now`, and finds the first one.
  virtual GoalCount goals() = 0;
  // Marks all closed goal states as `next`.
  virtual void mark_goals() = 0;
  // The number of moves from the closed states, which have all been expanded. `num_counted`: the number of moves
  // counted during the expansion (layer_image.hpp).
  virtual std::uint64_t num_generated() = 0;
  virtual std::uint64_t num_counted() const = 0;
  // Returns the smallest of the states marked `now`, where fact sets are compared as binary numbers. The result is
  // empty if no state is marked.
  virtual FactSet least() = 0;
  // At most a thousand of the states marked `now`: those with the fewest facts among the first ten million.
  virtual std::vector<FactSet> fewest_facts() = 0;
  // Lists the states marked `now`. Returns false if the list would need more than the remaining memory.
  virtual bool list() = 0;
  // Returns the first state in the list that is marked `now`, and deletes the list.
  virtual std::optional<Number> meet() = 0;
  virtual FactSet state(Number number) const = 0;
  // The operators of a single move from one state to another; empty if there is no such move.
  virtual std::vector<OperatorId> operators(Number from, Number to) = 0;
  // Saves the marks. This function must be called between two layers. Returns false if the disk is full. Throws
  // FileError.
  [[nodiscard]] virtual bool write(const std::string& path, std::uint64_t layer) = 0;
  // Restores the marks from the files that contain the numbers of this part. Returns the number of states marked `now`.
  // Throws Damage or FileError.
  virtual Number read(const std::vector<std::string>& paths, std::uint64_t layer) = 0;
  // The number of states that have been marked so far in this step.
  virtual Number num_marked() const = 0;
  virtual std::size_t bytes() const = 0;
};

// Throws std::bad_alloc. Throws std::invalid_argument if `search_index` would throw it, or if a range is invalid. All
// arguments except the options must outlive the part.
std::unique_ptr<IndexPart> make_part(const Problem& problem, const CostTable& costs, const Numbering& numbering,
                                     const Numbering& levels, const PartOptions& options);

}  // namespace fewest
