// The exchange between owners of shards: sorted runs of successors, in their file format.
#pragma once

#include "store/shards_impl.hpp"

namespace fewest {

// Runs one after the other: shard, number of bytes, and the blocks in their file format.
template <int P>
std::vector<unsigned char> ShardsOf<P>::outgoing(std::uint32_t owner, std::size_t most) {
  std::vector<unsigned char> bytes;
  for (auto& worker : workers_)
    for (std::uint32_t shard = owner; shard < options_.num_shards; shard += options_.num_owners) {
      spill_bucket(*worker, *worker, shard);
      auto& runs = worker->runs[shard];
      for (; !runs.empty(); runs.pop_back()) {
        if (bytes.size() >= most) return bytes;
        const SpooledRun<P>& run = runs.back();
        const std::uint64_t begin = run.rows.front().offset;
        const std::uint64_t size = run.rows.back().offset + sizeof(BlockHead) + run.rows.back().bytes - begin;
        const std::uint64_t head[2] = {shard, size};
        const std::size_t at = bytes.size();
        bytes.resize(at + sizeof head + size);
        std::memcpy(&bytes[at], head, sizeof head);
        run.file->file().read(&bytes[at + sizeof head], size, begin);
      }
    }
  return bytes;
}

template <int P>
void ShardsOf<P>::receive(const unsigned char* data, std::size_t size) {
  Worker& worker = *workers_[0];
  const Byte* const end = data + size;
  const auto check = [&](bool is_right) {
    if (!is_right) throw Damage(options_.folder, "what another owner sent is damaged");
  };
  while (data != end) {
    std::uint64_t head[2];
    check(static_cast<std::size_t>(end - data) >= sizeof head);
    std::memcpy(head, data, sizeof head);
    data += sizeof head;
    check(head[0] < options_.num_shards && is_ours(static_cast<std::uint32_t>(head[0])) &&
          head[1] <= static_cast<std::size_t>(end - data));
    SpooledRun<P> run{&spool_of(worker), {}};
    std::uint64_t offset = worker.spool->append(data, head[1]);
    for (const Byte* const run_end = data + head[1]; data != run_end;) {
      BlockHead block;
      check(static_cast<std::size_t>(run_end - data) >= sizeof block);
      std::memcpy(&block, data, sizeof block);
      check(block.bytes <= static_cast<std::size_t>(run_end - data) - sizeof block);
      State<P> first = zero_state<P>();
      check(read_gap(data + sizeof block, run_end, first) != nullptr);
      run.rows.push_back({offset, block.count, block.bytes, first});
      data += sizeof block + block.bytes;
      offset += sizeof block + block.bytes;
    }
    worker.runs[head[0]].push_back(std::move(run));
  }
}

}  // namespace fewest
