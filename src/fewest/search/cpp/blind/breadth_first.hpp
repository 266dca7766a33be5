// Breadth-first search in layers, for any expander.
//
// A small table is in the caches: its layers are expanded state by state, and successors are inserted
// as they come. A large one is cut into parts (reached.hpp), and its layers are expanded by one worker
// or several (worker.hpp), each a thread. Layers are slices of the parts. There are no parent
// pointers: the plan is found backwards by inverse operators, looking for predecessors in the layer
// before.
// While it is small, what a run spares the states that it led to (covered_runs.hpp) is kept for two layers.
// The counts of a search that exhausts, and its plan, are the same for any number of threads.
#pragma once

#include <exception>
#include <memory>

#include "state/attributes.hpp"
#include "state/threads.hpp"
#include "blind/worker.hpp"

namespace fewest {

template <int P, class Extra>
class BreadthFirst {
 public:
  BreadthFirst(Expander<P, Extra>& expander, const Options& options)
      : expander_(expander),
        options_(options),
        control_(options),
        reached_(options.memory),
        blocks_budget_(options.memory / kBlocksShare) {}

  Outcome run(const State<P>& initial) {
    search(initial);
    if (ending_.status() == Status::memory && options_.heir != nullptr && layer_states_.size() > 1) bequeath_or_not();
    if (goal_ && !insert_waiting()) {
      goal_.reset();
      ending_.replace(Status::memory);
    }
    return outcome();
  }

 private:
  using OneWorker = Worker<P, Extra>;
  struct Generated {
    Successors<P, Extra> successors;
    std::vector<Word> hashes;
  };

  static constexpr std::uint64_t kExpansionsPerCheck = 1024;
  // Parts of 1 MB to some 16 MB, and blocks of 1/32 of that: they stay small for the processor's
  // table of pages, and the look-ups of a block come several to a page.
  static constexpr std::size_t kParts = 256, kSmallBlock = 64, kLargeBlock = 16384;
  static constexpr std::size_t kStatesPerPlace = 32;  // of a block
  static constexpr std::size_t kBlocksShare = 32;     // of the memory

  void search(const State<P>& initial) {
    if (!reached_[0].table.reserve(1)) return ending_.stop(Status::memory);
    Extra extra{};
    const State<P> start = expander_.start(initial, extra);
    reached_[0].table.insert(start, hash(start));
    layer_states_ = {0};
    settle(start, extra);
    collect(std::exchange(tally_, {}));
    while (ending_.is_running()) {
      const std::size_t width = reached_.begin_layer();
      if (width == 0) return ending_.stop(Status::exhausted);
      num_entries_ += width;
      generated_before_.push_back(num_generated_);
      layer_states_.push_back(0);
      if (is_for_heir(width)) return ending_.stop(Status::memory);
      fit_to_size(width);
      if (workers_.empty()) {
        expand_whole();
        collect(std::exchange(tally_, {}));
      } else {
        expand_in_parts(width);
        for (auto& worker : workers_) collect(worker->take_tally());
      }
    }
  }

  void check() {
    std::uint64_t states = num_states_ + tally_.states, expanded = num_expanded_ + tally_.expanded;
    for (const auto& worker : workers_) {
      states += worker->seen_states();
      expanded += worker->seen_expanded();
    }
    const std::size_t layer = layer_states_.size() - 2;
    ending_.stop(control_.check(layer, states, expanded, [this] { return used(); }));
  }

  void expand_whole() {
    if constexpr (P == 1) {
      if (expander_.covers() && num_entries_ < options_.split_from) return expand_sparingly();
      expand_whole_in_one_piece();
    } else {
      expand_each<false>();
    }
  }
  FEWEST_FLATTEN void expand_whole_in_one_piece() { expand_each<false>(); }
  FEWEST_FLATTEN void expand_sparingly() { expand_each<true>(); }

  // A state is expanded, and the slots of its successors fetched, before those of the state before it are
  // inserted: by then their slots have come.
  template <bool is_sparing>
  void expand_each() {
    const auto& part = reached_[0];
    if constexpr (is_sparing) {
      spared_.swap(sparing_);
      spared_.resize(part.end - part.begin + 1);
      sparing_.clear();
    }
    for (std::size_t i = part.begin; i < part.end; ++i) {
      if (until_check_-- == 0) {
        until_check_ = kExpansionsPerCheck - 1;
        check();
      }
      if (!ending_.is_running()) return;
      ++tally_.expanded;
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

  // And leaves none.
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
      if (settle(next->state, next->extra)) continue;
      tally_.generated += i + 1;
      return;
    }
    tally_.generated += size;
    successors.cleared();
  }

  // Counts a new state. False: the search ends here.
  bool settle(const State<P>& s, const Extra& extra) {
    if (expander_.is_one_state() && !expander_.is_goal(s)) [[likely]] {
      ++tally_.states;
      return true;
    }
    if (tally_.add(s, expander_.count(s, extra)) || options_.exhaust) return true;
    ending_.stop(Status::goal);
    return false;
  }

