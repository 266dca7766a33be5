// States that the parts of an A* search on several threads lay out for each other (shared_part.hpp), whatever their width.
//
// A part lays out the successors of a state in one half of a round, in a box for each part, and takes in what the others
// have laid out for it in the other half.
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

  // Takes away what was laid out in the last round.
  virtual void clear() = 0;
  // Closes a state, while others compare costs, and begins to expand it.
  virtual void expand(StateId node) = 0;
  // Lays out the successors of the state being expanded that are new in their parts, or cheaper. `name`: of this state.
  virtual void lay_out(const Exchanges& all, StateId name) = 0;
  // Lays out the state that the search begins with.
  virtual void lay_out_start(PackedCost bound) = 0;
  // How many states all parts have laid out for this one.
  virtual std::size_t num_for_this(const Exchanges& all) const = 0;
  // Takes them in, and the sets of lost pieces that other parts have found. False: no memory.
  virtual bool take_in(const Exchanges& all, std::vector<Opened>& opened) = 0;

  // For files: what must be the same for states to mean the same, the bytes of a state, and a state as bytes.
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
