// Permutations of facts: operators that apply in every state.
//
// Problem: a turn of a face of Rubik's cube moves 20 stickers, whatever their colours are. Operators with flips would
// have to cover each arrangement of the colours, so hundreds of thousands of operators would be necessary.
// Solution: a packed state is the XOR of one constant per true fact, and so is its image under a permutation. The
// images of a state under all permutations are computed together, each by a few table look-ups, as for a search with
// symmetry (images.hpp). Plans are found backwards, with the inverse permutations.
#pragma once

#include <memory>
#include <numeric>
#include <span>

#include "state/compiler_attributes.hpp"
#include "expand/images.hpp"
#include "expand/operators.hpp"

namespace fewest {

// The images of a state under all permutations of a problem, or under their inverses.
template <int P>
class PermutationImages {
 public:
  FEWEST_COLD PermutationImages(const Compiler& compiler, Direction direction)
      : first_id_(static_cast<OperatorId>(compiler.problem().operators.count)),
        rows_(rows_of(compiler.problem(), direction)),
        images_(compiler, {compiler.problem().num_permutations + 1, rows_->data(), false}) {}

  // The image of `s` under each permutation; valid until the next call.
  std::span<const State<P>> of(const State<P>& s) { return images_.of(s).subspan(1); }
  // Writes the images of `s` to `scratch`; threads that share this object must not share `scratch`.
  std::span<const State<P>> of(const State<P>& s, std::vector<State<P>>& scratch) const {
    return images_.of(s, scratch).subspan(1);
  }
  OperatorId id(std::size_t p) const { return first_id_ + static_cast<OperatorId>(p); }

 private:
  using Rows = std::shared_ptr<const std::vector<FactId>>;

  // The identity, which `Images` requires as the first row, followed by every permutation or its inverse.
  FEWEST_COLD static Rows rows_of(const Problem& problem, Direction direction) {
    const auto size = static_cast<std::size_t>(problem.num_facts);
    std::vector<FactId> rows((problem.num_permutations + 1) * size);
    std::iota(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(size), FactId{0});
    for (std::size_t p = 0; p < problem.num_permutations; ++p)
      for (std::size_t fact = 0; fact < size; ++fact) {
        const FactId to = problem.permutations[p * size + fact];
        FactId* row = rows.data() + (p + 1) * size;
        if (direction == Direction::forward)
          row[fact] = to;
        else
          row[to] = static_cast<FactId>(fact);
      }
    return std::make_shared<const std::vector<FactId>>(std::move(rows));
  }

  OperatorId first_id_;
  Rows rows_;  // `images_` refers to these rows
  Images<P> images_;
};

}  // namespace fewest
