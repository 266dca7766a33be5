// Definitions of shards.hpp; each store/widths_*.cpp instantiates them for one or two widths.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <stdexcept>

#include "expand/expanders.hpp"
#include "expand/literal.hpp"
#include "state/compiler_attributes.hpp"
#include "state/costs.hpp"
#include "store/buckets.hpp"
#include "store/layer.hpp"
#include "store/used_operator_steps.hpp"
#include "store/orbit_members.hpp"
#include "store/sorted_runs.hpp"
#include "store/sharding.hpp"
#include "store/shards.hpp"
#include "store/sorting.hpp"

namespace fewest {

template <int P>
class ShardsOf final : public Shards, private ExpansionLimit {
 public:
  FEWEST_COLD ShardsOf(std::shared_ptr<const ShardsTask> task, const CostTable& costs, const Symmetry* symmetry,
           std::unique_ptr<Expander<P, Plain<P>>> expander, const ShardsOptions& options, int bits = 0)
      : task_(std::move(task)),
        compiler_(task_->compiler),
        costs_(costs),
        symmetry_(symmetry),
        options_(options),
        room_(options.memory),
        sharding_(task_->problem, compiler_.layout(), options.num_shards),
        expander_(std::move(expander)),
        received_(options.num_shards),
        outboxes_(options.num_owners),
        bits_(bits),
        marks_((Word{1} << bits) - 1),
        has_parity_(bits > 0 && has_parity(compiler_.problem())) {
    const FactSet packed = compiler_.layout().pack(compiler_.problem().initial);
    Plain<P> nothing{};
    start_ = expander_->start(state_from<P>(packed.data(), packed.size()), nothing);
    for (std::size_t i = 0; i < options.workers; ++i) workers_.push_back(std::make_unique<Worker>(*this, i));
  }

  FEWEST_COLD ~ShardsOf() override {
    next_.reset();
    layers_.clear();
    workers_.clear();
    release_free_memory();
  }

  void begin() override {
    open_next();
    const std::uint32_t shard = sharding_.of(state_of(start_));
    if (!is_ours(shard)) return;
    apply(*workers_[0], shard, &start_, &start_ + 1);
    workers_[0]->writer.flush();
  }

  void search_within(Shards& reached) override {
    auto* same = dynamic_cast<ShardsOf*>(&reached);
    must(same != nullptr && same != this && same->options_.num_shards == options_.num_shards,
         "the searches must have the same problem and the same number of shards");
    reached_ = same;
    has_parity_ = false;
  }

  bool begin_at_goals() override {
    must(reached_ != nullptr, "search_within must be called before begin_at_goals");
    is_fed_ = true;
    return reached_->for_each_entry(0, reached_->layers_.size(), [&](std::uint32_t shard, State<P> s) {
      if (reached_->expander_->count(s, {}).goals == 0) return !is_cancelled_.load(std::memory_order_relaxed);
      if constexpr (P == 1) s.w[0] <<= bits_;
      push(*workers_[0], shard, s);
      return true;
    });
  }

  FEWEST_COLD void open(std::size_t num_layers) override {
    for (std::size_t i = 0; i < num_layers; ++i)
      layers_.push_back(std::make_unique<Layer<P>>(name_of(i), options_.num_shards, typename Layer<P>::Existing{}));
    num_saved_ = num_layers;
    for (std::size_t i = options_.is_reversible ? first_open() : 0; i < num_layers; ++i) {
      layers_[i]->load();
      if (i < first_open()) layers_[i]->shut();
    }
  }
  std::size_t num_layers() const override { return layers_.size(); }

  bool expand(std::size_t number) override {
    must(!layers_.empty(), "there is no layer to expand");
    Worker& worker = worker_of(number);
    const Layer<P>& layer = *layers_.back();
    for (std::uint32_t shard; (shard = next_shard_++) < options_.num_shards;)
      for (const Row<P>& row : layer.rows(shard))
        if (!expand_block(worker, worker.reader.read(layer.blocks(), row))) return false;
    if (options_.num_owners > 1) spill_foreign(worker);
    return true;
  }

  bool merge(std::size_t number) override {
    Worker& worker = worker_of(number);
    open_next();
    for (std::uint32_t shard; (shard = next_merged_++) < options_.num_shards;)
      if (!merge_shard(worker, shard)) return false;
    return true;
  }

