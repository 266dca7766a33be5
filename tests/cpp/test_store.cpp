// Tests shards on disk: the encoding, sorting and merging of states, and whole searches.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <random>
#include <thread>

#include "check.hpp"
#include "distances.hpp"
#include "folder.hpp"
#include "store/sorted_runs.hpp"
#include "store/shards.hpp"
#include "store/sorting.hpp"
#include "tasks.hpp"

using namespace fewest;
using tasks::Task;

namespace {

// The sanitizers write about an eighth of the size of every buffer, even if it stays unused.
constexpr std::size_t kMemory = std::size_t{1} << 24;

template <int P>
std::vector<State<P>> random_states(std::size_t size, int bits, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<State<P>> states(size);
  for (State<P>& s : states)
    for (int w = 0; w < P; ++w) s.w[w] = random() >> (64 - bits);
  return states;
}

template <int P>
std::vector<State<P>> ascending(std::vector<State<P>> states) {
  std::sort(states.begin(), states.end(), is_less<P>);
  states.erase(std::unique(states.begin(), states.end()), states.end());
  return states;
}

template <int P>
void gaps_come_back() {
  State<P> least = zero_state<P>(), greatest;
  for (Word& word : greatest.w) word = ~Word{0};
  std::vector<State<P>> states = random_states<P>(500, 64, 1);
  states.push_back(least);
  states.push_back(greatest);
  states = ascending(states);
  std::vector<Byte> bytes(states.size() * kLongestGap<P>);
  Byte* out = bytes.data();
  State<P> last = zero_state<P>();
  for (const State<P>& s : states) out = write_gap(std::exchange(last, s), s, out);
  const Byte* in = bytes.data();
  last = zero_state<P>();
  for (const State<P>& s : states) {
    in = read_gap<P>(in, out, last);
    CHECK(in != nullptr && last == s);
  }
  CHECK(in == out);
  CHECK(read_gap<P>(in, out, last) == nullptr);  // the input has ended
}

template <int P>
void sorting_leaves_each_once(std::size_t size, int bits) {
  std::vector<State<P>> states = random_states<P>(size, bits, 2), buffer(size);
  const std::vector<State<P>> expected = ascending(states);
  State<P>*a = states.data(), *b = buffer.data();
  const std::size_t left = sort_unique(a, b, size, 0);
  CHECK(std::vector<State<P>>(a, a + left) == expected);
}

// Entries that differ only in their marks become one entry that has all of their marks.
void marks_of_equal_states_are_united(std::size_t size) {
  constexpr Word marks = 7;
  std::vector<State<1>> entries = random_states<1>(size, 15, 3), buffer(size);
  std::map<Word, Word> united;
  for (const State<1>& s : entries) united[s.w[0] & ~marks] |= s.w[0] & marks;
  State<1>*a = entries.data(), *b = buffer.data();
  const std::size_t left = sort_unique(a, b, size, marks);
  CHECK(left == united.size());
  std::size_t i = 0;
  for (const auto& [state, found] : united) CHECK(i < left && a[i++].w[0] == (state | found));
}

// With 22 bits, the runs are partly in memory and partly in the file.
template <int P>
void runs_are_united_and_layers_taken_out(int bits) {
  const Folder folder;
  BlockFile file(folder / "runs", File::Mode::nameless);
  std::vector<SpooledRun<P>> runs;
  std::vector<State<P>> all;
  BlockWriter<P> writer;
  for (unsigned i = 0; i < 5; ++i) {
    const std::vector<State<P>> states = ascending(random_states<P>(i * 30000 + 1, bits, i));
    all.insert(all.end(), states.begin(), states.end());
    runs.push_back({&file, {}});
    writer.open(file, runs.back().rows);
    writer.write(states);
    writer.flush();
  }
  std::vector<State<P>> found;
  const auto stream = union_of<P>(std::span<const SpooledRun<P>>(runs), 0);
  for (auto states = stream->next(); !states.empty(); states = stream->next())
    found.insert(found.end(), states.begin(), states.end());
  CHECK(found == ascending(all));
  std::vector<Byte> whole(file.bytes()), buffer;
  file.copy(whole.data(), whole.size(), 0);
  for (const SpooledRun<P>& run : runs)
    for (const Row<P>& row : run.rows) {
      const std::size_t size = sizeof(BlockHead) + row.bytes;
      CHECK(std::memcmp(file.read(size, row.offset, buffer), &whole[row.offset], size) == 0);
    }
  std::vector<State<P>> known = ascending(random_states<P>(7000, bits, 9)), expected;
  std::set_difference(found.begin(), found.end(), known.begin(), known.end(), std::back_inserter(expected), is_less<P>);
  State<P>* end = subtract(found.data(), found.data() + found.size(), known.data(), known.data() + known.size(),
                            0);
  CHECK(std::vector<State<P>>(found.data(), end) == expected);
}

struct Found {
  std::vector<std::uint64_t> layers;
  std::uint64_t goals = 0;
  std::vector<OperatorId> plan;
};

Found explored(const Task& task, ShardsOptions options, std::size_t stop_after = ~std::size_t{0}) {
  const Problem problem = task.problem();
  const CostTable costs = task.costs();
  const auto shards = make_shards(problem, costs, nullptr, options);
  Found found;
  std::optional<std::pair<std::size_t, FactSet>> goal;
  shards->begin();
  for (std::size_t depth = 0; depth < stop_after; ++depth) {
    const LayerCounts counts = shards->close_layer();
    if (depth % 3 == 0 && !shards->is_held()) shards->keep();
    if (counts.entries == 0) break;
    found.layers.push_back(counts.states);
    found.goals += counts.goals;
    if (!counts.goal.empty() && !goal) goal = {depth, counts.goal};
    for (const bool is_merging : {false, true}) {
      std::vector<std::thread> threads;
      for (std::size_t i = 0; i < options.workers; ++i)
        threads.emplace_back([&, i] { CHECK(is_merging ? shards->merge(i) : shards->expand(i)); });
      for (std::thread& thread : threads) thread.join();
    }
  }
  if (!shards->is_held()) shards->keep();
  if (goal)
    found.plan = shards->plan(goal->first, goal->second, [&](std::size_t layer, const Word* state) {
      return shards->contains(layer, state);
    });
  return found;
}

void check_like_memory(const Task& task, bool is_reversible) {
  const Outcome expected = task.search(true);
  for (const std::size_t workers : {1, 3}) {
    const Folder folder;
    const Found found = explored(
        task, {.folder = folder.path(), .num_shards = 7, .workers = workers, .memory = 1, .is_reversible = is_reversible});
    std::vector<std::uint64_t> layers;
    for (const auto& [cost, count] : expected.layers) layers.push_back(count);
    CHECK(found.layers == layers);
    CHECK(found.goals == expected.num_goal_states);
    CHECK(expected.cost.has_value() && found.plan.size() >= *expected.cost);
  }
}

void searches_on_disk_are_those_in_memory() {
  check_like_memory(tasks::tiles(3, 3, {0, 8, 7, 6, 5, 4, 3, 2, 1}), true);
  check_like_memory(tasks::tiles(2, 4, {0, 7, 6, 5, 4, 3, 2, 1}), false);
  check_like_memory(tasks::hanoi(6), true);
  check_like_memory(tasks::warehouse(3, 4, 0, 5, 7, 0, 1), false);
  check_like_memory(tasks::warehouse(3, 4, 0, 5, 7, 1, 1), false);
}

// A search in memory has the same results. When the memory limit is reached, the layers are written to a folder, and
// the search continues there.
void what_is_held_is_what_lies_on_disk() {
  for (const Task& task : {tasks::tiles(3, 3, {0, 8, 7, 6, 5, 4, 3, 2, 1}), tasks::hanoi(6)}) {
    const Outcome expected = task.search(true);
    std::vector<std::uint64_t> layers;
    for (const auto& [cost, count] : expected.layers) layers.push_back(count);
    ShardsOptions options{.folder = "", .num_shards = 7, .workers = 3, .is_reversible = true};
    const Found found = explored(task, options);
    CHECK(found.layers == layers && found.goals == expected.num_goal_states);
    CHECK(found.plan.size() == *expected.cost);

    const Folder folder;
    const Problem problem = task.problem();
    const CostTable costs = task.costs();
    options.memory = 900'000;  // most of it is for the merge buffers of the three workers
    const auto held = make_shards(problem, costs, nullptr, options);
    std::vector<std::uint64_t> seen;
    held->begin();
    try {
      for (LayerCounts counts = held->close_layer(); counts.entries > 0; counts = held->close_layer()) {
        seen.push_back(counts.states);
        CHECK(held->bytes_in_memory() < 2 * options.memory);
        CHECK(held->expand(0) && held->merge(0));
      }
      CHECK(layers.size() > 50);
    } catch (const std::bad_alloc&) {
      held->abandon();
      CHECK(layers.size() < 50);  // only the search of the tiles reaches the limit
    }
    held->write_to(folder.path());
    held->keep();
    const std::size_t written = held->num_layers();
    options.folder = folder.path();
    const auto shards = make_shards(problem, costs, nullptr, options);
    shards->open(written);
    for (;;) {
      CHECK(shards->expand(0) && shards->merge(0));
      const LayerCounts counts = shards->close_layer();
      if (counts.entries == 0) break;
      seen.push_back(counts.states);
    }
    CHECK(seen == layers);
  }
}

struct Back {
  std::vector<std::uint64_t> layers;
  FactSet hardest;
};

// Returns the layers around the goals, restricted to the states that a search has stored in a folder. `back` is the
// inverse task, which is needed if moves are not reversible.
std::optional<Back> measured(const Task& task, const ShardsOptions& reached, std::size_t num_layers, const Task* back) {
  const Problem problem = task.problem();
  const CostTable costs = task.costs();
  const auto first = make_shards(problem, costs, nullptr, reached);
  first->open(num_layers);
  const Folder folder;
  ShardsOptions options = reached;
  options.folder = folder.path();
  const Problem back_problem = back == nullptr ? problem : back->problem();
  const CostTable back_costs = back == nullptr ? costs : back->costs();
  const Backwards backwards{back_problem, back_costs};
  const auto shards = make_shards(problem, costs, nullptr, options, back == nullptr ? nullptr : &backwards);
  if (shards == nullptr) return std::nullopt;
  shards->search_within(*first);
  CHECK(shards->begin_at_goals() && shards->merge(0));
  Back found;
  for (LayerCounts counts = shards->close_layer(); counts.entries > 0; counts = shards->close_layer()) {
    if (found.layers.size() % 2 == 0) shards->keep();
    found.layers.push_back(counts.states);
    for (std::size_t i = 0; i < options.workers; ++i) CHECK(shards->expand(i));
    for (std::size_t i = 0; i < options.workers; ++i) CHECK(shards->merge(i));
  }
  shards->keep();
  if (!found.layers.empty()) found.hardest = shards->least(found.layers.size() - 1);
  return found;
}

// The tasks include moves that are not reversible: runs, regions, and moves into dead states.
void distances_to_the_goal_are_those_of_searches_from_everywhere() {
  std::vector<Task> tasks = {tasks::hanoi(4), tasks::warehouse(3, 4, 0, 5, 11, 1, 1), tasks::warehouse(4, 4, 0, 5, 14, 0, 1)};
  for (const bool merges : {false, true}) tasks.push_back(tasks::path(8, {0, 2, 3}, {7, 5}, merges));
  for (const Task& task : tasks) {
    const tasks::Distances expected = tasks::distances(task);
    const Task back = tasks::reversed(task);
    for (const std::size_t workers : {1, 2}) {
      const Folder folder;
      const ShardsOptions options{.folder = folder.path(), .num_shards = 3, .workers = workers, .memory = 1};
      const auto found = measured(task, options, explored(task, options).layers.size(), &back);
      CHECK(found.has_value());
      if (!found) continue;
      std::vector<std::uint64_t> layers;
      for (const auto& layer : expected.layers) layers.push_back(layer.second);
      CHECK(found->layers == layers);
      CHECK(found->hardest == expected.hardest);
    }
  }
}

// After this move, the piece no longer exists, so a backward run would begin at no fact.
void runs_that_cannot_be_followed_backwards_are_not_searched() {
  Task task = tasks::path(4, {0, 2}, {3}, true);
  task.op({0}, {}, {0}, 1, 0, 1);
  const Task back = tasks::reversed(task);
  const Folder folder;
  const ShardsOptions options{.folder = folder.path(), .num_shards = 3, .memory = kMemory};
  CHECK(!measured(task, options, explored(task, options).layers.size(), &back));
}

void what_damages_layers_that_were_reached_is_named() {
  const Folder folder;
  const Task task = tasks::warehouse(3, 4, 0, 5, 11, 1, 1), back = tasks::reversed(task);
  const ShardsOptions options{.folder = folder.path(), .num_shards = 3, .memory = kMemory};
  const std::size_t layers = explored(task, options).layers.size();
  const std::string path = folder / "layer-000002";
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(sizeof(BlockHead));
  const char old = static_cast<char>(file.get());
  file.seekp(sizeof(BlockHead));
  file.put(static_cast<char>(old ^ 16)).flush();
  bool is_named = false;
  try {
    measured(task, options, layers, &back);
  } catch (const Damage& damage) {
    is_named = damage.path == path;
  }
  CHECK(is_named);
}

void every_state_is_among_one_layer() {
  for (const bool is_reversible : {false, true}) {
    const Folder folder;
    const Task task = tasks::hanoi(5);
    const ShardsOptions options{.folder = folder.path(), .num_shards = 5, .memory = kMemory, .is_reversible = is_reversible};
    const Found found = explored(task, options);
    std::vector<Word> facts;
    const auto states = tasks::reachable(task);
    for (const FactSet& s : states) facts.insert(facts.end(), s.begin(), s.end());
    const Problem problem = task.problem();
    const CostTable costs = task.costs();
    const auto shards = make_shards(problem, costs, nullptr, options);
    shards->open(found.layers.size());
    std::vector<std::uint64_t> layers;
    const std::unique_ptr<bool[]> is_in(new bool[states.size()]);
    for (std::size_t layer = 0; layer < found.layers.size(); ++layer) {
      shards->among(layer, facts.data(), states.size(), is_in.get());
      layers.push_back(static_cast<std::uint64_t>(std::count(is_in.get(), is_in.get() + states.size(), true)));
    }
    CHECK(layers == found.layers);
  }
}

// If all moves are reversible, the layers around the goals contain all reached states, ordered by goal distance.
void layers_around_the_goals_have_all_that_was_reached() {
  for (const Task& task : {tasks::tiles(3, 3, {0, 8, 7, 6, 5, 4, 3, 2, 1}), tasks::hanoi(6)}) {
    const Folder folder;
    const ShardsOptions options{.folder = folder.path(), .num_shards = 7, .workers = 2, .memory = kMemory, .is_reversible = true};
    const Found reached = explored(task, options);
    const std::uint64_t all = std::accumulate(reached.layers.begin(), reached.layers.end(), std::uint64_t{0});
    const auto back = measured(task, options, reached.layers.size(), nullptr);
    CHECK(back.has_value());
    if (!back) continue;
    CHECK(std::accumulate(back->layers.begin(), back->layers.end(), std::uint64_t{0}) == all);
    CHECK(back->layers.front() == reached.goals);
    CHECK(back->layers.size() >= *task.search(true).cost + 1);
  }
}

// One owner is slow, and the other owners expand its shards one by one. Then five new owners take over the search, and
// finally a single owner.
void owners_that_exchange_find_what_one_finds() {
  const Task task = tasks::tiles(2, 4, {0, 7, 6, 5, 4, 3, 2, 1});
  const Problem problem = task.problem();
  const CostTable costs = task.costs();
  const Outcome expected = task.search(true);
  const Folder folder;
  const auto file = [](const std::string& own, std::size_t layer) {
    const std::string digits = std::to_string(layer);
    return own + "/layer-" + std::string(6 - digits.size(), '0') + digits;
  };
  std::vector<std::string> folders;
  const auto make = [&](std::uint32_t owner, std::uint32_t num_owners, std::uint32_t num_shards) {
    folders.push_back(folder / (std::to_string(num_owners) + "-" + std::to_string(owner)).c_str());
    std::filesystem::create_directories(folders.back());
    return make_shards(problem, costs, nullptr,
                       {.folder = folders.back(), .num_shards = num_shards, .owner = owner, .num_owners = num_owners,
                        .memory = kMemory, .is_reversible = true});
  };
  std::vector<std::unique_ptr<Shards>> owners;
  for (std::uint32_t i = 0; i < 3; ++i) {
    owners.push_back(make(i, 3, 8));
    owners.back()->begin();
  }
  std::vector<std::uint64_t> layers;
  for (;;) {
    std::uint64_t states = 0;
    for (auto& owner : owners) states += owner->close_layer().states;
    for (auto& owner : owners) owner->keep();
    if (states == 0) break;
    layers.push_back(states);
    for (auto& owner : owners) owner->forget_sent();
    for (std::int64_t shard; layers.size() > 9 && (shard = owners[0]->give_away()) >= 0;)
      CHECK(owners[1]->expand_other(file(folders[0], layers.size() - 1), static_cast<std::uint32_t>(shard)));
    bool doubts = false;
    for (auto& owner : owners) {
      owner->expand(0);
      doubts |= owner->has_doubts();
    }
    for (std::uint32_t from = 0; from < 3; ++from)
      for (std::uint32_t to = 0; to < 3; ++to) {
        if (from == to) continue;
        for (std::size_t begin = 0;;) {  // the chunks are small, and each is sent twice
          const auto waiting = owners[from]->num_waiting(to, begin);
          const auto sent = owners[from]->outgoing(to, begin, 100);
          CHECK(owners[from]->outgoing(to, begin, 100) == sent);
          CHECK(sent.first.empty() == (waiting == 0));
          if (sent.first.empty()) break;
          owners[to]->receive(sent.first.data(), sent.first.size());
          begin = sent.second;
        }
      }
    for (auto& owner : owners) {
      owner->set_doubts(doubts);
      owner->merge(0);
    }
  }
  CHECK(layers.size() == expected.layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) CHECK(layers[i] == expected.layers[i].second);

  std::vector<Word> facts;
  const auto states = tasks::reachable(task);
  for (const FactSet& s : states) facts.insert(facts.end(), s.begin(), s.end());
  const std::unique_ptr<bool[]> is_in(new bool[states.size()]);
  std::uint32_t num_shards = 8;
  for (const std::uint32_t num_owners : {5u, 1u}) {
    const std::vector<std::string> before = std::exchange(folders, {});
    std::vector<std::uint64_t> moved(layers.size());
    for (std::uint32_t i = 0; i < num_owners; ++i) {
      const auto owner = make(i, num_owners, 7 * num_owners);
      for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        std::vector<std::string> files;
        for (const std::string& own : before) files.push_back(file(own, layer));
        owner->take_over(files, num_shards);
      }
      const auto again = make_shards(problem, costs, nullptr,
                                     {.folder = folders.back(), .num_shards = 7 * num_owners, .owner = i,
                                      .num_owners = num_owners, .is_reversible = true});
      again->open(layers.size());
      for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        again->among(layer, facts.data(), states.size(), is_in.get());
        moved[layer] += static_cast<std::uint64_t>(std::count(is_in.get(), is_in.get() + states.size(), true));
      }
    }
    CHECK(moved == layers);
    num_shards = 7 * num_owners;
  }
}

