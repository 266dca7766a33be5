// Breadth-first search with layers that are on disk and are divided into shards. A `Shards` object represents the part
// of the search that one process owns.
//
// Problem: a search in memory ends when memory is exhausted.
// Solution: the layers are stored on disk, and the search needs no random look-ups. A layer consists of sorted blocks
// (layer.hpp) in shards: a hash of the high bits of a state selects its shard (sharding.hpp).
// - `expand` reads the newest layer and distributes the successors to buckets by shard (buckets.hpp). When the buckets
//   are full, each of them is sorted and appended to a temporary file as runs (sorted_runs.hpp).
// - `merge` merges all states of a shard into one ascending sequence, removes the states of earlier layers, and writes
//   the rest as the next layer. If every move is reversible at the same cost, a successor of layer d is in layer d - 1,
//   d or d + 1. In that case, successors are compared only with the last two layers; otherwise, they are compared with
//   all layers. (Delayed duplicate detection: Korf, 2004; with a hash, Korf and Schultze, 2005.)
// - A second search (`search_within`) finds all goal distances. It begins at all goal states that the first search
//   reached. If moves are not reversible, it is a backward search (ShardsTask). Since a backward search also finds
//   unreachable states, `merge` keeps only states that are in a layer of the first search. A shard has the same number
//   in both searches.
// - The caller controls the search and may use several threads of one process: each thread calls `expand` and `merge`
//   with its own number. The caller may also use several processes: each process owns some shards, and the processes
//   exchange the data of `outgoing`.
// - A layer is saved once `keep` has been called; the files of layers that were not saved are overwritten. Without a
//   folder, all layers stay in memory (blocks.hpp), where they take a fraction of the memory that a table of states
//   would need. When memory is exhausted, std::bad_alloc is thrown; the caller can then set a folder with `write_to`.
// Usage:
//   shards.begin(); shards.close_layer(); shards.keep();
//   while (counts.entries > 0) {
//     shards.expand(0);                // or by several threads, each with its number
//     shards.merge(0);                 // after all of them
//     counts = shards.close_layer();
//     shards.keep();
//   }
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "state/compiler.hpp"
#include "store/file.hpp"

namespace fewest {

struct ShardsOptions {
  std::string folder;  // empty: everything is in memory and there is one owner
  std::uint32_t num_shards = 128;
  std::uint32_t owner = 0, num_owners = 1;  // each owner has a range of the shards (sharding.hpp)
  std::size_t workers = 1;
  std::size_t memory = std::size_t{1} << 30;  // the limit in bytes on all buckets and buffers, and on layers in memory
  bool is_reversible = false;                 // every move is reversible at the same cost
  std::vector<std::uint32_t> ends;  // for each owner, the shard after its last one; empty: the ranges are equal
};

struct LayerCounts {
  std::uint64_t entries = 0, states = 0, goals = 0, canonical = 0, in_orbits = 0;
  FactSet goal;  // the smallest goal state, packed; empty if none was found
};

class Shards {
 public:
  virtual ~Shards() = default;

  // Creates layer 0, which contains the initial state if that state belongs to this owner.
  virtual void begin() = 0;
  // Restricts the search to the states in the layers of `reached`. This function must be called before any other
  // function. `reached` must belong to the same problem and process, must be open in a folder, and must outlive this
  // object.
  virtual void search_within(Shards& reached) = 0;
  // Begins at the goal states in `reached`. The caller calls this function after `search_within`, instead of `begin`,
  // and then calls `merge` as worker 0. Returns false if `cancel` was called. Throws FileError or Damage.
  virtual bool begin_at_goals() = 0;
  // Opens the existing layers 0 .. num_layers - 1.
  virtual void open(std::size_t num_layers) = 0;
  virtual std::size_t num_layers() const = 0;

  // `expand` expands shards of the newest layer until none are left. `merge` merges shards of the next layer. Several
  // workers may run at the same time. Both functions return false if `cancel` was called. They throw FileError or
  // Damage and, if layers are in memory, std::bad_alloc.
  virtual bool expand(std::size_t worker) = 0;
  virtual bool merge(std::size_t worker) = 0;
  // Adds `count` states of the compiled width to the next layer. The caller uses this function in place of an
  // expansion. No earlier layer may contain these states. The function requires that there is only one owner.
  // Afterwards, the caller calls `merge` as worker 0.
  virtual void feed(const Word* states, std::size_t count) = 0;
  // Makes the next layer the newest, and returns its counts.
  virtual LayerCounts close_layer() = 0;
  // Ensures that all closed layers survive the end of the process and even a power failure.
  virtual void keep() = 0;
  // Sets the folder for layers in memory. The next call of `keep` writes these layers.
  virtual void write_to(const std::string& folder) = 0;
  // Discards the next layer, so that the newest layer can be expanded again.
  virtual void abandon() = 0;

