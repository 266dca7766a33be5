// Computes the images of dense layers by ranges and words, and the images of sparse layers state by state.
#pragma once

#include <memory>

#include "index/layer_image.hpp"

namespace fewest {

class HybridImage final : public LayerImage {
 public:
  // Both images that are passed in must compute the same result.
  HybridImage(std::unique_ptr<LayerImage> wide, std::unique_ptr<LayerImage> sparse)
      : wide_(std::move(wide)), sparse_(std::move(sparse)) {}

  Number move(MarkPlanes& marks, Mark from, Number width, const MayContinue& may_continue) override {
    const bool is_sparse = width < kStatesOfBlock * marks.num_blocks_now();
    return (is_sparse ? sparse_ : wide_)->move(marks, from, width, may_continue);
  }
  std::uint64_t num_generated(const MarkPlanes& marks) override { return wide_->num_generated(marks); }
  void free_caches() override { wide_->free_caches(); }
  std::size_t bytes() const override { return wide_->bytes() + sparse_->bytes(); }

 private:
  static constexpr Number kStatesOfBlock = 8;  // with more states per block, the wide image is faster

  std::unique_ptr<LayerImage> wide_, sparse_;
};

}  // namespace fewest
