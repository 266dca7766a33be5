// A part of a search in an index: a range of the numbers, with the same steps as the whole search (index_search.hpp).
//
// Problem: the marks of a large index fit on no machine.
// Solution: each machine has the marks of a range of the numbers. It expands the states of its range, calls those that
// lie in it, and packs the others for their parts (outbox.hpp), which receive them. The caller decides the steps, and
// when all parts have received everything.
// Usage, by one thread for the steps, and others meanwhile for `take`, `receive`, `cancel`:
//   auto part = make_part(problem, costs, numbering, levels, options);
//   part->begin(part->start());
//   part->advance(false);
//   part->move(false, false);  // and receive(...) from all others
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
  std::vector<Number> ends;  // of each part, the number after its last one: a multiple of 4096, or the size
  std::size_t part = 0;
  std::size_t threads = 1, memory = 0, outbox = std::size_t{64} << 20;  // bytes
  std::size_t states_per_thread = std::size_t{1} << 10;
};

struct GoalCount {
  Number count = 0;
  std::optional<Number> first;
};

class IndexPart {
 public:
  virtual ~IndexPart() = default;

  // The number of the start.
  virtual Number start() const = 0;
  // Clear all marks; call this number, if it is one of the part.
  virtual void begin(Number number) = 0;
  // Clear all marks; call all goal states of the part.
  virtual void begin_at_goals() = 0;
  // Expand the states marked now, backwards or forwards; `within`: only kept states are called, and the marks are
  // those of a search within them. False: it was cancelled, and the marks are of no use.
  virtual bool move(bool backward, bool within) = 0;
  // Call what another part has called; for the same kind of move.
  virtual void receive(const unsigned char* bytes, std::size_t size, bool within) = 0;
  // The words for another part.
  virtual void take(std::size_t part, std::size_t most, PackedWords& bytes) = 0;
  virtual std::size_t num_waiting(std::size_t part) const = 0;
  virtual void cancel() = 0;
  // The called states are to be expanded now. Returns how many they are.
  virtual Number advance(bool within) = 0;
  // Among the states marked now.
  virtual GoalCount goals() = 0;
  // Call all kept goal states.
  virtual void call_goals() = 0;
  // The moves from kept states, which have all been expanded; `counted`: the part of it that does not follow from
  // the marks.
  virtual std::uint64_t num_generated() = 0;
  virtual std::uint64_t num_counted() const = 0;
  // The least, as a number of its facts, of the states marked now; none: empty.
  virtual FactSet least() = 0;
  // Of the first ten million states marked now, at most a thousand of those with the fewest facts.
  virtual std::vector<FactSet> fewest_facts() = 0;
  // Remember the states marked now. False: they take more than the rest of the memory.
  virtual bool list() = 0;
  // One of the remembered states that are marked now.
  virtual std::optional<Number> meet() = 0;
  virtual FactSet state(Number number) const = 0;
  // The operators of one move from one state to another; empty if no move leads there.
  virtual std::vector<OperatorId> operators(Number from, Number to) = 0;
  // Between two layers. False: the disk is full. Throws FileError.
  [[nodiscard]] virtual bool write(const std::string& path, std::uint64_t layer) = 0;
  // From the files of the parts that have these numbers. Throws Damage, FileError.
  // Returns the states to be expanded now.
  virtual Number read(const std::vector<std::string>& paths, std::uint64_t layer) = 0;
  // Called so far in this step.
  virtual Number num_called() const = 0;
  virtual std::size_t bytes() const = 0;
};

// Throws std::invalid_argument as `search_index`, and for parts that are none; std::bad_alloc. Everything given must
// stay in place, except the options.
std::unique_ptr<IndexPart> make_part(const Problem& problem, const CostTable& costs, const Numbering& numbering,
                                     const Numbering& levels, const PartOptions& options);

}  // namespace fewest
