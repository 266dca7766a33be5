// Sorted runs of successors in a temporary file, and a merge of several runs.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "store/blocks.hpp"
#include "store/sorting.hpp"

namespace fewest {

// A run: ascending states of one shard in consecutive blocks.
template <int P>
struct SpooledRun {
  const BlockFile* file;
  std::vector<Row<P>> rows;
};

template <int P>
class Stream {
 public:
  virtual ~Stream() = default;
  // Returns the next entries in ascending order, without duplicates; they are valid until the next call. The result is
  // empty at the end of the stream.
  virtual std::span<const State<P>> next() = 0;
};

template <int P>
class RunStream final : public Stream<P> {
 public:
  explicit RunStream(const SpooledRun<P>& run) : run_(run) {}

  std::span<const State<P>> next() override {
    if (at_ == run_.rows.size()) return {};
    return reader_.read(*run_.file, run_.rows[at_++]);
  }

 private:
  const SpooledRun<P>& run_;
  BlockReader<P> reader_;
  std::size_t at_ = 0;
};

// A stream of ascending states in memory.
template <int P>
class SpanStream final : public Stream<P> {
 public:
  explicit SpanStream(std::span<const State<P>> states) : states_(states) {}

  std::span<const State<P>> next() override { return std::exchange(states_, {}); }

 private:
  std::span<const State<P>> states_;
};

template <int P>
class Union final : public Stream<P> {
 public:
  Union(std::unique_ptr<Stream<P>> a, std::unique_ptr<Stream<P>> b, Word marks)
      : a_{std::move(a), {}}, b_{std::move(b), {}}, marks_(marks), out_(new State<P>[kBlockStates<P>]) {
    a_.refill();
    b_.refill();
  }

  std::span<const State<P>> next() override {
    State<P>* out = out_.get();
    State<P>* const end = out + kBlockStates<P>;
    while (out != end) {
      if (a_.is_at_end() || b_.is_at_end()) {
        Side& left = a_.is_at_end() ? b_ : a_;
        if (left.is_at_end()) break;
        const auto size = std::min<std::size_t>(left.states.size(), static_cast<std::size_t>(end - out));
        out = std::copy_n(left.states.begin(), size, out);
        left.drop(size);
        continue;
      }
      const State<P>*a = a_.states.data(), *b = b_.states.data();
      const State<P>*const a_end = a + a_.states.size(), *const b_end = b + b_.states.size();
      while (a != a_end && b != b_end && out != end) {
        const State<P> a_key = key_of(*a, marks_), b_key = key_of(*b, marks_);
        const bool takes_a = !is_less(b_key, a_key), takes_b = !is_less(a_key, b_key);
        *out = takes_a ? *a : *b;
        if (takes_a && takes_b) out->w[0] |= b->w[0];
        ++out;
        a += takes_a;
        b += takes_b;
      }
      a_.drop(static_cast<std::size_t>(a - a_.states.data()));
      b_.drop(static_cast<std::size_t>(b - b_.states.data()));
    }
    const auto size = static_cast<std::size_t>(out - out_.get());
    FEWEST_ASSERT(are_ascending(out_.get(), size, marks_), "a union is ascending, each entry once");
    return {out_.get(), size};
  }

 private:
  struct Side {
    std::unique_ptr<Stream<P>> stream;
    std::span<const State<P>> states;

    bool is_at_end() const { return states.empty(); }
    void refill() { states = stream->next(); }
    void drop(std::size_t count) {
      states = states.subspan(count);
      if (states.empty()) refill();
    }
  };

  Side a_, b_;
  Word marks_;
  std::unique_ptr<State<P>[]> out_;  // not initialised: unions can be short
};

// Merges one or more runs.
template <int P>
std::unique_ptr<Stream<P>> union_of(std::span<const SpooledRun<P>> runs, Word marks) {
  FEWEST_ASSERT(!runs.empty(), "a union has at least one run");
  if (runs.size() == 1) return std::make_unique<RunStream<P>>(runs[0]);
  const std::size_t half = runs.size() / 2;
  return std::make_unique<Union<P>>(union_of<P>(runs.first(half), marks), union_of<P>(runs.subspan(half), marks),
                                    marks);
}

}  // namespace fewest
