// The operations on a problem that a search in an index needs: forward and backward images of layers, goal states, and
// single moves.
#pragma once

#include <memory>
#include <optional>

#include "expand/expanders.hpp"
#include "index/hybrid_image.hpp"
#include "index/statewise_image.hpp"
#include "index/rangewise_image.hpp"
#include "state/compiler_attributes.hpp"

namespace fewest {

template <int P, int Q>
class LayerImages {
 public:
  // `levels`: a numbering that gives the same numbers as `numbers`, but has about one variable per step. All arguments
  // except `team` must outlive this object.
  FEWEST_COLD LayerImages(const Compiler& compiler, const CostTable& costs, const Numbers<P, Q>& numbers, const Numbering& levels,
         const Team& team)
      : compiler_(compiler),
        costs_(costs),
        numbers_(numbers),
        levels_(levels),
        diagram_(levels),
        team_(team),
        goals_(compiler, compiler.problem().goals) {
    if (!problem().goals.has_several_lists()) {
      if (auto goals = cubes_as_transducer(problem(), problem().goals, levels))
        matching_states_ = std::make_unique<MatchingStates>(diagram_, std::move(*goals), team_.list_bytes);
    }
    forward_ = mover(Reading::forward, one_by_one_forward());
  }

  const Team& team() const { return team_; }
  // Only one of the two images is used at a time; the other one frees its cache.
  LayerImage& forward() {
    if (backward_ != nullptr) backward_->free_caches();
    return *forward_;
  }
  LayerImage& backward() {
    if (backward_ == nullptr) backward_ = mover(Reading::backward, one_by_one_backward());
    forward_->free_caches();
    return *backward_;
  }

  // The memory used by the images that have been created so far.
  std::size_t bytes() const {
    return diagram_.bytes() + forward_->bytes() + (backward_ == nullptr ? 0 : backward_->bytes());
  }

  // The number of forward moves that were counted during the expansion.
  std::uint64_t num_counted() const { return forward_->num_counted(); }

  State<P> start(const State<P>& initial) const {
    Plain<P> nothing{};
    return equal_cost_expander<P>(compiler_, costs_)->start(initial, nothing);
  }

  State<P> state(Number number) const {
    Cursor<P, Q> cursor(numbers_);
    cursor.seek(number);
    return cursor.state();
  }

  // Calls visit(number, bits), where bit i stands for number + i, for the goal states marked `now`.
  template <class Visit>
  void for_each_goal_now(const MarkPlanes& marks, Visit visit) {
    if (matching_states_ != nullptr) return matching_states_->for_each_now(marks, visit);
    Cursor<P, Q> cursor(numbers_);
    marks.for_each_now(if_goal(cursor, visit));
  }
  // Like `for_each_goal_now`, but for all goal states of this part.
  template <class Visit>
  void for_each_goal(const MarkPlanes& marks, Visit visit) {
    if (matching_states_ != nullptr) return matching_states_->for_each(marks, visit);
    Cursor<P, Q> cursor(numbers_);
    auto visit_goal = if_goal(cursor, visit);
    for (Number number = marks.begin(); number < marks.end(); ++number) visit_goal(number);
  }
  // Like `for_each_goal_now`, but for the closed goal states.
  template <class Visit>
  void for_each_closed_goal(const MarkPlanes& marks, Visit visit) {
    if (matching_states_ != nullptr) return matching_states_->for_each_closed(marks, visit);
    Cursor<P, Q> cursor(numbers_);
    marks.for_each_closed(if_goal(cursor, visit));
  }

  // Appends the operators of one move between two states. Returns false if no move leads from `from` to `to`.
  bool append_move(const State<P>& from, const State<P>& to, std::vector<OperatorId>& plan) {
    return Predecessors<P, Q>(compiler_, costs_, numbers_).append_move(from, to, plan);
  }

 private:
  const Problem& problem() const { return compiler_.problem(); }

  template <class Visit>
  auto if_goal(Cursor<P, Q>& cursor, Visit& visit) {
    return [&](Number number) {
      cursor.seek(number);
      if (goals_.contain(cursor.state())) visit(number, Word{1});
      return true;
    };
  }

  // If moves are single steps and can be represented by a transducer, images are computed by ranges for dense layers
  // and state by state for sparse ones. Otherwise, they are always computed state by state.
  std::unique_ptr<LayerImage> mover(Reading direction, std::unique_ptr<LayerImage> one_by_one) const {
    if (has_runs(problem(), costs_)) return one_by_one;
    auto moves = operators_as_transducer(problem(), levels_, direction);
    if (!moves) return one_by_one;
    return std::make_unique<HybridImage>(std::make_unique<RangewiseImage>(diagram_, std::move(*moves), team_),
                                     std::move(one_by_one));
  }

  std::unique_ptr<LayerImage> one_by_one_forward() const {
    std::vector<std::unique_ptr<Forward<P, Q>>> all;
    for (std::size_t i = 0; i < team_.most; ++i)
      all.push_back(std::make_unique<Forward<P, Q>>(equal_cost_expander<P>(compiler_, costs_), numbers_));
    return std::make_unique<StatewiseImage<Forward<P, Q>>>(std::move(all), team_);
  }
  std::unique_ptr<LayerImage> one_by_one_backward() const {
    std::vector<std::unique_ptr<Backward<P, Q>>> all;
    for (std::size_t i = 0; i < team_.most; ++i)
      all.push_back(std::make_unique<Backward<P, Q>>(compiler_, costs_, numbers_));
    return std::make_unique<StatewiseImage<Backward<P, Q>>>(std::move(all), team_);
  }

  const Compiler& compiler_;
  const CostTable& costs_;
  const Numbers<P, Q>& numbers_;
  const Numbering& levels_;
  Diagram diagram_;
  Team team_;
  CubeList<P> goals_;
  std::unique_ptr<MatchingStates> matching_states_;  // null: goals are tested state by state
  std::unique_ptr<LayerImage> forward_, backward_;
};

}  // namespace fewest