  void feed(const Word* states, std::size_t count) override {
    is_fed_ = true;
    for (; count > 0; --count, states += P) {
      State<P> entry = state_from<P>(states, P);
      const std::uint32_t shard = sharding_.of(entry);
      if constexpr (P == 1) entry.w[0] <<= bits_;
      push(*workers_[0], shard, entry);
    }
  }

  LayerCounts close_layer() override {
    must(next_ != nullptr, "there is no layer to close");
    next_->finish();
    layers_.push_back(std::move(next_));
    const std::uint64_t written = layers_.back()->num_entries();
    if (first_open() > 0 && !is_held()) {
      Layer<P>& older = *layers_[first_open() - 1];
      options_.is_reversible ? older.unload() : older.shut();
    }
    LayerCounts counts;
    for (auto& worker : workers_) worker->add_to(counts);
    FEWEST_ASSERT(written == counts.entries, "the number of written entries is the number of counted entries");
    FEWEST_ASSERT(counts.goals <= counts.states, "there are no more goal states than states");
    end_layer();
    return counts;
  }

  void keep() override {
    for (; num_saved_ < layers_.size(); ++num_saved_) {
      Layer<P>& layer = *layers_[num_saved_];
      layer.keep(name_of(num_saved_));
      if (num_saved_ >= first_open()) layer.load();
    }
  }

  void write_to(const std::string& folder) override { options_.folder = folder; }

  void abandon() override {
    if (next_ != nullptr && !is_held()) std::remove(next_->path().c_str());
    next_.reset();
    LayerCounts nobodys;
    for (auto& worker : workers_) {
      worker->buckets.clear();
      worker->writer.drop();
      worker->add_to(nobodys);
    }
    end_layer();
  }

  std::pair<std::vector<unsigned char>, std::size_t> outgoing(std::uint32_t owner, std::size_t begin,
                                                              std::size_t most) override;
  void forget_sent() override;
  void receive(const unsigned char* data, std::size_t size) override;
  std::uint64_t num_waiting(std::uint32_t owner, std::size_t begin) const override;
  bool has_doubts() override {
    bool doubts = bits_ == 0;
    if constexpr (P == 1)
      for (auto& worker : workers_)
        if (bits_ > 0) doubts |= static_cast<UsedOperatorSteps&>(*worker->expander).take_doubts();
    return doubts;
  }
  void set_doubts(bool doubts) override { others_doubt_ = doubts; }
  std::int64_t give_away() override;
  bool expand_other(const std::string& file, std::uint32_t shard) override;
  void take_over(const std::vector<std::string>& files, std::uint32_t num_shards) override;

  FactSet least(std::size_t number) override {
    must(number < layers_.size() && !is_held(), "there is no such layer in a folder");
    FactSet least;
    OrbitMembers<P> members(compiler_, costs_, symmetry_);
    for_each_entry(number, number + 1, [&](std::uint32_t, const State<P>& entry) {
      members.for_each(entry, [&](const State<P>& s) {
        FactSet facts = compiler_.layout().unpack(s.w);
        if (least.empty() || Worker::is_lower(facts, least)) least = std::move(facts);
      });
      return true;
    });
    return least;
  }

  void among(std::size_t number, const Word* facts, std::size_t count, bool* is_in) override;
  bool contains(std::size_t number, const Word* words) override {
    must(number < layers_.size(), "there is no such layer");
    return layer_contains(*layers_[number], words);
  }
  std::uint32_t shard_of(const Word* words) const override {
    return sharding_.of(state_from<P>(words, compiler_.layout().words()));
  }
  bool file_contains(const std::string& file, const Word* words) override;
  bool layer_contains(Layer<P>& layer, const Word* words) {
    const State<P> s = state_from<P>(words, compiler_.layout().words());
    layer.load();
    const auto rows = layer.rows(sharding_.of(s));
    if (rows.empty()) return false;
    State<P> key = s;
    key.w[0] = s.w[0] << bits_ | marks_;
    const Row<P>& row = rows[row_of<P>(rows, key)];
    const auto entries = workers_[0]->reader.read(layer.blocks(), row);
    const auto after = std::upper_bound(entries.begin(), entries.end(), key, is_less<P>);
    return after != entries.begin() && key_of(*std::prev(after), marks_) == key;
  }

