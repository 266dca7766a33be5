// A* on several threads, each with the states that its part of the hashes has.
//
// Problem: A* takes out one state after the other, and one table and one queue are what all of it goes through.
// Solution: hash distribution (Evett, Hendler, Mahanti and Nau, 1995) in rounds, so that it needs no lock and
// answers the same each time. Each thread has a part of the states: their table, their costs, their queue.
// - In the first half of a round each expands states of the least f of all, some hundred at most, and looks up
//   each successor in the table of the part that it belongs to, where nobody writes meanwhile. What is new or
//   has become cheaper is bounded and laid out for that part.
// - In the second half each takes in what is laid out for it.
// Only states of the least f are expanded, as by A*: a goal state that is taken out is a cheapest one, and
// reopening keeps it right for bounds that are not consistent. Beyond what one thread expands come at most the
// rest of one round, and the last f in another order. Reductions and metrics are those of A*.
// Between two rounds nothing is on its way: that is when states are kept (kept_states.hpp).
#pragma once

#include "informed/astar_search.hpp"
#include "informed/gang.hpp"
#include "informed/kept_states.hpp"

namespace fewest {

template <int P, int Q>
class SharedAStar final : public InformedSearch {
 public:
  // Of `options.threads`; if the system gives fewer, of those.
  SharedAStar(const PieceProblem& prepared, const Hints& hints, const SearchOptions& options)
      : gang_(options.threads), kept_(options.file, options.keep_every) {
    SearchOptions share = options;
    share.memory /= gang_.size();
    for (std::size_t i = 0; i < gang_.size(); ++i)
      parts_.push_back(std::make_unique<Part>(prepared, hints, share, *this, i));
  }

  // From the states that are kept, if there are any.
  Status advance(Control& control, const Quota& quota) override {
    if (is_decided()) return status();
    if (!is_begun_ && begin() && !(kept_.is_wanted() && restore(kept_))) enter_start();
    is_begun_ = true;
    while (!is_decided() && work() < quota.work && bytes() < quota.bytes) {
      if (kept_.is_due() && !save(kept_))
        parts_[0]->stop(Status::disk);
      else
        round(control);
    }
    // Where the memory ends another search goes on, kept or not.
    if (kept_.is_wanted() && is_stopped() && !save(kept_) && status() != Status::memory)
      parts_[0]->status_ = Status::disk;
    return status();
  }
  std::uint64_t work() const override {
    std::uint64_t work = 0;
    for (const auto& part : parts_) work += part->work();
    return work;
  }
  PackedCost bound() const override {
    const Part* finish = finish_of();
    if (finish == nullptr) return least_f_;
    return status() == Status::goal ? finish->finish_cost_ : std::min(least_f_, finish->finish_cost_);
  }
  std::size_t bytes() const override {
    std::size_t bytes = 0;
    for (const auto& part : parts_) bytes += part->bytes();
    return bytes;
  }

 private:
  InformedOutcome found() override {
    InformedOutcome result = counts();
    if (result.status == Status::goal) {
      const Part& finish = *finish_of();
      result.cost = result.lower_bound = finish.finish_cost_;
      result.plan = plan(name_of(finish.number_, finish.finish_));
    }
    return result;
  }

  static constexpr std::uint64_t kLeastInRound = 256, kMostInRound = 1024;

  struct Message {
    State<P> stored;
    Word hash;
    PackedCost cost, bound;  // kInfiniteCost: no goal is reached
    StateId parent;
  };

  class Part : public AStar<P, Q> {
    using Base = AStar<P, Q>;
    friend class SharedAStar;

   public:
    Part(const PieceProblem& prepared, const Hints& hints, const SearchOptions& options, SharedAStar& all,
         std::size_t number)
        : Base(prepared, hints, options), all_(all), number_(number), outbox_(all.gang_.size()) {}

   private:
    using Base::budget_, Base::cost_, Base::num_dead_, Base::num_expanded_, Base::open_, Base::parent_,
        Base::pending_, Base::status_, Base::table_;
    using typename Base::Pending;

    // The first half of a round.
    void expand(PackedCost f, std::uint64_t at_most) {
      for (auto& messages : outbox_) messages.clear();
      this->lost_.forget_news();
      for (std::uint64_t i = 0; i < at_most && status_ == Status::running; ++i) {
        FEWEST_ASSERT(open_.empty() || open_.least_f() >= f, "the least f of all is no higher than that of a part");
        if (open_.empty() || open_.least_f() != f) return;
        const StateId node = open_.pop_varied();
        if (const StateId next = open_.peek(); next != kNoState) {
          table_.prefetch_state(next);
          __builtin_prefetch(&cost_[next]);
        }
        if (!(cost_[node] & Base::kClosed)) expand(node);
      }
    }

