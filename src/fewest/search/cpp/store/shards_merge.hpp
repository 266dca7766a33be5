// Completes a layer of shards: merges sorted runs and removes the states of earlier layers.
#pragma once

#include "store/shards_impl.hpp"

namespace fewest {

template <int P>
bool ShardsOf<P>::merge_shard(Worker& worker, std::uint32_t shard) {
  if (is_cancelled_.load(std::memory_order_relaxed)) return false;
  std::size_t num_states = 0, num_runs = received_[shard].size();
  for (const auto& other : workers_) {
    num_states += other->buckets.size(shard);
    num_runs += other->runs[shard].size();
  }
  std::size_t taken = 0;
  for (auto& other : workers_)
    if (num_states <= worker.room)
      taken += other->buckets.take(shard, worker.scratch.get() + taken, worker.room - taken);
    else
      spill_bucket(worker, *other, shard);
  const std::size_t left = sorted(worker, taken);
  if (num_runs == 0 && num_states <= worker.room)
    apply(worker, shard, worker.scratch.get(), worker.scratch.get() + left);
  else if (!merge_runs(worker, shard, left))
    return false;
  worker.writer.flush();
  return true;
}

template <int P>
bool ShardsOf<P>::merge_runs(Worker& worker, std::uint32_t shard, std::size_t in_memory) {
  std::vector<SpooledRun<P>> runs;
  for (auto& other : workers_)
    for (auto& run : other->runs[shard]) runs.push_back(std::move(run));
  for (auto& run : received_[shard]) runs.push_back(std::move(run));
  while (runs.size() > kMostRuns) {
    const std::span<const SpooledRun<P>> some(runs.data(), kMostRuns);
    SpooledRun<P> merged{&spool_of(worker), {}};
    const auto stream = union_of<P>(some, marks_);
    worker.writer.open(*worker.spool, merged.rows);
    for (auto states = stream->next(); !states.empty(); states = stream->next()) worker.writer.write(states);
    worker.writer.flush();
    runs.erase(runs.begin(), runs.begin() + kMostRuns);
    runs.push_back(std::move(merged));
  }
  auto stream = union_of<P>(std::span<const SpooledRun<P>>(runs), marks_);
  if (in_memory > 0) {
    auto own = std::make_unique<SpanStream<P>>(std::span<const State<P>>(worker.scratch.get(), in_memory));
    stream = std::make_unique<Union<P>>(std::move(own), std::move(stream), marks_);
  }
  State<P>* const out = worker.buffer.get();
  std::size_t size = 0;
  for (bool is_end = false; !is_end;) {
    if (is_cancelled_.load(std::memory_order_relaxed)) return false;
    const auto states = stream->next();
    is_end = states.empty();
    std::copy(states.begin(), states.end(), out + size);
    size += states.size();
    if (!is_end && size + kBlockStates<P> <= worker.room) continue;
    apply(worker, shard, out, out + size);
    size = 0;
  }
  return true;
}

template <int P>
void ShardsOf<P>::apply(Worker& worker, std::uint32_t shard, State<P>* begin, State<P>* end) {
  FEWEST_ASSERT(are_ascending(begin, static_cast<std::size_t>(end - begin), marks_), "the entries are ascending");
  FEWEST_ASSERT(std::all_of(begin, end, [&](const State<P>& s) { return sharding_.of(state_of(s)) == shard; }),
                "every entry belongs to its shard");
  for (std::size_t i = is_fed_ ? 0 : layers_.size(); i-- > 0 && begin != end;) {
    if (i + 1 == layers_.size() ? has_parity_ : is_sure_.load()) continue;
    if (i < first_open() && options_.is_reversible) break;
    end = without(worker, *layers_[i], shard, begin, end);
  }
  if (reached_ != nullptr && !options_.is_reversible && !is_fed_) end = among_reached(worker, shard, begin, end);
  for (const State<P>* s = begin; s != end; ++s) count(worker, *s);
  num_merged_ += static_cast<std::uint64_t>(end - begin);
  worker.writer.open(next_->file(), next_->writing(shard));
  worker.writer.write({begin, static_cast<std::size_t>(end - begin)});
}

template <int P>
void ShardsOf<P>::count(Worker& worker, const State<P>& entry) {
  const State<P> s = state_of(entry);
  LayerCounts& tally = worker.tally;
  ++tally.entries;
  if (worker.expander->is_one_state() && !worker.expander->is_goal(s)) [[likely]] {
    ++tally.states;
    return;
  }
  const Count count = worker.expander->count(s, {});
  tally.states += count.states;
  tally.canonical += count.canonical;
  tally.in_orbits += count.in_orbits;
  if (count.goals == 0) return;
  tally.goals += count.goals;
  const FactSet goal(s.w, s.w + compiler_.layout().words());
  if (tally.goal.empty() || Worker::is_lower(goal, tally.goal)) tally.goal = goal;
}

template <int P>
template <class Visit>
State<P>* ShardsOf<P>::for_each_block(Worker& worker, const Layer<P>& layer, std::uint32_t shard, State<P>* begin,
                                      State<P>* end, Visit visit) const {
  const auto rows = layer.rows(shard);
  if (rows.empty() || begin == end) return begin;
  const BlockFile* blocks = layer.is_open() ? &layer.blocks() : nullptr;
  std::optional<BlockFile> own;  // a separate file, since other workers may read the same layer
  State<P>* in = begin;
  for (std::size_t r = row_of<P>(rows, key_of(*begin, marks_)); r < rows.size() && in != end; ++r) {
    State<P>* until = end;
    if (r + 1 < rows.size()) until = std::lower_bound(in, end, unmarked(rows[r + 1].first), is_less<P>);
    if (until == in) continue;
    if (blocks == nullptr) blocks = &own.emplace(layer.path(), File::Mode::old);
    visit(in, until, worker.reader.read(*blocks, rows[r]));
    in = until;
  }
  return in;
}

template <int P>
State<P>* ShardsOf<P>::without(Worker& worker, const Layer<P>& layer, std::uint32_t shard, State<P>* begin,
                               State<P>* end) const {
  State<P>* out = begin;
  const auto remove = [&](State<P>* from, State<P>* until, std::span<const State<P>> known) {
    State<P>* end_of_new = subtract(from, until, known.data(), known.data() + known.size(), marks_);
    out = out == from ? end_of_new : std::move(from, end_of_new, out);
  };
  State<P>* const in = for_each_block(worker, layer, shard, begin, end, remove);
  FEWEST_ASSERT(begin <= out && out <= in && in <= end, "no entry is added");
  return out == in ? end : std::move(in, end, out);
}

template <int P>
void ShardsOf<P>::mark_known(const State<P>* from, const State<P>* until, std::span<const State<P>> known,
                             char* is_known) const {
  auto at = known.begin();
  for (; from != until; ++from, ++is_known) {
    const State<P> key = key_of(*from, marks_);
    while (at != known.end() && is_less(key_of(*at, marks_), key)) ++at;
    if (at == known.end()) return;
    if (key_of(*at, marks_) == key) *is_known = 1;
  }
}

template <int P>
State<P>* ShardsOf<P>::among_reached(Worker& worker, std::uint32_t shard, State<P>* begin, State<P>* end) const {
  std::vector<char>& is_known = worker.is_known;
  is_known.assign(static_cast<std::size_t>(end - begin), 0);
  const auto mark = [&](const State<P>* from, const State<P>* until, std::span<const State<P>> known) {
    mark_known(from, until, known, is_known.data() + (from - begin));
  };
  for (std::size_t i = 0; i < reached_->layers_.size(); ++i)
    for_each_block(worker, *reached_->layers_[i], shard, begin, end, mark);
  State<P>* out = begin;
  for (State<P>* s = begin; s != end; ++s) {
    *out = *s;
    out += is_known[static_cast<std::size_t>(s - begin)];
  }
  return out;
}

}  // namespace fewest