  std::vector<OperatorId> plan(std::size_t layer, const FactSet& goal,
                               const std::function<bool(std::size_t, const Word*)>& layer_has) override {
    // The second function, which scans whole layers, is called only for tasks with conditional effects, which are not
    // searched on disk.
    const Layers<P> layers{[&](const State<P>& s, std::size_t near) {
                             if (near > 0 && layer_has(near - 1, s.w)) return near - 1;
                             return layer_has(near, s.w) ? near : ~std::size_t{0};
                           },
                           nullptr};
    std::vector<OperatorId> plan = expander_->plan(layers, state_from<P>(goal.data(), goal.size()), layer);
    FEWEST_ASSERT(&compiler_.problem() != &task_->problem ||
                      literal::is_plan(task_->problem, costs_, plan, layer * literal::unit(task_->problem, costs_),
                                       symmetry_),
                  "a plan leads to a goal state at the cost of its layer");
    return plan;
  }

  void cancel() override { is_cancelled_ = true; }
  std::uint64_t num_expanded() const override { return num_expanded_; }
  std::uint64_t num_generated() const override { return num_generated_; }
  std::uint64_t num_merged() const override { return num_merged_; }
  std::uint64_t bytes_in_memory() const override {
    // If this search is restricted to the states of another search, only the directories of the other search are
    // needed, not its buffers.
    const std::uint64_t bytes = directory_bytes() + (reached_ == nullptr ? 0 : reached_->directory_bytes());
    return bytes + (is_held() ? room_.used() : workers_.size() * share() / 4 * 3);
  }
  std::uint64_t bytes_spooled() const override {
    std::uint64_t bytes = 0;
    for (const auto& worker : workers_) bytes += worker->spool == nullptr ? 0 : worker->spool->bytes();
    return bytes;
  }

  bool is_held() const override { return options_.folder.empty(); }
  int words() const override { return compiler_.layout().words(); }
  int fact_words() const override { return task_->problem.words; }
  const char* algorithm() const override { return expander_->algorithm(); }
  Word packing() const override {
    return compiler_.layout().fingerprint(fold_multiply(P, kFormat + static_cast<Word>(bits_)));
  }

 private:
  static constexpr Word kFormat = 0xd6e8feb86659fd93u + 1;  // incremented when files or shards change
  static constexpr std::size_t kLeastShare = std::size_t{4} << 20;
  static constexpr std::size_t kLeastRoom = 4096;  // states; `merge_runs` also needs room for a block
  static constexpr std::size_t kMostBuffers = std::size_t{4} << 30;  // the limit in bytes if layers are in memory
  static constexpr std::size_t kMostRuns = 32;  // the maximum number of runs that are merged at the same time
  static constexpr std::size_t kMostOpen = 256;  // the maximum number of layers with open files
  static constexpr std::size_t kMostLookedUp = 64;  // the maximum number of open layers of other owners
  static constexpr std::size_t kExpansionsPerLook = 1024;

  struct Worker {
    Worker(ShardsOf& shards, std::size_t number)
        : expander(shards.expander_->copy()),
          buckets(shards.options_.num_shards, shards.share() / 2 / sizeof(State<P>), shards.room()),
          room(std::max({kLeastRoom, kBlockStates<P>, shards.sorting_share() / sizeof(State<P>)})),
          scratch(new State<P>[room]),
          buffer(new State<P>[room]),
          spool_path(shards.options_.folder + "/spool-" + std::to_string(number)),
          runs(shards.options_.num_shards) {
      if (shards.is_held()) shards.room_.count(2 * room * sizeof(State<P>));
      expander->set_limit(&shards);
    }

    void add_to(LayerCounts& counts) {
      counts.entries += tally.entries;
      counts.states += tally.states;
      counts.goals += tally.goals;
      counts.canonical += tally.canonical;
      counts.in_orbits += tally.in_orbits;
      if (!tally.goal.empty() && (counts.goal.empty() || is_lower(tally.goal, counts.goal))) counts.goal = tally.goal;
      tally = {};
    }
    static bool is_lower(const FactSet& a, const FactSet& b) {
      return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
    }

    std::unique_ptr<Expander<P, Plain<P>>> expander;
    Successors<P, Plain<P>> successors;
    Buckets<P> buckets;
    std::size_t room;  // the number of states for which each of the next two arrays has room
    std::unique_ptr<State<P>[]> scratch, buffer;
    std::string spool_path;
    std::unique_ptr<BlockFile> spool;
    std::vector<std::vector<SpooledRun<P>>> runs;  // by shard
    BlockReader<P> reader;
    BlockWriter<P> writer;
    std::vector<char> is_known;  // a flag for each state in one of the two arrays
    LayerCounts tally;
  };