    void expand(StateId node) {
      const State<P> s = table_[node];
      const PackedCost g = this->large(cost_[node]);
      __atomic_fetch_or(&cost_[node], Base::kClosed, __ATOMIC_RELAXED);  // others look at it
      if (!this->find_successors(node, s, g)) return;
      for (const Pending& next : pending_)
        if (const Part& owner = all_.owner_of(next.hash); owner.table_.size() > 0)
          owner.table_.prefetch(next.hash);
      for (Pending& next : pending_) {
        const Part& owner = all_.owner_of(next.hash);
        if (owner.table_.size() == 0) continue;
        next.at = owner.table_.approach(next.hash);
        if (const StateId there = owner.table_.at(next.at); there != kNoState)
          __builtin_prefetch(&owner.cost_[there]);
      }
      for (const Pending& next : pending_) {
        const Part& owner = all_.owner_of(next.hash);
        if (owner.knows(next, this->small(next.cost))) continue;
        outbox_[owner.number_].push_back({next.stored, next.hash, next.cost, this->bound_of(s, next.row),
                                          all_.name_of(number_, node)});
      }
    }

    // Whether it has been reached at no higher a cost. Any thread may ask in the first half.
    bool knows(const Pending& state, std::uint32_t cost) const {
      const StateId node = table_.size() == 0 ? kNoState : table_.find(state.stored, state.hash, state.at);
      if (node == kNoState) return false;
      const std::uint32_t known = __atomic_load_n(&cost_[node], __ATOMIC_RELAXED);
      return (known & ~Base::kClosed) <= cost;
    }

    // The second half.
    void take_in() {
      std::size_t count = 0;
      for (const auto& part : all_.parts_) count += part->outbox_[number_].size();
      const std::size_t rows = table_.size() + count;
      if (rows >= kNoState / all_.parts_.size()) return this->stop(Status::memory);  // names end
      if (count > 0 && (!table_.reserve(count) || !cost_.reserve(rows) || !parent_.reserve(rows)))
        return this->stop(Status::memory);
      for (const auto& part : all_.parts_) take_in(part->outbox_[number_]);
      for (const auto& part : all_.parts_)
        if (part.get() != this)
          for (const auto& lost : part->lost_.news()) this->lost_.learn(lost);
    }

    void take_in(const std::vector<Message>& messages) {
      constexpr std::size_t kAhead = 16;
      for (std::size_t i = 0; i < std::min(kAhead, messages.size()); ++i) table_.prefetch(messages[i].hash);
      for (std::size_t i = 0; i < messages.size() && status_ == Status::running; ++i) {
        if (i + kAhead < messages.size()) table_.prefetch(messages[i + kAhead].hash);
        const Message& next = messages[i];
        FEWEST_ASSERT(all_.number_of(next.hash) == number_ && next.hash == hash(next.stored),
                      "a state goes to the part that has its hash");
        const auto [node, is_new] = table_.insert(next.stored, next.hash);
        const std::uint32_t packed = this->small(next.cost);
        if (is_new || packed < (cost_[node] & ~Base::kClosed))
          this->enter(node, next.parent, packed, next.cost, next.bound);
      }
    }

    // What follows from the states that were taken back.
    void open_again() {
      for (StateId node = 0; node < table_.size() && status_ == Status::running; ++node) {
        if (cost_[node] & Base::kClosed) continue;
        const State<P> s = table_[node];
        const PackedCost h = this->bound_at({this->rest_of(s), this->place_of(s)});
        this->enter(node, parent_[node], cost_[node], this->large(cost_[node]), h);
      }
    }

    SharedAStar& all_;
    std::size_t number_;
    std::vector<std::vector<Message>> outbox_;  // per part
  };

  // Other bits of the hash than those that choose the slot, or a part would use a part of its slots.
  std::size_t number_of(Word hash) const {
    return scale_to(fold_multiply(hash, 0x9e3779b97f4a7c15u), parts_.size());
  }
  const Part& owner_of(Word hash) const { return *parts_[number_of(hash)]; }

  // Of a state among those of all parts.
  StateId name_of(std::size_t part, StateId node) const {
    FEWEST_ASSERT(part < parts_.size() && node < kNoState / parts_.size(),
                  "a name is below the number that stands for none");
    return static_cast<StateId>(node * parts_.size() + part);
  }

  // False: it is decided at once.
  bool begin() {
    Part& any = *parts_[0];
    const PackedCost h = any.bound_at_start();
    if (h == kInfiniteCost) {
      any.stop(Status::exhausted);
      return false;
    }
    any.initial_bound_ = h;
    least_f_ = std::max(h, any.options_.at_least);
    return true;
  }

