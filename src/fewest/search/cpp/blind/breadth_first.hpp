// Breadth-first search in layers, for any expander.
//
// A small table fits into the caches: its layers are expanded state by state, and the successors of a state are
// inserted after the next state has been expanded. A large table is divided into parts (layered_closed_list.hpp), and
// one or more threads (worker.hpp) expand its layers. A layer consists of one slice of each part. There are no parent
// pointers: the expander finds the plan backwards, by inverse operators that lead to a predecessor in the previous
// layer or, if the task has effects, by expanding the layers again. While the table is small, the search records which
// merged moves are redundant (redundant_runs.hpp) in the states of the current layer and of the next layer. The search
// can pause (TimeSlice in control.hpp): between two expansions if the table is small, and between two parts if it is
// divided. The complete layers of a search can be handed over to another search (LayerSink). If the search exhausts the
// space, its counts and its plan do not depend on the number of threads.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "state/compiler_attributes.hpp"
#include "state/threads.hpp"
#include "blind/stepped_search.hpp"
#include "blind/worker.hpp"

namespace fewest {

template <int P, class Extra>
class BreadthFirst final : public LayeredSearch, private ExpansionLimit {
 public:
  FEWEST_COLD BreadthFirst(std::unique_ptr<Expander<P, Extra>> expander, const State<P>& initial, const Options& options)
      : owned_(std::move(expander)),
        expander_(*owned_),
        initial_(initial),
        options_(options),
        control_(options),
        reached_(options.memory),
        blocks_budget_(options.memory / kBlocksShare) {}

  FEWEST_COLD ~BreadthFirst() override = default;

  Status advance(const TimeSlice& slice) override {
    if (ending_.status() == Status::paused) ending_.replace(Status::running);
    if (!ending_.is_running()) return ending_.status();
    control_.begin_slice(slice, num_expanded_);
    if (layer_states_.empty()) begin();
    first_thread_ = std::this_thread::get_id();
    try {
      const LimitedExpansions limited(expander_, *this);
      search();
    } catch (const ExpansionStopped&) {
      undo_expansion();
    }
    control_.end_slice();
    if (ending_.status() == Status::paused) return Status::paused;
    if (goal_ && !insert_waiting()) {
      goal_.reset();
      ending_.replace(Status::memory);
    }
    return ending_.status();
  }

  PackedCost bound() const override {
    if (goal_) return goal_layer_;
    // No reached state is a goal state, except the goal state that `release_slots` has dropped.
    return layer_states_.empty() ? 0 : std::min(dropped_goal_, layer_states_.size() - 1);
  }
  std::uint64_t num_expanded() const override { return num_expanded_; }
  std::size_t bytes() const override { return used(); }
  std::size_t num_layers() const override { return layer_states_.empty() ? 0 : layer_states_.size() - 1; }

  FEWEST_COLD std::size_t release_slots() override {
    if (goal_) dropped_goal_ = goal_layer_;  // without slots, no plan to the goal state can be found
    goal_.reset();
    workers_.clear();
    reached_.release_slots();
    if (ending_.is_running() || ending_.status() == Status::paused) ending_.replace(Status::memory);
    return options_.memory - std::min(options_.memory, used());
  }

  FEWEST_COLD void hand_over(LayerSink& sink) const override {
    std::vector<State<P>> states;
    std::uint64_t expanded = 0;
    const auto hand_over = [&] {
      sink.take(states.data()->w, states.size());
      expanded += states.size();
      states.clear();
    };
    for (std::size_t layer = 0; layer + 1 < layer_states_.size(); ++layer) {
      const std::uint64_t expanded_before = expanded;
      reached_.for_each_in_layer(layer, [&](const State<P>& s) {
        states.push_back(s);
        if (states.size() == kLargeBlock) hand_over();
      });
      hand_over();
      sink.end_layer(expanded_before, generated_before_[layer]);
    }
  }

 private:
  using OneWorker = Worker<P, Extra>;
  struct Generated {
    Successors<P, Extra> successors;
    std::vector<Word> hashes;
  };