  // The first worker is this thread, and the only one that asks the clock and the host.
  FEWEST_COLD void expand_in_parts(std::size_t width) {
    const std::size_t wanted = std::max<std::size_t>(1, width / options_.states_per_thread);
    const std::size_t count = std::min(workers_.size(), wanted);
    std::atomic<std::size_t> next_part = 0;
    std::vector<std::exception_ptr> errors(count);
    {
      Threads threads;
      for (std::size_t i = 1; i < count; ++i) {
        const auto work = [&, i] {
          try {
            workers_[i]->work(next_part, i * kParts / count, [] {});
          } catch (...) {
            errors[i] = std::current_exception();
            ending_.stop(Status::interrupted);
          }
        };
        if (!threads.start(work)) break;
      }
      try {
        workers_[0]->work(next_part, 0, [this] { check(); });
      } catch (...) {
        ending_.stop(Status::interrupted);
        throw;
      }
    }
    for (const std::exception_ptr& error : errors)
      if (error) std::rethrow_exception(error);
  }

  // Between two layers: cuts a table that has become large, widens the blocks. Narrow layers would
  // fill no blocks; where the memory does not suffice, all stays as it is.
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

  // A plan may pass through states of the last layer that still wait in blocks. They are not counted.
  // False: the memory does not suffice.
  bool insert_waiting() {
    for (auto& worker : workers_)
      if (!worker->insert_waiting()) return false;
    return true;
  }

  // Between two layers: whether the search is long, and somebody goes on with it faster. That is asked once.
  FEWEST_COLD bool is_for_heir(std::size_t width) {
    if (options_.heir == nullptr || was_offered_ || num_entries_ < options_.long_from || width < options_.long_from / 64)
      return false;
    was_offered_ = true;
    return options_.heir->is_willing();
  }

  // Where there is no memory left to hand over in, the search ends as it does without an heir.
  FEWEST_COLD void bequeath_or_not() {
    const bool has_goal = goal_.has_value();
    goal_.reset();
    try {
      bequeath();
    } catch (const std::bad_alloc&) {
      if (has_goal) lost_goal_ = goal_layer_;
      options_.heir->decline();
    }
  }

  // The layers that are whole go to the heir, who finds what they lead to. Goal states are its matter, too.
  void bequeath() {
    workers_.clear();
    reached_.release_slots();
    Heir& heir = *options_.heir;
    heir.begin(options_.memory - std::min(options_.memory, used()));
    std::vector<State<P>> states;
    std::uint64_t expanded = 0;
    const auto hand_over = [&] {
      heir.take(states.data()->w, states.size());
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
      heir.end_layer(expanded_before, generated_before_[layer]);
    }
  }

  void collect(const Tally<P>& tally) {
    num_states_ += tally.states;
    num_goals_ += tally.goals;
    FEWEST_ASSERT(tally.goals <= tally.states, "goal states are states");
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

  FEWEST_COLD Outcome outcome() {
    Outcome result;
    result.status = ending_.status();
    for (std::size_t d = 0; d < layer_states_.size(); ++d)
      if (layer_states_[d] != 0) result.layers.emplace_back(d, layer_states_[d]);
    FEWEST_ASSERT(sum_of(result.layers) == num_states_, "the layers have all states that were counted");
    FEWEST_ASSERT(!goal_ || num_goals_ > 0, "a goal that was found was counted");
    if (goal_) {
      FEWEST_ASSERT(reached_.layer_of(*goal_) == goal_layer_, "the goal is in the layer in which it was found");
      result.cost = result.lower_bound = goal_layer_;
      const Layers<P> layers{
          [this](const State<P>& s, std::size_t) { return reached_.layer_of(s); },
          [this](std::size_t layer, const std::function<void(const State<P>&)>& visit) {
            reached_.for_each_in_layer(layer, visit);
          }};
      result.plan = expander_.plan(layers, *goal_, goal_layer_);
      if (!options_.exhaust) result.status = Status::goal;  // however it ended
    } else if (result.status == Status::exhausted) {
      result.lower_bound = result.layers.back().first;
    } else {
      // Every state of the layer that was being expanded has been tested.
      result.lower_bound = layer_states_.empty() ? 0 : std::min(lost_goal_, layer_states_.size() - 1);
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

  Expander<P, Extra>& expander_;
  Generated generated_[2];  // by the state being expanded and the one before
  Options options_;
  Control control_;
  Reached<P> reached_;
  Ending ending_;
  std::vector<std::uint64_t> layer_states_;
  std::optional<State<P>> goal_;
  std::size_t goal_layer_ = 0;
  std::size_t lost_goal_ = kNoLayer;  // the layer of a goal that is not known any more
  bool was_offered_ = false;          // to the heir
  std::uint64_t num_states_ = 0, num_goals_ = 0, num_expanded_ = 0, num_generated_ = 0;
  std::uint64_t canonical_states_ = 0, orbit_states_ = 0;  // of symmetric.hpp
  std::vector<std::uint64_t> generated_before_;            // each layer was expanded
  std::uint64_t num_entries_ = 0;                          // of the layers begun
  std::uint64_t until_check_ = 0;                          // expansions
  // By state of the layer that is expanded, and of the one being found; the first is of no state.
  std::vector<Word> spared_, sparing_;
  Tally<P> tally_;                                         // of this layer, while there are no workers
  Budget blocks_budget_;
  std::vector<std::unique_ptr<OneWorker>> workers_;
};

}  // namespace fewest
