// Breadth-first search in layers that lie on disk, by shard: the part of it that one process owns.
//
// Problem: a search ends where memory ends.
// Solution: nothing is looked up at random. A layer is sorted and lies in blocks (layer.hpp), by shard: a
// hash of its high bits says to which one a state belongs (sharding.hpp). `expand` reads the newest layer
// and deals the successors to buckets by shard (buckets.hpp); full ones are sorted and go to a passing
// file as runs (runs.hpp). `merge` makes one ascending sequence of all that came to a shard, takes out
// what former layers have, and writes the rest as the next layer. Where every move can be undone at the
// same cost a successor of layer d is in layer d - 1, d or d + 1, so the last two are looked at; else all.
// (Delayed duplicate detection, Korf 2004; by hash, Korf and Schultze 2005.)
// How far everything is from the goals is found by a second search, which `search_within` makes of it: from all goals
// that the first one reached. Where moves cannot be undone it goes backwards (ShardsTask), and since that leads to what
// nobody reaches, too, `merge` keeps only what stands in a layer of the first search; a shard has the same number in both.
// Who drives it is not known here: threads of one process, that call `expand` and `merge` each with a
// number of its own, or several processes, each the owner of some shards, that hand each other what
// `outgoing` says. A layer counts when `keep` has been called; whatever stands in the folder beside
// those that were kept is written over.
// Without a folder all of it is held in memory (blocks.hpp), in a fraction of what a table of states takes, until
// std::bad_alloc; `write_to` names a folder afterwards.
// Usage:
//   shards.begin(); shards.close_layer(); shards.keep();
//   while (counts.entries > 0) {
//     shards.expand(0);                // or several threads, each with its number
//     shards.merge(0);                 // when all have done
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
  std::string folder;  // none: all is held in memory, of one owner
  std::uint32_t num_shards = 128;
  std::uint32_t owner = 0, num_owners = 1;  // those whose number leaves `owner` when divided
  std::size_t workers = 1;
  std::size_t memory = std::size_t{1} << 30;  // bytes of all buckets and buffers, and of what is held
  bool is_undoable = false;                   // every move, at the same cost
};

struct LayerCounts {
  std::uint64_t entries = 0, states = 0, goals = 0, canonical = 0, in_orbits = 0;
  FactSet goal;  // the least goal state, packed; none: empty
};

class Shards {
 public:
  virtual ~Shards() = default;

  // Layer 0, if the initial state belongs here.
  virtual void begin() = 0;
  // Before all else: only what is in the layers of `reached` is looked for, which are of the same problem and process,
  // are opened in a folder, and outlive this.
  virtual void search_within(Shards& reached) = 0;
  // Instead of `begin`, then: the goal states there; `merge` as worker 0 follows. False: `cancel` was called. Throws
  // FileError, Damage.
  virtual bool begin_at_goals() = 0;
  // Layers 0 .. num_layers - 1 are there already.
  virtual void open(std::size_t num_layers) = 0;
  virtual std::size_t num_layers() const = 0;

  // As worker `worker`: expands shards of the newest layer, or merges shards of the next, until no more
  // are left. Workers may run at the same time. False: `cancel` was called. Both throw FileError, Damage.
  virtual bool expand(std::size_t worker) = 0;
  virtual bool merge(std::size_t worker) = 0;
  // Instead of expanding: [count] states of the next layer, which are in none before, of the width that is
  // compiled. Of one owner; `merge` as worker 0 follows.
  virtual void feed(const Word* states, std::size_t count) = 0;
  // The next layer is the newest; what is in it.
  virtual LayerCounts close_layer() = 0;
  // All layers that were closed outlive the process and a power cut.
  virtual void keep() = 0;
  // The folder of layers that were held, when they are kept.
  virtual void write_to(const std::string& folder) = 0;
  // Forgets the next layer; the newest can be expanded again.
  virtual void abandon() = 0;

  // Of several owners: what was expanded for another one, in pieces of about `most` bytes until one is
  // empty, and what that one does with it.
  virtual std::vector<unsigned char> outgoing(std::uint32_t owner, std::size_t most) = 0;
  virtual void receive(const unsigned char* data, std::size_t size) = 0;

  // The least state of a layer that is not empty, as facts of the task; by symmetry, of all images.
  virtual FactSet least(std::size_t layer) = 0;
  // is_in[i]: whether the i-th of so many states, as facts of the task, is in a layer. Not by symmetry, nor by regions.
  virtual void among(std::size_t layer, const Word* facts, std::size_t count, bool* is_in) = 0;
  // Whether a packed state is in a layer.
  virtual bool contains(std::size_t layer, const Word* state) = 0;
  // The operators to a goal state of a layer; layer_has(layer, state) says whether a packed state is there.
  virtual std::vector<OperatorId> plan(
      std::size_t layer, const FactSet& goal,
      const std::function<bool(std::size_t layer, const Word* state)>& layer_has) = 0;

  // Any thread may ask for these at any time.
  virtual void cancel() = 0;
  virtual std::uint64_t num_expanded() const = 0;
  virtual std::uint64_t num_generated() const = 0;
  virtual std::uint64_t num_merged() const = 0;  // new states, of the layer being merged
  virtual std::uint64_t bytes_in_memory() const = 0;
  virtual std::uint64_t bytes_spooled() const = 0;  // of the layer in progress

  virtual bool is_held() const = 0;  // in memory
  virtual int words() const = 0;       // of a packed state
  virtual int fact_words() const = 0;  // of one as facts of the task
  virtual const char* algorithm() const = 0;
  // Tells apart packings of states: what one wrote another cannot read.
  virtual Word packing() const = 0;
};

// A problem the other way round, and what its operators cost.
struct Backwards {
  const Problem& problem;
  const CostTable& costs;
};

// A problem as shards see it; it is used as long as they are. `compiler`: of the moves that are made, which are those
// backwards, if there are such; then what they do not know of it, its goals above all, is of no use.
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

// The problem, its costs and the symmetry must outlive it. nullptr where the search is not breadth-first; with `back`,
// which goes backwards within what was reached, also where that cannot find all ways.
// Throws std::invalid_argument if packed states are wider than kMaxWords; FileError.
std::unique_ptr<Shards> make_shards(const Problem& problem, const CostTable& costs, const Symmetry* symmetry,
                                    const ShardsOptions& options, const Backwards* back = nullptr);

}  // namespace fewest
