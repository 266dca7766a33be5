// Computes images of layers state by state, with an expander or with inverse operators.
// Problem: merged moves have no transducer, nor do the operators of a problem with forbidden states.
// Solution: each state is unranked and expanded, and its successors are ranked and marked. Unranking is fast, since
// each state shares the beginning of its path with the previous state. The words that contain the marks are prefetched
// a few successors ahead. The threads process ranges of blocks. On average, a range contains at least a few hundred
// states, so a narrow layer in a large space is divided into few ranges.
#pragma once

#include <memory>
#include <stdexcept>
#include <utility>

#include "expand/expander.hpp"
#include "index/layer_image.hpp"
#include "index/predecessors.hpp"
#include "state/threads.hpp"

namespace fewest {

// An object of type `BlockImage` processes a range of blocks and counts the moves. The type has the methods `Number
// move(marks, from, begin, end)` and `num_generated()`.
template <class BlockImage>
class StatewiseImage final : public LayerImage {
 public:
  // `ones`: one object for each thread.
  StatewiseImage(std::vector<std::unique_ptr<BlockImage>> ones, const Team& team) : ones_(std::move(ones)), team_(team) {}

  Number move(MarkPlanes& marks, Mark from, Number width, const MayContinue& may_continue) override {
    std::atomic<Number> all = 0;
    cut(marks, width);
    const std::size_t count = ends_.size();
    const auto work = [&](std::size_t thread, std::size_t piece) {
      all.fetch_add(ones_[thread]->move(marks, from, piece == 0 ? marks.first_block() : ends_[piece - 1], ends_[piece]),
                    std::memory_order_relaxed);
    };
    in_pieces(*team_.pool, count, team_.size(width), work, [&](std::size_t begun) {
      return may_continue(all.load(std::memory_order_relaxed), static_cast<double>(begun) / static_cast<double>(count));
    });
    return all;
  }

  std::uint64_t num_generated(const MarkPlanes&) override { return num_counted(); }
  std::uint64_t num_counted() const override {
    std::uint64_t all = 0;
    for (const auto& one : ones_) all += one->num_generated();
    return all;
  }

 private:
  // The approximate number of states per range, and the maximum number of ranges per layer.
  static constexpr Number kStates = Number{1} << 9, kMost = Number{1} << 16;

  // Divides the blocks into ranges that contain equal numbers of blocks with marked states.
  void cut(const MarkPlanes& marks, Number width) {
    const Number all = marks.end_block(), now = marks.num_blocks_now();
    const Number pieces = std::clamp<Number>(width / kStates, 1, std::min(kMost, std::max<Number>(now, 1)));
    const Number together = (now + pieces - 1) / pieces;
    ends_.clear();
    Number in_piece = 0;
    for (Number block = marks.next_block_now(marks.first_block()); block < all; block = marks.next_block_now(block + 1)) {
      if (in_piece == together) {
        ends_.push_back(block);
        in_piece = 0;
      }
      ++in_piece;
    }
    ends_.push_back(all);
    FEWEST_ASSERT(std::is_sorted(ends_.begin(), ends_.end()), "the pieces of a layer are ascending");
  }

  std::vector<std::unique_ptr<BlockImage>> ones_;
  Team team_;
  std::vector<Number> ends_;  // for each range of a layer, the block after its last block
};

template <int P, int Q>
class Forward {
 public:
  Forward(std::unique_ptr<Expander<P, Plain<P>>> expander, const Numbers<P, Q>& numbers)
      : expander_(std::move(expander)), numbers_(numbers), cursor_(numbers), batches_(numbers.num_steps()) {}

  std::uint64_t num_generated() const { return generated_; }

  Number move(MarkPlanes& marks, Mark from, Number begin, Number end) {
    marks_ = &marks, from_ = from, marked_ = 0;
    marks.for_each_now(begin, end, [this](Number number) {
      cursor_.seek(number);
      expander_->expand(State<P>(cursor_.state()), successors_.cleared());
      for (const auto& next : successors_) push(next.state);
      return true;
    });
    for (int step = 0; step < numbers_.num_steps(); ++step) rank_batch(step);
    for (Block& block : blocks_) mark(block);
    return marked_;
  }

 private:
  static constexpr unsigned kBlock = 64, kBatch = 16;

  struct Block {
    unsigned size = 0;
    Number numbers[kBlock];
  };
  struct Batch {
    unsigned size = 0;
    typename Numbers<P, Q>::Reading readings[kBatch];
  };

  void push(const State<P>& s) {
    const auto code = numbers_.code(s);
    const auto [step, before, row] = cursor_.common(code);
    FEWEST_ASSERT(step < numbers_.num_steps() || s == cursor_.state(),
                  "two consistent states with the same code are equal");
    FEWEST_ASSERT_SAMPLED(is_numbered(s), "a successor has a number, and the state with this number is the successor");
    if (step == numbers_.num_steps()) return;
    Batch& batch = batches_[step];
    batch.readings[batch.size] = {before, code, row};
    if (++batch.size == kBatch) rank_batch(step);
  }

  bool is_numbered(const State<P>& s) const {
    const Number number = numbers_.rank(s);
    if (number >= numbers_.size()) return false;
    Cursor<P, Q> cursor(numbers_);
    cursor.seek(number);
    return cursor.state() == s;
  }

  // Ranks successors that first differ from their origin at this step.
  void rank_batch(int step) {
    Batch& batch = batches_[step];
    const unsigned size = std::exchange(batch.size, 0);
    numbers_.rank_all(batch.readings, size, step);
    for (unsigned i = 0; i < size; ++i) {
      const Number number = batch.readings[i].before;
      if (number >= numbers_.size()) throw std::logic_error("a successor breaks the invariants");
      marks_->prefetch(number);
      Block& block = blocks_[filling_];
      block.numbers[block.size] = number;
      if (++block.size < kBlock) continue;
      filling_ = 1 - filling_;
      mark(blocks_[filling_]);
    }
  }

  void mark(Block& block) {
    const unsigned size = std::exchange(block.size, 0);
    generated_ += size;
    for (unsigned i = 0; i < size; ++i) marked_ += marks_->mark(block.numbers[i], from_);
  }

  std::unique_ptr<Expander<P, Plain<P>>> expander_;
  Successors<P, Plain<P>> successors_;  // the successors of the state that is being expanded
  const Numbers<P, Q>& numbers_;
  Cursor<P, Q> cursor_;
  MarkPlanes* marks_ = nullptr;
  Mark from_ = Mark::out;
  Number marked_ = 0;
  std::uint64_t generated_ = 0;
  std::vector<Batch> batches_;  // per step
  Block blocks_[2];
  int filling_ = 0;
};

template <int P, int Q>
class Backward {
 public:
  Backward(const Compiler& compiler, const CostTable& costs, const Numbers<P, Q>& numbers)
      : undo_(compiler, costs, numbers), cursor_(numbers) {}

  std::uint64_t num_generated() const { return generated_; }

  Number move(MarkPlanes& marks, Mark from, Number begin, Number end) {
    Number marked = 0;
    marks.for_each_now(begin, end, [&](Number number) {
      cursor_.seek(number);
      undo_.before(cursor_.state(), [&](Number before, const State<P>&) {
        ++generated_;
        marked += marks.mark(before, from);
        return true;
      });
      return true;
    });
    return marked;
  }

 private:
  Predecessors<P, Q> undo_;
  Cursor<P, Q> cursor_;
  std::uint64_t generated_ = 0;
};

}  // namespace fewest