void what_is_damaged_is_named() {
  const Folder folder;
  const Task task = tasks::tiles(2, 4, {0, 7, 6, 5, 4, 3, 2, 1});
  const ShardsOptions options{.folder = folder.path(), .num_shards = 3, .memory = kMemory, .is_reversible = true};
  explored(task, options, 12);
  const std::string path = folder / "layer-000011";
  const auto size = std::filesystem::file_size(path);
  const Problem problem = task.problem();
  const CostTable costs = task.costs();
  for (std::uintmax_t at = 0; at < size; at += 1 + size / 97) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char old = static_cast<char>(file.get());
    const auto put = [&](char c) {
      file.seekp(static_cast<std::streamoff>(at));
      file.put(c).flush();
    };
    put(static_cast<char>(old ^ 16));
    bool is_named = false;
    try {
      const auto shards = make_shards(problem, costs, nullptr, options);
      shards->open(12);
      shards->expand(0);
    } catch (const Damage& damage) {
      is_named = damage.path == path;
    }
    CHECK(is_named);
    put(old);
  }
  const auto shards = make_shards(problem, costs, nullptr, options);
  shards->open(12);
  CHECK(shards->expand(0));
}

const check::Suite suite("store", [] {
  gaps_come_back<1>();
  gaps_come_back<2>();
  gaps_come_back<16>();
  for (const std::size_t size : {0, 1, 100, 5000, 70000}) {
    sorting_leaves_each_once<1>(size, 13);
    sorting_leaves_each_once<1>(size, 64);
    sorting_leaves_each_once<2>(size, 20);
    sorting_leaves_each_once<4>(size, 64);
    marks_of_equal_states_are_united(size);
  }
  for (const int bits : {15, 22}) {
    runs_are_united_and_layers_taken_out<1>(bits);
    runs_are_united_and_layers_taken_out<2>(bits);
  }
  searches_on_disk_are_those_in_memory();
  what_is_held_is_what_lies_on_disk();
  every_state_is_among_one_layer();
  layers_around_the_goals_have_all_that_was_reached();
  distances_to_the_goal_are_those_of_searches_from_everywhere();
  runs_that_cannot_be_followed_backwards_are_not_searched();
  what_damages_layers_that_were_reached_is_named();
  owners_that_exchange_find_what_one_finds();
  what_is_damaged_is_named();
});

}  // namespace