  // A run for another owner, given by its offset in a worker's file. `end`: the total number of bytes up to the end of
  // this run.
  struct SentRun {
    const BlockFile* file;
    std::uint64_t offset, size, end;
    std::uint32_t shard;
  };
  struct Outbox {
    mutable std::mutex mutex;
    std::vector<SentRun> runs;
  };

  static void must(bool holds, const char* otherwise) {
    if (!holds) throw std::invalid_argument(otherwise);
  }
  Worker& worker_of(std::size_t number) {
    must(number < workers_.size(), "there is no such worker");
    return *workers_[number];
  }

  // The number of bytes available for the buffers of each worker.
  std::size_t share() const {
    const std::size_t all = is_held() ? std::min(options_.memory, kMostBuffers) : options_.memory;
    return std::max(kLeastShare, all / std::max<std::size_t>(1, options_.workers));
  }
  // The number of bytes available for each of the two buffers in which a worker sorts and merges. The buffers are small
  // if layers are in memory, since the memory limit also covers the layers.
  std::size_t sorting_share() const {
    return is_held() ? std::min(share(), options_.memory / std::max<std::size_t>(1, options_.workers)) / 32 : share() / 8;
  }
  Room* room() { return is_held() ? &room_ : nullptr; }
  bool is_ours(std::uint32_t shard) const { return owner_of_shard(shard) == options_.owner; }
  std::uint32_t owner_of_shard(std::uint32_t shard) const {
    const auto& ends = options_.ends;
    if (ends.empty()) return owner_of(shard, options_.num_owners, options_.num_shards);
    return static_cast<std::uint32_t>(std::upper_bound(ends.begin(), ends.end(), shard) - ends.begin());
  }
  std::uint32_t first_shard_of(std::uint32_t owner) const {
    if (options_.ends.empty()) return first_shard(owner, options_.num_owners, options_.num_shards);
    return owner == 0 ? 0 : options_.ends[owner - 1];
  }
  std::uint64_t directory_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& layer : layers_) bytes += layer->bytes_in_memory();
    return bytes;
  }
  FEWEST_COLD std::string name_of(std::size_t layer) const {
    std::string digits = std::to_string(layer);
    return options_.folder + "/layer-" + std::string(digits.size() < 6 ? 6 - digits.size() : 0, '0') + digits;
  }
  // The first open layer. If moves are reversible, new states are compared only with open layers.
  std::size_t first_open() const {
    const std::size_t count = options_.is_reversible ? 2 : kMostOpen;
    return layers_.size() > count ? layers_.size() - count : 0;
  }
  void open_next() {
    const std::scoped_lock lock(next_mutex_);
    if (next_ != nullptr) return;
    is_sure_ = options_.num_owners == 1 ? !has_doubts() : !others_doubt_;
    others_doubt_ = true;
    next_ = std::make_unique<Layer<P>>(name_of(layers_.size()) + ".part", options_.num_shards, room());
  }
  void end_layer() {
    for (auto& worker : workers_) {
      for (auto& runs : worker->runs) runs.clear();
      if (options_.num_owners > 1 && worker->spool != nullptr) sent_spools_.push_back(std::move(worker->spool));
      worker->spool.reset();
    }
    for (auto& runs : received_) runs.clear();
    inbox_.reset();
    next_shard_ = next_merged_ = 0;
    num_merged_ = 0;
    is_cancelled_ = is_fed_ = false;
  }

  // Calls visit(shard, state) for all entries of layers begin..end-1 of a folder until `visit` returns false. Returns
  // false in that case.
  template <class Visit>
  bool for_each_entry(std::size_t begin, std::size_t end, Visit visit) {
    BlockReader<P> reader;
    for (; begin < end; ++begin) {
      Layer<P> layer(layers_[begin]->path(), options_.num_shards, typename Layer<P>::Existing{});
      layer.load();
      for (std::uint32_t shard = 0; shard < options_.num_shards; ++shard)
        for (const Row<P>& row : layer.rows(shard))
          for (const State<P>& entry : reader.read(layer.blocks(), row))
            if (!visit(shard, state_of(entry))) return false;
    }
    return true;
  }

  // The state of an entry, without marks.
  State<P> state_of(State<P> entry) const {
    if constexpr (P == 1) entry.w[0] >>= bits_;
    return entry;
  }
  State<P> unmarked(State<P> entry) const {
    entry.w[0] &= ~marks_;
    return entry;
  }
  // Called during long expansions. Throws std::bad_alloc if an expansion takes too much memory.
  FEWEST_COLD bool may_continue(std::size_t bytes) override {
    if (bytes > options_.memory) throw std::bad_alloc();
    return !is_cancelled_.load(std::memory_order_relaxed);
  }

  bool expand_block(Worker& worker, std::span<const State<P>> states) try {
    std::uint64_t generated = 0;
    for (std::size_t i = 0; i < states.size(); ++i) {
      if (i % kExpansionsPerLook == 0 && is_cancelled_.load(std::memory_order_relaxed)) return false;
      worker.expander->expand(states[i], worker.successors.cleared());
      generated += worker.successors.size();
      for (const auto& next : worker.successors) {
        const std::uint32_t shard = sharding_.of(state_of(next.state));
        push(worker, shard, next.state);
      }
    }
    num_expanded_ += states.size();
    num_generated_ += generated;
    return true;
  } catch (const ExpansionStopped&) {
    return false;
  }

  FEWEST_INLINE void push(Worker& worker, std::uint32_t shard, const State<P>& entry) {
    if (worker.buckets.push(shard, entry)) [[likely]]
      return;
    spill(worker);
    [[maybe_unused]] const bool has_room = worker.buckets.push(shard, entry);
    FEWEST_ASSERT(has_room, "buckets that have been spilled have room");
  }

  void spill(Worker& worker) {
    FEWEST_ASSERT(worker.room * sizeof(State<P>) >= 4096, "a chunk fits where it is sorted");
    for (std::uint32_t shard = 0; shard < options_.num_shards; ++shard) spill_bucket(worker, worker, shard);
  }

  // Writes all successors for other owners as runs, so that `outgoing` can send them.
  void spill_foreign(Worker& worker) {
    for (std::uint32_t shard = 0; shard < options_.num_shards; ++shard)
      if (!is_ours(shard)) spill_bucket(worker, worker, shard);
  }

  // Writes a bucket of `from` as sorted runs of `worker`.
  void spill_bucket(Worker& worker, Worker& from, std::uint32_t shard) {
    while (from.buckets.size(shard) > 0) {
      const std::size_t taken = from.buckets.take(shard, worker.scratch.get(), worker.room);
      write_run(worker, shard, worker.scratch.get(), sorted(worker, taken));
    }
  }

  // Sorts the first `size` states in scratch, removes duplicates, and returns the number of the remaining states.
  std::size_t sorted(Worker& worker, std::size_t size) const {
    State<P>*states = worker.scratch.get(), *buffer = worker.buffer.get();
    const std::size_t left = sort_unique(states, buffer, size, marks_);
    if (states != worker.scratch.get()) std::swap(worker.scratch, worker.buffer);
    return left;
  }

  BlockFile& spool_of(Worker& worker) {
    if (worker.spool == nullptr)
      worker.spool = is_held() ? std::make_unique<BlockFile>(room_)
                               : std::make_unique<BlockFile>(worker.spool_path, File::Mode::nameless);
    return *worker.spool;
  }

  void write_run(Worker& worker, std::uint32_t shard, const State<P>* states, std::size_t size) {
    SpooledRun<P> run{&spool_of(worker), {}};
    worker.writer.open(*worker.spool, run.rows);
    worker.writer.write({states, size});
    worker.writer.flush();
    const std::uint32_t owner = owner_of_shard(shard);
    if (owner == options_.owner) {
      worker.runs[shard].push_back(std::move(run));
      return;
    }
    const std::uint64_t begin = run.rows.front().offset;
    const std::uint64_t bytes = run.rows.back().offset + sizeof(BlockHead) + run.rows.back().bytes - begin;
    Outbox& outbox = outboxes_[owner];
    const std::scoped_lock lock(outbox.mutex);
    const std::uint64_t before = outbox.runs.empty() ? 0 : outbox.runs.back().end;
    outbox.runs.push_back({run.file, begin, bytes, before + bytes, shard});
  }

  bool merge_shard(Worker& worker, std::uint32_t shard);
  // Merges the runs of a shard and the first `in_memory` states in scratch, and writes the new states. Returns false if
  // `cancel` was called.
  bool merge_runs(Worker& worker, std::uint32_t shard, std::size_t in_memory);
  // Counts and writes the new states among ascending states of one shard. A state is new if it is in no earlier layer
  // and, in a search within another search, in a layer of `reached_`.
  void apply(Worker& worker, std::uint32_t shard, State<P>* begin, State<P>* end);
  void count(Worker& worker, const State<P>& entry);
  // Calls visit(from, until, known) for the parts of begin..end in order, where `known` is the block of a layer that
  // may contain states of the part. Returns the end of the last part.
  template <class Visit>
  State<P>* for_each_block(Worker& worker, const Layer<P>& layer, std::uint32_t shard, State<P>* begin, State<P>* end,
                           Visit visit) const;
  // Removes the states of a layer from begin..end, and returns the new end.
  State<P>* without(Worker& worker, const Layer<P>& layer, std::uint32_t shard, State<P>* begin, State<P>* end) const;
  // Sets is_known[i] if from[i] is in `known`. Both sequences must be ascending.
  void mark_known(const State<P>* from, const State<P>* until, std::span<const State<P>> known, char* is_known) const;
  // Removes the states of begin..end that are in no layer of `reached_`, and returns the new end. The states must have
  // no marks.
  State<P>* among_reached(Worker& worker, std::uint32_t shard, State<P>* begin, State<P>* end) const;

  std::shared_ptr<const ShardsTask> task_;
  const Compiler& compiler_;
  const CostTable& costs_;
  const Symmetry* symmetry_;
  ShardsOptions options_;
  Room room_;  // the memory limit on layers and buffers if layers are in memory
  Sharding<P> sharding_;
  std::unique_ptr<Expander<P, Plain<P>>> expander_;
  std::vector<std::vector<SpooledRun<P>>> received_;  // runs from other owners, by shard
  std::unique_ptr<BlockFile> inbox_;                  // contains these runs
  std::mutex inbox_mutex_;
  std::vector<Outbox> outboxes_;                          // per owner
  std::vector<std::unique_ptr<BlockFile>> sent_spools_;  // files of complete layers with runs in outboxes
  std::atomic<bool> others_doubt_ = true;
  int bits_;    // the number of mark bits (used_operators.hpp), below the bits of a state
  Word marks_;  // the mask of all mark bits
  bool has_parity_;  // whether no move connects two states of one layer
  ShardsOf* reached_ = nullptr;  // this search is restricted to the states in the layers of `*reached_`
  std::atomic<bool> is_sure_ = false;  // whether certainly no successor of the newest layer is in the previous layer
  State<P> start_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<Layer<P>>> layers_;
  std::unique_ptr<Layer<P>> next_;
  std::map<std::string, std::unique_ptr<Layer<P>>> looked_up_;  // by file; see `file_contains`
  bool is_fed_ = false;  // whether `feed` or `begin_at_goals` has filled the next layer
  std::mutex next_mutex_;  // held while the first worker creates the next layer
  std::size_t num_saved_ = 0;
  std::atomic<std::uint32_t> next_shard_ = 0, next_merged_ = 0;
  std::atomic<bool> is_cancelled_ = false;
  std::atomic<std::uint64_t> num_expanded_ = 0, num_generated_ = 0, num_merged_ = 0;
};