  static constexpr std::uint64_t kExpansionsPerCheck = 1024;
  // Finding out whether there is only one plan may take as long as 32,768 expansions (about 4 ms), plus 1/32 of the
  // search.
  static constexpr std::uint64_t kStepsForOnlyPlan = 32768, kExpansionsPerStep = 32;
  // Only expanders for one-word states without extras can report redundant merged moves (runs.hpp).
  static constexpr bool kMayCover = P == 1 && std::is_same_v<Extra, NoExtra>;
  // If the whole table takes 256 MB to 4 GB, a part takes 1 to 16 MB. A block has room for 1/32 of the states of its
  // part, within the limits below. So a part needs few TLB entries, and several look-ups of a block fall into the same
  // page.
  static constexpr std::size_t kParts = 256, kSmallBlock = 64, kLargeBlock = 16384;
  static constexpr std::size_t kStatesPerPlace = 32;  // the number of states in a part for each entry of a block
  static constexpr std::size_t kBlocksShare = 32;     // 1/32 of the memory is reserved for blocks

  FEWEST_COLD void begin() {
    if (!reached_[0].table.reserve(1)) return ending_.stop(Status::memory);
    Extra extra{};
    const State<P> start = expander_.start(initial_, extra);
    reached_[0].table.insert(start, hash(start));
    layer_states_ = {0};
    count_state(start, extra);
    collect(std::exchange(tally_, {}));
  }

  void search() {
    while (ending_.is_running()) {
      if (progress_ == LayerProgress::whole) {
        width_ = reached_.begin_layer();
        if (width_ == 0) return ending_.stop(Status::exhausted);
        num_entries_ += width_;
        generated_before_.push_back(num_generated_);
        layer_states_.push_back(0);
        progress_ = LayerProgress::begun;
        const std::size_t entries = control_.slice().entries;
        if (num_entries_ >= entries && width_ >= entries / 64) return ending_.stop(Status::paused);
      }
      if (progress_ == LayerProgress::begun) {
        fit_to_size(width_);
        next_state_ = reached_[0].begin;
        next_part_ = 0;
        is_sparing_ = kMayCover && expander_.covers() && num_entries_ < options_.split_from;
        if (is_sparing_) {
          spared_.swap(sparing_);
          spared_.resize(reached_[0].end - reached_[0].begin + 1);
          sparing_.clear();
        }
        progress_ = LayerProgress::expanding;
      }
      if (workers_.empty()) {
        expand_whole();
        collect(std::exchange(tally_, {}));
      } else {
        expand_in_parts();
        for (auto& worker : workers_) collect(worker->take_counts());
      }
      if (ending_.is_running()) progress_ = LayerProgress::whole;
    }
  }

  FEWEST_COLD void check() {
    std::uint64_t states = num_states_ + tally_.states, expanded = num_expanded_ + tally_.expanded;
    for (const auto& worker : workers_) {
      states += worker->seen_states();
      expanded += worker->seen_expanded();
    }
    const std::size_t layer = layer_states_.size() - 2;
    const Status status = control_.check(layer, states, expanded, [this] { return used(); });
    if (status == Status::paused && !workers_.empty()) return ending_.pause();  // the workers first finish their parts
    ending_.stop(status);
  }

  // Called during long expansions. The search cannot pause there, and only its first thread calls the host.
  FEWEST_COLD bool may_continue(std::size_t bytes) override {
    if (std::this_thread::get_id() != first_thread_) return ending_.is_running();
    if (bytes > options_.memory - std::min(options_.memory, used())) ending_.stop(Status::memory);
    const std::size_t layer = layer_states_.size() - 2;
    ending_.stop(control_.check_limits(layer, num_states_ + tally_.states, num_expanded_ + tally_.expanded,
                                       [&] { return used() + bytes; }));
    return ending_.is_running();
  }

  // After `ExpansionStopped` in an undivided table, the state `next_state_` is still to be expanded.
  FEWEST_COLD void undo_expansion() {
    generated_[next_state_ % 2].successors.cleared();
    --tally_.expanded;
    collect(std::exchange(tally_, {}));
  }

