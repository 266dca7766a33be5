// Batched membership queries. The states are sorted so that every block of a layer is read only once.
#pragma once

#include "store/shards_impl.hpp"

namespace fewest {

template <int P>
void ShardsOf<P>::among(std::size_t number, const Word* facts, std::size_t count, bool* is_in) {
  must(number < layers_.size() && symmetry_ == nullptr, "there is no such layer, or the search uses symmetry");
  struct Query {
    State<P> entry;
    std::uint32_t shard;
    std::size_t number;
  };
  std::vector<Query> queries(count);
  const auto words = static_cast<std::size_t>(task_->problem.words);
  for (std::size_t i = 0; i < count; ++i) {
    const FactSet packed = compiler_.layout().pack(facts + i * words);
    State<P> entry = state_from<P>(packed.data(), packed.size());
    const std::uint32_t shard = sharding_.of(entry);
    if constexpr (P == 1) entry.w[0] <<= bits_;
    queries[i] = {entry, shard, i};
  }
  std::sort(queries.begin(), queries.end(), [](const Query& a, const Query& b) {
    return a.shard != b.shard ? a.shard < b.shard : is_less(a.entry, b.entry);
  });
  std::vector<State<P>> entries;
  for (const Query& one : queries) entries.push_back(one.entry);
  std::vector<char> is_known(count, 0);
  layers_[number]->load();
  for (std::size_t begin = 0, end; begin < count; begin = end) {
    for (end = begin; end < count && queries[end].shard == queries[begin].shard;) ++end;
    for_each_block(*workers_[0], *layers_[number], queries[begin].shard, &entries[begin], entries.data() + end,
                   [&](State<P>* from, State<P>* until, std::span<const State<P>> known) {
                     mark_known(from, until, known, is_known.data() + (from - entries.data()));
                   });
  }
  if (number < first_open() && !is_held()) layers_[number]->shut();
  for (std::size_t i = 0; i < count; ++i) is_in[queries[i].number] = is_known[i] != 0;
}

template <int P>
bool ShardsOf<P>::file_contains(const std::string& file, const Word* words) {
  std::unique_ptr<Layer<P>>& layer = looked_up_[file];
  if (layer == nullptr) {
    if (looked_up_.size() > kMostLookedUp) {
      looked_up_.clear();
      return file_contains(file, words);
    }
    layer = std::make_unique<Layer<P>>(file, options_.num_shards, typename Layer<P>::Existing{});
  }
  return layer_contains(*layer, words);
}

}  // namespace fewest