  // The following functions are for searches with several owners. `outgoing` returns a chunk of the successors for
  // another owner: whole sorted runs of about `most` bytes, starting at run `begin`. It also returns the number of the
  // run that follows this chunk. The other owner passes the chunk to `receive`. Both functions may be called at any
  // time during `expand`. When all workers have finished and a chunk is empty, the other owner has received all its
  // successors. The successors remain stored until `forget_sent` is called, so a chunk can be sent again after a
  // failure.
  virtual std::pair<std::vector<unsigned char>, std::size_t> outgoing(std::uint32_t owner, std::size_t begin,
                                                                      std::size_t most) = 0;
  virtual void forget_sent() = 0;
  virtual void receive(const unsigned char* data, std::size_t size) = 0;
  // The number of bytes that `outgoing` can return now for another owner, starting at run `begin`.
  virtual std::uint64_t num_waiting(std::uint32_t owner, std::size_t begin) const = 0;
  // Whether some successor may be in the layer before the newest one. The owners exchange their answers before `merge`.
  virtual bool has_doubts() = 0;
  virtual void set_doubts(bool doubts) = 0;

  // A slow owner calls this function, which excludes a shard of the newest layer from `expand` and returns the number
  // of the shard, or -1 if none is left. Another owner then expands that shard from the file of the layer with
  // `expand_other`, as worker 0 after its own `expand`.
  virtual std::int64_t give_away() = 0;
  virtual bool expand_other(const std::string& file, std::uint32_t shard) = 0;

  // Writes the next layer for the shards of this owner, from the files of a search with `num_shards` shards. The number
  // of owners of that search may have been different. The function then saves the layer as `keep` does.
  virtual void take_over(const std::vector<std::string>& files, std::uint32_t num_shards) = 0;

  // Returns the smallest state of a non-empty layer, as facts of the task. If the search uses symmetry, images of
  // states are considered as well.
  virtual FactSet least(std::size_t layer) = 0;
  // Sets is_in[i] to whether the i-th of these states, given as facts of the task, is in a layer. Searches with
  // symmetry or regions do not support this function.
  virtual void among(std::size_t layer, const Word* facts, std::size_t count, bool* is_in) = 0;
  // Whether a packed state is in a layer.
  virtual bool contains(std::size_t layer, const Word* state) = 0;
  // The shard of a packed state.
  virtual std::uint32_t shard_of(const Word* state) const = 0;
  // Whether a packed state is in the layer of a file, which another owner has saved.
  virtual bool file_contains(const std::string& file, const Word* state) = 0;
  // Returns the operators of a plan to a goal state in a layer. layer_has(layer, state) tests whether a packed state is
  // in a layer.
  virtual std::vector<OperatorId> plan(
      std::size_t layer, const FactSet& goal,
      const std::function<bool(std::size_t layer, const Word* state)>& layer_has) = 0;

  // Any thread may call the following functions at any time.
  virtual void cancel() = 0;
  virtual std::uint64_t num_expanded() const = 0;
  virtual std::uint64_t num_generated() const = 0;
  virtual std::uint64_t num_merged() const = 0;  // the number of new states in the layer that is being merged
  virtual std::uint64_t bytes_in_memory() const = 0;
  virtual std::uint64_t bytes_spooled() const = 0;  // the size of the temporary files of the layer in progress

  virtual bool is_held() const = 0;  // whether the layers are in memory
  virtual int words() const = 0;       // the number of words of a packed state
  virtual int fact_words() const = 0;  // the number of words of a state as facts of the task
  virtual const char* algorithm() const = 0;
  // A fingerprint of the packing of states. A store can be read only by a search that uses the same packing.
  virtual Word packing() const = 0;
};

// The reversed problem, and the costs of its operators.
struct Backwards {
  const Problem& problem;
  const CostTable& costs;
};

// The problem that a `Shards` object searches. `compiler` contains the moves that the search makes. In a backward
// search, these are the backward moves; the other parts of the compiler's problem, in particular the goals, must not be
// used.
struct ShardsTask {
  ShardsTask(const Problem& problem, const Backwards* back)
      : problem(problem),
        invariants(problem),
        layout(problem, invariants),
        compiler(back == nullptr ? problem : back->problem, invariants, layout) {}

  const Problem& problem;
  Invariants invariants;
  Layout layout;
  Compiler compiler;
};
template <int P>
std::unique_ptr<Shards> make_shards_of_width(std::shared_ptr<const ShardsTask> task,
                                             const CostTable& costs, const Symmetry* symmetry,
                                             const ShardsOptions& options);

// The problem, its costs and the symmetry must outlive the shards. With `back`, the search runs backwards, within the
// states that another search reached (`search_within`). Returns nullptr if the search could not be breadth-first, or if
// a backward search could miss paths. Throws FileError. Throws std::invalid_argument for permutations and effects, and
// if packed states are wider than kMaxWords.
std::unique_ptr<Shards> make_shards(const Problem& problem, const CostTable& costs, const Symmetry* symmetry,
                                    const ShardsOptions& options, const Backwards* back = nullptr);

}  // namespace fewest