  void expand_whole() {
    if constexpr (kMayCover)
      if (is_sparing_) return expand_sparingly();
    if constexpr (P == 1)
      expand_whole_in_one_piece();
    else
      expand_each<false>();
  }
  FEWEST_FLATTEN void expand_whole_in_one_piece() { expand_each<false>(); }
  FEWEST_FLATTEN void expand_sparingly() { expand_each<true>(); }

  // For each remaining state of the layer, expands the state, prefetches the slots of its successors, and then inserts
  // the successors of the previous state; their slots are in the cache by now.
  template <bool is_sparing>
  void expand_each() {
    const auto& part = reached_[0];
    for (std::size_t i = next_state_; i < part.end; ++i) {
      if (until_check_-- == 0) {
        until_check_ = kExpansionsPerCheck - 1;
        check();
      }
      if (!ending_.is_running()) {
        next_state_ = i;
        return;
      }
      ++tally_.expanded;
      next_state_ = i;  // for `undo_expansion`
      Generated& next = generated_[i % 2];
      expander_.expand(State<P>(part.table[i]), next.successors.cleared(is_sparing ? spared_[i + 1 - part.begin] : 0));
      fetch(next);
      insert<is_sparing>(generated_[1 - i % 2]);
    }
    if (ending_.is_running()) insert<is_sparing>(generated_[1 - part.end % 2]);
  }

  void fetch(Generated& generated) {
    FEWEST_ASSERT(reached_.num_parts() == 1, "a table in parts is filled by workers");
    if (generated.hashes.size() < generated.successors.size())
      generated.hashes.resize(2 * generated.successors.size());
    const auto slots = reached_[0].table.prefetcher();
    Word* h = generated.hashes.data();
    for (const auto& next : generated.successors) {
      *h = hash(next.state);
      slots.prefetch(*h++);
    }
  }

  // Inserts the successors of one state. If `is_sparing`, also records their redundant merged moves.
  template <bool is_sparing>
  void insert(Generated& generated) {
    auto& successors = generated.successors;
    const std::size_t size = successors.size();
    StateTable<P>& table = reached_[0].table;
    if (!table.reserve(size)) return ending_.stop(Status::memory);
    const std::size_t end = reached_[0].end;
    FEWEST_ASSERT(generated.hashes.size() >= size, "each successor has its hash");
    if (is_sparing && sparing_.size() <= table.size() + size - end)
      sparing_.resize(2 * (table.size() + size - end) + 64);
    const Word* h = generated.hashes.data();
    const auto* next = successors.begin();
    for (std::size_t i = 0; i < size; ++i, ++next, ++h) {
      const auto [index, is_new] = table.insert(next->state, *h);
      FEWEST_ASSERT(!is_new || index >= end, "a new state belongs to the layer that is being found");
      if constexpr (is_sparing) sparing_[std::max<std::size_t>(index + 1, end) - end] |= successors.cover(i);
      if (!is_new) continue;
      if (count_state(next->state, next->extra)) continue;
      tally_.generated += i + 1;
      return;
    }
    tally_.generated += size;
    successors.cleared();
  }

  // Counts a new state. Returns false if this state ends the search.
  bool count_state(const State<P>& s, const Extra& extra) {
    if (expander_.is_one_state() && !expander_.is_goal(s)) [[likely]] {
      ++tally_.states;
      return true;
    }
    if (tally_.add(s, expander_.count(s, extra)) || options_.exhaust) return true;
    ending_.stop(Status::goal);
    return false;
  }

