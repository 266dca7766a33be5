// Exchanges states between the parts of an A* search on several threads (shared_part.hpp), for any width.
//
// In the first half of a round, the thread of each part writes the successors of its states into buffers, one for each
// part. In the second half, the thread reads the buffers that all threads have filled for its part.
#pragma once

#include <memory>
#include <vector>

#include "informed/search_space.hpp"

namespace fewest {

class Exchange {
 public:
  using Exchanges = std::vector<Exchange*>;  // of all parts

  virtual ~Exchange() = default;

  virtual SearchSpace& space() = 0;
  virtual const SearchSpace& space() const = 0;

  // Clears the buffers of the last round.
  virtual void clear() = 0;
  // Closes a state and begins to expand it; meanwhile, other threads may compare costs.
  virtual void expand(StateId node) = 0;
  // Writes the successors of the expanded state that are new or have become cheaper, each into the buffer for its part.
  // `name`: the number of the expanded state among all parts.
  virtual void lay_out(const Exchanges& all, StateId name) = 0;
  // Writes the initial state of the search into the buffer for its part.
  virtual void lay_out_start(PackedCost bound) = 0;
  // The number of states that all parts have written for this part.
  virtual std::size_t num_for_this(const Exchanges& all) const = 0;
  // Reads the states that were written for this part, and the deadlock sets that other parts have found. Returns false
  // if memory is exhausted.
  virtual bool take_in(const Exchanges& all, std::vector<Opened>& opened) = 0;

  // Functions for saving states to files: a fingerprint, the size of a state in bytes, and a state as bytes. If two
  // searches have different fingerprints, their stored states have different meanings.
  virtual Word shape() const = 0;
  virtual std::size_t state_bytes() const = 0;
  virtual const void* state(StateId node) const = 0;
  // The number of the part to which a state belongs.
  virtual std::size_t owner_of(const void* state) const = 0;
  // Inserts a state; returns kNoState if memory is exhausted.
  virtual StateId insert(const void* state) = 0;
  virtual PackedCost bound_at(StateId node) = 0;
  virtual void restore(std::uint64_t num_expanded, std::uint64_t num_generated, std::uint64_t num_dead,
                       std::uint64_t num_corrals) = 0;
};

}  // namespace fewest
