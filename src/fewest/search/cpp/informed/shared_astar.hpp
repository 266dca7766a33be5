// A* on several threads. The hash of a state determines its thread.
//
// Problem: A* removes states one by one from a single queue and looks up all states in a single table, so threads
// cannot easily share its work.
// Solution: hash distribution (Evett, Hendler, Mahanti and Nau, 1995) in rounds, which requires no locks and gives the
// same answer on every run. Each thread owns a part of the states (shared_part.hpp), with its own closed list and open
// list.
// - In the first half of a round, each thread expands states that have the least f across all parts, at most about a
//   thousand. The thread looks up each successor in the closed list of the successor's part. No thread writes to a
//   closed list during this half, except that it closes the states that it expands. If a successor is new or has become
//   cheaper, the thread computes the bound of the successor, and writes the successor into its buffer for that part.
// - In the second half, each thread reads the buffers that all threads have filled for its own part.
// As in A*, only states with the least f are expanded. So the first goal state that is removed from an open list is a
// cheapest one. Because states are reopened, this is true even for bounds that are not consistent. Compared with a
// search on one thread, there are only two kinds of additional expansions: the remaining expansions of the last round,
// and expansions of states with the final f, because these states are expanded in a different order. The pruning and
// the metrics are the same as in A*. States are saved between two rounds, because all buffers are then empty
// (shared_file.hpp).
#pragma once

#include <functional>

#include "informed/thread_team.hpp"
#include "informed/shared_file.hpp"

namespace fewest {

class SharedAStar final : public InformedSearch {
 public:
  // exchange(i, n) creates the exchange for part i of n, which may use 1/n of the memory. There are `options.threads`
  // parts, or fewer if the system provides fewer threads.
  using MakeExchange = std::function<std::unique_ptr<Exchange>(std::size_t number, std::size_t num_parts)>;
  SharedAStar(const SearchOptions& options, const MakeExchange& exchange)
      : team_(options.threads), file_(options.file, options.save_every), least_f_(options.at_least) {
    for (std::size_t i = 0; i < team_.size(); ++i) {
      parts_.push_back(std::make_unique<SharedPart>(exchange(i, team_.size()), i, team_.size()));
      exchanges_.push_back(&parts_.back()->exchange());
    }
  }

  // The first call restores the saved states, if there are any.
  Status advance(Control& control, const Quota& quota) override {
    if (is_decided()) return status();
    if (!is_begun_ && begin() && !restore()) enter_start();
    is_begun_ = true;
    while (!is_decided() && work() < quota.work && bytes() < quota.bytes) {
      if (file_.is_due() && !file_.save(parts_, finish_of(), least_f_))
        parts_[0]->stop(Status::disk);
      else
        round(control);
    }
    if (!file_.is_wanted() || !is_stopped() || !is_whole_) return status();
    if (status() == Status::memory)
      for (const auto& part : parts_) part->undo_round();
    // If memory is exhausted, a different search takes over, whether or not the file could be saved.
    if (!file_.save(parts_, finish_of(), least_f_) && status() != Status::memory)
      parts_[0]->stop_at_disk();
    return status();
  }
  std::uint64_t work() const override {
    return sum([](const Part& part) { return part.space().work(); });
  }
  std::size_t bytes() const override {
    return sum([](const Part& part) { return part.space().budget().used(); });
  }
  PackedCost bound() const override {
    const Part* finish = finish_of();
    if (finish == nullptr) return least_f_;
    return status() == Status::goal ? finish->finish_cost : std::min(least_f_, finish->finish_cost);
  }

 private:
  using Part = SharedPart;

  static constexpr std::uint64_t kLeastInRound = 256, kMostInRound = 1024;

  template <class Number>
  std::uint64_t sum(Number number) const {
    std::uint64_t sum = 0;
    for (const auto& part : parts_) sum += number(*part);
    return sum;
  }
  std::uint64_t num_states() const {
    return sum([](const Part& part) { return part.space().size(); });
  }
  std::uint64_t num_expanded() const {
    return sum([](const Part& part) { return part.space().num_expanded(); });
  }

  // Computes the bound of the start. Returns false if the start is recognised as dead, so that the answer is known.
  bool begin() {
    initial_bound_ = parts_[0]->space().bound_at_start();
    if (initial_bound_ == kInfiniteCost) {
      initial_bound_ = 0;
      parts_[0]->stop(Status::exhausted);
      return false;
    }
    least_f_ = std::max(initial_bound_, least_f_);
    return true;
  }