  // The calling thread is the first worker. Only the first worker checks the clock and calls the host. It continues to
  // do so until all workers have finished.
  FEWEST_COLD void expand_in_parts() {
    const std::size_t wanted = std::max<std::size_t>(1, width_ / options_.states_per_thread);
    const std::size_t count = std::min(workers_.size(), wanted);
    std::vector<std::exception_ptr> errors(count);
    std::mutex mutex;
    std::condition_variable has_finished;
    std::size_t num_working = 0;
    {
      Threads threads;
      for (std::size_t i = 1; i < count; ++i) {
        const auto work = [&, i] {
          try {
            workers_[i]->work(next_part_, i * kParts / count, [] {});
          } catch (...) {
            errors[i] = std::current_exception();
            ending_.stop(Status::interrupted);
          }
          const std::scoped_lock lock(mutex);
          --num_working;
          has_finished.notify_one();
        };
        {
          const std::scoped_lock lock(mutex);
          ++num_working;
        }
        if (threads.start(work)) continue;
        const std::scoped_lock lock(mutex);
        --num_working;
        break;
      }
      try {
        workers_[0]->work(next_part_, 0, [this] { check(); });
        std::unique_lock lock(mutex);
        while (!has_finished.wait_for(lock, std::chrono::milliseconds(20), [&] { return num_working == 0; })) check();
      } catch (...) {
        ending_.stop(Status::interrupted);
        throw;
      }
    }
    for (const std::exception_ptr& error : errors)
      if (error) std::rethrow_exception(error);
    if (ending_.was_to_pause()) ending_.stop(Status::paused);  // the search pauses even if no parts are left
  }

  // Divides a table that has grown large, or enlarges the blocks of a divided table. The function must be called
  // between two layers. It does not divide the table before a narrow layer, because such a layer would not fill the
  // blocks. If there is not enough memory for the blocks of all threads, the search uses fewer threads. If there is not
  // enough memory to divide the table, nothing changes.
  FEWEST_COLD void fit_to_size(std::size_t width) {
    const bool is_whole = reached_.num_parts() == 1;
    if (is_whole && (num_entries_ < options_.split_from || width < options_.split_from / 1024 ||
                     reached_.used() > options_.memory / 4))
      return;
    const std::size_t fair = options_.memory / kBlocksShare / options_.threads / kParts /
                             sizeof(typename OneWorker::Entry);
    const std::size_t wanted = std::min(num_entries_ / kParts / kStatesPerPlace, fair);
    const std::size_t size = std::clamp(wanted, kSmallBlock, kLargeBlock);
    if (is_whole) {
      for (std::size_t i = 0; i < options_.threads; ++i) {
        auto worker = std::make_unique<OneWorker>(expander_, reached_, ending_, blocks_budget_,
                                                  options_.exhaust);
        if (!worker->widen(size, kParts)) break;
        workers_.push_back(std::move(worker));
      }
      if (workers_.empty()) return;
      if (!reached_.split(kParts, options_.memory - options_.memory / kBlocksShare))
        workers_.clear();
    }
    for (auto& worker : workers_) worker->widen(size, kParts);
  }

  // Inserts, without counting them, the states that are still in blocks, because a plan may contain them. Returns false
  // if there is not enough memory.
  bool insert_waiting() {
    for (auto& worker : workers_)
      if (!worker->insert_waiting()) return false;
    return true;
  }

  void collect(const WorkCounts<P>& tally) {
    num_states_ += tally.states;
    num_goals_ += tally.goals;
    FEWEST_ASSERT(tally.goals <= tally.states, "there are no more goal states than states");
    canonical_states_ += tally.canonical;
    orbit_states_ += tally.in_orbits;
    num_expanded_ += tally.expanded;
    num_generated_ += tally.generated;
    layer_states_.back() += tally.states;
    const std::size_t layer = layer_states_.size() - 1;
    if (!tally.goal || (goal_ && (goal_layer_ != layer || *goal_ < *tally.goal))) return;
    goal_ = tally.goal;
    goal_layer_ = layer;
  }

