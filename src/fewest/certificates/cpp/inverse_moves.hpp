// Records the moves that led to each node, so that the inverses of these moves need not be followed. Most operators add
// a constant to the number of a position, and an operator that subtracts this constant leads back to the previous node.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "delta_list.hpp"
#include "numbered_task.hpp"
#include "runs.hpp"

namespace fewest::checkers {

// The set of moves that led to a node, as numbers from 1 to 127. Number 0 represents moves that no other move undoes;
// adding this number has no effect.
class InverseMoveSet {
 public:
  void add(unsigned move) {
    FEWEST_ASSERT(move < 128, "the number of a move is below 128");
    words_[move / 64] |= std::uint64_t{1} << move % 64;
  }
  bool has(unsigned move) const { return move != 0 && (words_[move / 64] >> move % 64 & 1) != 0; }

  template <class Found>
  void for_each(Found&& found) const {
    for (unsigned w = 0; w < 2; ++w)
      for (std::uint64_t left = words_[w] & ~std::uint64_t{w == 0}; left != 0; left &= left - 1)
        found(64 * w + std::countr_zero(left));
  }

 private:
  std::uint64_t words_[2] = {};
};

// Numbers the constants that operators add and other operators subtract, starting at 1. Any other move has number 0.
class InverseMoves {
 public:
  // No constant gets a number if moves merge, because an inverse move may continue a merged move. The same applies if
  // there are more than 127 such constants, or if the numbers of positions have more than 56 bits.
  InverseMoves(const NumberedMoves& moves, const Runs& runs)
      : move_number_(moves.num_operators()), inverse_number_(moves.num_operators()) {
    if (runs.size() != 1 || moves.size() >> 56 != 0) return;
    std::vector<std::uint64_t> added, sums;
    for (std::uint32_t o = 0; o < move_number_.size(); ++o)
      if (const auto sum = moves.sum(o)) added.push_back(*sum);
    std::sort(added.begin(), added.end());
    added.erase(std::unique(added.begin(), added.end()), added.end());
    for (const std::uint64_t sum : added)
      if (std::binary_search(added.begin(), added.end(), -sum)) sums.push_back(sum);
    if (sums.size() > 127) return;
    const auto number_of = [&](std::uint64_t sum) {
      const auto at = std::lower_bound(sums.begin(), sums.end(), sum);
      return static_cast<std::uint8_t>(at == sums.end() || *at != sum ? 0 : at - sums.begin() + 1);
    };
    for (std::uint32_t o = 0; o < move_number_.size(); ++o) {
      const auto sum = moves.sum(o);
      if (!sum) continue;
      move_number_[o] = number_of(*sum);
      inverse_number_[o] = number_of(-*sum);
    }
    bits_ = std::bit_width(sums.size());
    FEWEST_ASSERT(bits_ <= 7, "the number of a move has at most seven bits");
  }

  bool any() const { return bits_ != 0; }

  // A node and the move that led to it, encoded as one number.
  std::uint64_t with_move(std::uint64_t node, std::uint32_t o) const {
    FEWEST_ASSERT(bits_ == 0 || (node << bits_ >> bits_ == node && move_number_[o] >> bits_ == 0),
                  "a node leaves the bits of its move free");
    return bits_ == 0 ? node : node << bits_ | move_number_[o];
  }
  std::uint64_t without_move(std::uint64_t node) const { return node << bits_; }

  // Whether an operator undoes one of the moves (`arrivals`) that led to a node.
  bool leads_back(const InverseMoveSet& arrivals, std::uint32_t o) const {
    return any() && arrivals.has(inverse_number_[o]);
  }

  // Calls `found` for each node, in ascending order, with the node and the moves that led to it. `sorter` must contain
  // results of `with_move`.
  template <class Found>
  void for_each_node(Sorter& sorter, Found&& found) const {
    std::uint64_t last = kNoNumber;
    InverseMoveSet arrivals;
    sorter.for_each([&](std::uint64_t number) {
      const std::uint64_t node = number >> bits_;
      if (node != last) {
        if (last != kNoNumber) found(last, arrivals);
        arrivals = {};
        last = node;
      }
      arrivals.add(static_cast<unsigned>(number ^ node << bits_));
    });
    if (last != kNoNumber) found(last, arrivals);
  }

 private:
  std::vector<std::uint8_t> move_number_, inverse_number_;  // per operator
  unsigned bits_ = 0;
};

// The moves that led to each node of a list, one byte per move. The last byte of each node is marked. A node without
// moves takes one byte, which contains only the mark.
class Trails {
 public:
  // Stores the moves that led to the node with this index. Nodes with lower indices that were skipped have no moves.
  void put(std::uint64_t index, const InverseMoveSet& arrivals) {
    FEWEST_ASSERT(size_ <= index, "the nodes ascend");
    for (; size_ < index; ++size_) push(kLast);
    ++size_;
    unsigned last = 0;
    arrivals.for_each([&](unsigned move) {
      if (last != 0) push(last);
      last = move;
    });
    push(last | kLast);
  }
  std::uint64_t bytes() const { return blocks_.size() * kBlock; }

  // Reads the moves of all nodes in order. After the last node, the sets are empty.
  class Reader {
   public:
    explicit Reader(const Trails& trails)
        : block_(trails.blocks_.data()), end_block_(block_ + trails.blocks_.size()) {}
    InverseMoveSet next() {
      InverseMoveSet arrivals;
      for (unsigned byte = 0; byte < 128;) {
        if (at_ == end_) {
          if (block_ == end_block_) break;
          at_ = block_->data();
          end_ = at_ + block_->size();
          ++block_;
        }
        byte = static_cast<unsigned char>(*at_++);
        arrivals.add(byte & 127);
      }
      return arrivals;
    }

   private:
    const std::string* block_;
    const std::string* end_block_;
    const char* at_ = nullptr;
    const char* end_ = nullptr;
  };

 private:
  static constexpr unsigned kLast = 128;
  static constexpr std::size_t kBlock = 1 << 16;  // bytes
  void push(unsigned byte) {
    if (blocks_.empty() || blocks_.back().size() == kBlock) {
      blocks_.emplace_back();
      blocks_.back().reserve(kBlock);
    }
    blocks_.back().push_back(static_cast<char>(byte));
  }

  std::uint64_t size_ = 0;
  std::vector<std::string> blocks_;
};

}  // namespace fewest::checkers
