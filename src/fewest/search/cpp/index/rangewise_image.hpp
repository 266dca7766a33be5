// Images of layers computed by ranges and words, forwards or backwards, for operators that are single steps.
#pragma once

#include <memory>
#include <optional>

#include "index/layer_image.hpp"
#include "index/transducer_product.hpp"

namespace fewest {

class RangewiseImage final : public LayerImage {
 public:
  RangewiseImage(const Diagram& diagram, Transducer transducer, const Team& team);

  RangewiseImage(const RangewiseImage&) = delete;
  RangewiseImage& operator=(const RangewiseImage&) = delete;

  Number move(MarkPlanes& marks, Mark from, Number width, const MayContinue& may_continue) override;
  std::uint64_t num_generated(const MarkPlanes& marks) override;

  void free_caches() override;
  std::size_t bytes() const override;

 private:
  template <Mark from, bool is_part>
  Number move_all(MarkPlanes& marks, Number width, const MayContinue& may_continue);

  Transducer transducer_;
  Team team_;
  std::vector<TransducerProduct> products_;  // by thread
  std::vector<ProductNode> stations_;
};

// Finds the states that are in any of the cubes from which the transducer was made.
class MatchingStates {
 public:
  MatchingStates(const Diagram& diagram, Transducer transducer, std::size_t list_bytes);
  MatchingStates(const MatchingStates&) = delete;
  MatchingStates& operator=(const MatchingStates&) = delete;

  // Calls visit(number, bits) for the matching states that are marked `now`, 64 numbers at a time.
  void for_each_now(const MarkPlanes& marks, const std::function<void(Number, Word)>& visit);
  // Calls visit for all matching states of this part, regardless of their marks.
  void for_each(const MarkPlanes& marks, const std::function<void(Number, Word)>& visit);
  // Calls visit for the matching states that are closed.
  void for_each_closed(const MarkPlanes& marks, const std::function<void(Number, Word)>& visit);

 private:
  Transducer transducer_;
  TransducerProduct product_;
};

}  // namespace fewest