  FEWEST_COLD Outcome outcome() override {
    Outcome result;
    result.status = ending_.status();
    for (std::size_t d = 0; d < layer_states_.size(); ++d)
      if (layer_states_[d] != 0) result.layers.emplace_back(d, layer_states_[d]);
    FEWEST_ASSERT(sum_of(result.layers) == num_states_,
                  "the numbers of states in the layers add up to the number of all states");
    FEWEST_ASSERT(!goal_ || num_goals_ > 0, "a goal state that was found was counted");
    if (goal_) {
      FEWEST_ASSERT(reached_.layer_of(*goal_) == goal_layer_, "the goal is in the layer in which it was found");
      result.cost = result.lower_bound = goal_layer_;
      const Layers<P> layers{
          [this](const State<P>& s, std::size_t) { return reached_.layer_of(s); },
          [this](std::size_t layer, const std::function<void(const State<P>&)>& visit) {
            reached_.for_each_in_layer(layer, visit);
          }};
      result.plan = expander_.plan(layers, *goal_, goal_layer_);
      const std::uint64_t most_steps = kStepsForOnlyPlan + num_expanded_ / kExpansionsPerStep;
      result.is_only_plan = goal_layer_ == 0 ? true : expander_.is_only_plan(layers, goal_layer_, most_steps);
      if (!options_.exhaust) result.status = Status::goal;  // the status is "goal" even if a limit ended the search
    } else if (result.status == Status::exhausted) {
      result.lower_bound = result.layers.back().first;
    } else {
      result.lower_bound = bound();
    }
    result.num_states = num_states_;
    result.num_goal_states = num_goals_;
    result.canonical_states = canonical_states_;
    result.orbit_states = orbit_states_;
    result.num_expanded = num_expanded_;
    result.num_generated = num_generated_;
    result.seconds = control_.seconds();
    result.bytes = reached_.peak() + blocks_budget_.peak();
    result.algorithm = expander_.algorithm();
    result.endless = expander_.endless();
    return result;
  }

  static std::uint64_t sum_of(const std::vector<std::pair<PackedCost, std::uint64_t>>& layers) {
    std::uint64_t sum = 0;
    for (const auto& [cost, states] : layers) sum += states;
    return sum;
  }

  std::size_t used() const { return reached_.used() + blocks_budget_.used(); }

  // The progress of the current layer: all of its states have been expanded (`whole`), none of them (`begun`), or some
  // of them (`expanding`).
  enum class LayerProgress { whole, begun, expanding };

  std::unique_ptr<Expander<P, Extra>> owned_;
  Expander<P, Extra>& expander_;
  State<P> initial_;
  Generated generated_[2];  // the successors of the current state and of the previous one
  Options options_;
  Control control_;
  LayeredClosedList<P> reached_;
  StopFlag ending_;
  std::vector<std::uint64_t> layer_states_;
  std::optional<State<P>> goal_;
  std::size_t goal_layer_ = 0;
  std::size_t dropped_goal_ = kNoLayer;  // the layer of the goal state that `release_slots` has dropped
  LayerProgress progress_ = LayerProgress::whole;
  std::size_t width_ = 0;                   // the number of entries in the current layer
  std::size_t next_state_ = 0;              // the next state to expand in an undivided table
  std::atomic<std::size_t> next_part_ = 0;  // the next part to expand in a divided table
  bool is_sparing_ = false;                 // whether redundant moves are skipped in this layer
  std::uint64_t num_states_ = 0, num_goals_ = 0, num_expanded_ = 0, num_generated_ = 0;
  std::uint64_t canonical_states_ = 0, orbit_states_ = 0;  // statistics (symmetric.hpp)
  std::thread::id first_thread_;
  // For each layer: the number of states that had been generated before the layer was expanded.
  std::vector<std::uint64_t> generated_before_;
  std::uint64_t num_entries_ = 0;                          // the number of entries in all layers so far
  std::uint64_t until_check_ = 0;                          // The number of expansions before the next check.
  // For each state of the current layer (`spared_`) and of the next layer (`sparing_`): the bits of the facts at which
  // no merged move needs to begin. The first element of each array belongs to no state.
  std::vector<Word> spared_, sparing_;
  WorkCounts<P> tally_;                                         // the counts of this layer if there are no workers
  Budget blocks_budget_;
  std::vector<std::unique_ptr<OneWorker>> workers_;
};

}  // namespace fewest