  void enter_start() {
    Part& any = *parts_[0];
    const State<P> stored = any.canonical_of(any.initial());
    any.outbox_[number_of(hash(stored))].push_back({stored, hash(stored), 0, any.initial_bound_, kNoState});
    gang_.all([&](std::size_t i) { parts_[i]->take_in(); });
  }

  bool is_decided() const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [](const auto& part) { return part->status_ != Status::running; });
  }

  void round(Control& control) {
    Part& first = *parts_[0];
    const Part* least = nullptr;
    for (const auto& part : parts_)
      if (!part->open_.empty() && (least == nullptr || part->open_.least_f() < least->open_.least_f()))
        least = part.get();
    const Part* finish = finish_of();
    if (least == nullptr) return first.stop(finish == nullptr ? Status::exhausted : Status::goal);
    least_f_ = std::max(least_f_, least->open_.least_f());
    if (finish != nullptr && least_f_ >= finish->finish_cost_) return first.stop(Status::goal);
    const InformedOutcome done = counts();
    first.stop(control.check(least_f_, done.num_states, done.num_expanded, [&] { return bytes(); }));
    if (first.status_ != Status::running) return;
    const std::uint64_t at_most =
        std::clamp(done.num_states / (16 * parts_.size()), kLeastInRound, kMostInRound);
    const PackedCost f = least->open_.least_f();
    gang_.all([&](std::size_t i) { parts_[i]->expand(f, at_most); });
    if (!is_decided()) gang_.all([&](std::size_t i) { parts_[i]->take_in(); });
  }

  // The part with the cheapest end that was found.
  const Part* finish_of() const {
    const Part* best = nullptr;
    for (const auto& part : parts_)
      if (part->finish_ != kNoState && (best == nullptr || part->finish_cost_ < best->finish_cost_))
        best = part.get();
    return best;
  }

  // --- What is kept: of each state itself, its cost, and the number of the one it came from ---

  static constexpr std::size_t kRowsAtOnce = 4096;
  static constexpr std::size_t kRowBytes = sizeof(State<P>) + 2 * sizeof(std::uint32_t);
  struct NoRoom {};

  // Of what must be the same for the states to mean the same.
  Word key() const {
    const Part& any = *parts_[0];
    Word key = P;
    for (std::size_t count : {any.moves_.size(), any.blocks_.size(), any.images_.size(), any.goals_.size(),
                              any.forbidden_.size(), std::size_t{any.merges_regions_}})
      key = fold_multiply(key ^ count, 0xd6e8feb86659fd93u) + count;
    return key;
  }

  // False: the disk is full.
  [[nodiscard]] bool save(KeptStates& kept) {
    const std::size_t n = parts_.size();
    std::vector<StateId> first{0};  // per part the number of its first state
    for (const auto& part : parts_) first.push_back(first.back() + static_cast<StateId>(part->table_.size()));
    const auto number = [&](StateId name) { return name == kNoState ? name : first[name % n] + name / n; };
    KeptStates::Counts counts{.key = key(), .num_states = first.back(), .least_f = least_f_};
    for (const auto& part : parts_) {
      counts.num_expanded += part->num_expanded_;
      counts.num_generated += part->num_generated_;
      counts.num_dead += part->num_dead_;
      counts.num_corrals += part->num_corrals_;
    }
    if (const Part* finish = finish_of(); finish != nullptr) {
      counts.finish = number(name_of(finish->number_, finish->finish_));
      counts.finish_cost = finish->finish_cost_;
    }
    return kept.write(counts, [&](auto out) {
      pour<State<P>>(out, [](const Part& part, StateId i) { return part.table_[i]; });
      pour<std::uint32_t>(out, [](const Part& part, StateId i) { return part.cost_[i]; });
      pour<StateId>(out, [&](const Part& part, StateId i) { return number(part.parent_[i]); });
    });
  }

  template <class T, class Out, class Value>
  void pour(Out out, Value value) const {
    std::vector<T> rows;
    for (const auto& part : parts_)
      for (StateId i = 0; i < part->table_.size(); ++i) {
        rows.push_back(value(*part, i));
        if (rows.size() < kRowsAtOnce) continue;
        out(rows.data(), rows.size() * sizeof(T));
        rows.clear();
      }
    if (!rows.empty()) out(rows.data(), rows.size() * sizeof(T));
  }

  // False: nothing is kept.
  bool restore(const KeptStates& kept) {
    std::vector<StateId> names;
    try {
      const bool is_there = kept.read(key(), kRowBytes, [&](const KeptStates::Counts& counts, auto in) {
        take_back(counts, in, names);
      });
      if (!is_there) return false;
    } catch (const NoRoom&) {
      parts_[0]->stop(Status::memory);
      return true;
    }
    gang_.all([&](std::size_t i) { parts_[i]->open_again(); });
    return true;
  }

  template <class In>
  void take_back(const KeptStates::Counts& counts, In in, std::vector<StateId>& names) {
    scoop<State<P>>(counts.num_states, in, [&](Word, const State<P>& s) {
      Part& owner = *parts_[number_of(hash(s))];
      const std::size_t rows = owner.table_.size() + 1;
      if (!owner.table_.reserve(1) || !owner.cost_.reserve(rows) || !owner.parent_.reserve(rows) ||
          rows >= kNoState / parts_.size())
        throw NoRoom();
      const auto [node, is_new] = owner.table_.insert(s, hash(s));
      names.push_back(name_of(owner.number_, node));
    });
    const auto part_of = [&](StateId name) -> Part& { return *parts_[name % parts_.size()]; };
    const auto node_of = [&](StateId name) { return static_cast<StateId>(name / parts_.size()); };
    scoop<std::uint32_t>(counts.num_states, in, [&](Word i, std::uint32_t cost) {
      part_of(names[i]).cost_[node_of(names[i])] = cost;
    });
    scoop<StateId>(counts.num_states, in, [&](Word i, StateId from) {
      part_of(names[i]).parent_[node_of(names[i])] = from < names.size() ? names[from] : kNoState;
    });
    Part& first = *parts_[0];
    first.num_expanded_ = counts.num_expanded;
    first.num_generated_ = counts.num_generated;
    first.num_dead_ = counts.num_dead;
    first.num_corrals_ = counts.num_corrals;
    least_f_ = std::max(least_f_, counts.least_f);
    num_resumed_ = names.size();
    if (counts.finish >= names.size()) return;
    Part& finish = part_of(names[counts.finish]);
    finish.finish_ = node_of(names[counts.finish]);
    finish.finish_cost_ = counts.finish_cost;
  }

  template <class T, class In, class Take>
  static void scoop(Word count, In in, Take take) {
    std::vector<T> rows;
    for (Word at = 0; at < count; at += rows.size()) {
      rows.resize(std::min<Word>(kRowsAtOnce, count - at));
      in(rows.data(), rows.size() * sizeof(T));
      for (std::size_t i = 0; i < rows.size(); ++i) take(at + i, rows[i]);
    }
  }

  // --- The answer ---

  // A goal that was found counts most: what a part ran into in the same round does not matter.
  Status status() const {
    Status status = Status::running;
    for (const auto& part : parts_)
      if (part->status_ == Status::goal || status == Status::running) status = part->status_;
    return status;
  }

  // By a limit, but for that of the disk.
  bool is_stopped() const {
    return status() == Status::time || status() == Status::memory || status() == Status::interrupted;
  }

  InformedOutcome counts() const {
    InformedOutcome result = parts_[0]->counts();
    for (std::size_t i = 1; i < parts_.size(); ++i) {
      const InformedOutcome more = parts_[i]->counts();
      result.num_states += more.num_states;
      result.num_expanded += more.num_expanded;
      result.num_generated += more.num_generated;
      result.num_dead += more.num_dead;
      result.num_corrals += more.num_corrals;
      result.bytes += more.bytes;
    }
    result.status = status();
    result.lower_bound = bound();
    result.num_goal_states = finish_of() != nullptr;
    result.num_resumed = num_resumed_;
    return result;
  }

  std::vector<OperatorId> plan(StateId finish) {
    const std::size_t n = parts_.size();
    std::vector<StateId> chain;
    for (StateId name = finish; name != kNoState; name = parts_[name % n]->parent_[name / n])
      chain.push_back(name);
    std::reverse(chain.begin(), chain.end());
    Part& first = *parts_[0];
    const auto cost = [&](std::size_t i) { return first.large(parts_[chain[i] % n]->cost_[chain[i] / n]); };
    return first.play(
        chain.size() - 1, [&](std::size_t i) { return cost(i) - cost(i - 1); },
        [&](std::size_t i, const auto& now) {
          return first.canonical_of(now) == parts_[chain[i] % n]->table_[chain[i] / n];
        });
  }

  Gang gang_;
  std::vector<std::unique_ptr<Part>> parts_;
  PackedCost least_f_ = 0;
  std::uint64_t num_resumed_ = 0;
  KeptStates kept_;
  bool is_begun_ = false;
};

}  // namespace fewest