  void enter_start() {
    exchanges_[0]->lay_out_start(initial_bound_);
    team_.all([&](std::size_t i) { parts_[i]->take_in(exchanges_); });
    is_whole_ = !is_decided();
  }

  // Restores the saved states. Returns false if there is no file. If memory is exhausted, stops the search and returns
  // true; the file then remains as it is.
  bool restore() {
    if (!file_.is_wanted()) return false;
    const auto found = file_.restore(parts_);
    if (!found.is_there) return false;
    if (!found.is_whole) {
      parts_[0]->stop(Status::memory);
      is_whole_ = false;
      return true;
    }
    least_f_ = std::max(least_f_, found.least_f);
    num_resumed_ = found.num_states;
    team_.all([&](std::size_t i) { parts_[i]->open_again(); });
    return true;
  }

  bool is_decided() const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [](const auto& part) { return part->status() != Status::running; });
  }

  void round(Control& control) {
    Part& first = *parts_[0];
    const Part* least = nullptr;
    for (const auto& part : parts_)
      if (!part->open().empty() && (least == nullptr || part->open().least_f() < least->open().least_f()))
        least = part.get();
    const Part* finish = finish_of();
    if (least == nullptr) return first.stop(finish == nullptr ? Status::exhausted : Status::goal);
    const PackedCost f = least->open().least_f();
    least_f_ = std::max(least_f_, f);
    if (finish != nullptr && least_f_ >= finish->finish_cost) return first.stop(Status::goal);
    const std::uint64_t states = num_states();
    first.stop(control.check(bound(), states, num_expanded(), [&] { return bytes(); }));
    if (first.status() != Status::running) return;
    const std::uint64_t at_most = std::clamp(states / (16 * parts_.size()), kLeastInRound, kMostInRound);
    team_.all([&](std::size_t i) { parts_[i]->expand(exchanges_, f, at_most); });
    if (!is_decided()) team_.all([&](std::size_t i) { parts_[i]->take_in(exchanges_); });
  }

  // The part that contains the end of the cheapest plan so far, or null if no plan is known.
  const Part* finish_of() const {
    const Part* best = nullptr;
    for (const auto& part : parts_)
      if (part->finish != kNoState && (best == nullptr || part->finish_cost < best->finish_cost)) best = part.get();
    return best;
  }

  // If one part has found an optimal plan, this takes precedence over errors in other parts in the same round.
  Status status() const {
    Status status = Status::running;
    for (const auto& part : parts_)
      if (part->status() == Status::goal || status == Status::running) status = part->status();
    return status;
  }

  // Whether the search was interrupted, or stopped by a limit other than a full disk.
  bool is_stopped() const {
    return status() == Status::time || status() == Status::memory || status() == Status::interrupted;
  }

  InformedOutcome found() override {
    InformedOutcome result;
    parts_[0]->space().count(result);
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      InformedOutcome more;
      parts_[i]->space().count(more);
      result.num_expanded += more.num_expanded;
      result.num_generated += more.num_generated;
      result.num_dead += more.num_dead;
      result.num_corrals += more.num_corrals;
    }
    result.status = status();
    result.lower_bound = bound();
    if (is_stopped() && finish_of() == nullptr)
      for (const auto& part : parts_) part->look_for_goal();
    const Part* finish = finish_of();
    result.initial_bound = initial_bound_;
    result.num_states = num_states();
    result.num_goal_states = finish != nullptr;
    result.num_resumed = num_resumed_;
    result.bytes = sum([](const Part& part) { return part.space().budget().peak(); });
    result.algorithm = "a*";
    if (result.status != Status::goal && !(is_stopped() && finish != nullptr)) return result;
    result.cost = finish->finish_cost;
    result.plan = plan(finish->name_of(finish->finish));
    return result;
  }

  std::vector<OperatorId> plan(StateId finish) {
    const std::size_t n = parts_.size();
    std::vector<SearchSpace::Stop> stops;
    for (StateId name = finish; name != kNoState;) {
      const SearchSpace& space = parts_[name % n]->space();
      const auto node = static_cast<StateId>(name / n);
      stops.push_back({&space, node, space.costs().cost(node)});
      name = space.costs().parent(node);
    }
    std::reverse(stops.begin(), stops.end());
    return parts_[0]->space().plan(stops);
  }

  ThreadTeam team_;
  SharedFile file_;
  std::vector<std::unique_ptr<Part>> parts_;
  Exchange::Exchanges exchanges_;
  PackedCost least_f_, initial_bound_ = 0;
  std::uint64_t num_resumed_ = 0;
  bool is_begun_ = false;
  bool is_whole_ = true;  // whether the parts contain all states that a file must contain
};

}  // namespace fewest
