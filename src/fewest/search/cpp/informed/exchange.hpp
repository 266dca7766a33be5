// The exchange of states between the parts of an A* search on several threads (shared_part.hpp), for any width.
//
// In one half of a round a part writes the successors of its states into one box for each part. In the other half it
// reads the boxes that the others have written for it.
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

  // Clear the boxes of the last round.
  virtual void clear() = 0;
  // Close a state, while others compare costs, and begin to expand it.
  virtual void expand(StateId node) = 0;
  // Write the successors of the expanded state that are new in their parts, or cheaper. `name`: of the expanded
  // state.
  virtual void lay_out(const Exchanges& all, StateId name) = 0;
  // Write the state with which the search begins.
  virtual void lay_out_start(PackedCost bound) = 0;
  // The number of states that all parts have written for this one.
  virtual std::size_t num_for_this(const Exchanges& all) const = 0;
  // Read these states, and the deadlocks that other parts have found. False: no memory.
  virtual bool take_in(const Exchanges& all, std::vector<Opened>& opened) = 0;

  // For files: the properties that give states the same meaning, the bytes of a state, and a state as bytes.
  virtual Word shape() const = 0;
  virtual std::size_t state_bytes() const = 0;
  virtual const void* state(StateId node) const = 0;
  // The part that a state belongs to.
  virtual std::size_t owner_of(const void* state) const = 0;
  // kNoState: no memory.
  virtual StateId insert(const void* state) = 0;
  virtual PackedCost bound_at(StateId node) = 0;
  virtual void restore(std::uint64_t num_expanded, std::uint64_t num_generated, std::uint64_t num_dead,
                       std::uint64_t num_corrals) = 0;
};

}  // namespace fewest