template <int P>
std::unique_ptr<Shards> make_shards_of_width(std::shared_ptr<const ShardsTask> task,
                                             const CostTable& costs, const Symmetry* symmetry,
                                             const ShardsOptions& options) {
  if constexpr (P == 1) {
    const Problem& problem = task->compiler.problem();
    const bool is_plain = symmetry == nullptr && problem.conditional_effects.count == 0 && problem.num_permutations == 0 &&
                          has_equal_weights(problem, costs) && !has_runs(problem, costs);
    const auto marks = is_plain && options.is_reversible ? find_marks(problem, task->layout) : std::nullopt;
    if (marks) {
      auto steps = std::make_unique<UsedOperatorSteps>(task->compiler, *marks);
      return std::make_unique<ShardsOf<P>>(std::move(task), costs, symmetry, std::move(steps), options, marks->bits);
    }
  }
  auto expander = layered_expander<P>(task->compiler, costs, symmetry);
  if (expander == nullptr) return nullptr;
  return std::make_unique<ShardsOf<P>>(std::move(task), costs, symmetry, std::move(expander), options);
}

}  // namespace fewest

#define FEWEST_COMPILE_SHARDS(P)                                                              \
  namespace fewest {                                                                          \
  template std::unique_ptr<Shards> make_shards_of_width<P>(std::shared_ptr<const ShardsTask>,         \
                                                           const CostTable&, const Symmetry*,         \
                                                           const ShardsOptions&);                     \
  }
