// Searches that are repeatedly stopped and resumed from a file give the same results and counts as one uninterrupted
// search.
#include <fstream>
#include <string>
#include <vector>

#include "check.hpp"
#include "folder.hpp"
#include "store/checkpoint_sections.hpp"
#include "tasks.hpp"

using namespace fewest;
using tasks::Facts;
using tasks::from_both_ends;
using tasks::Task;

namespace {

// Stops the search when its memory reaches a given number of bytes.
class Stopper : public Host {
 public:
  bool poll(const Snapshot& snapshot, bool) override { return snapshot.bytes >= bytes; }

  std::size_t bytes = 0;
};

// Repeats search(options) until there is an answer. Each repetition has more memory, or stops at a greater number of
// bytes.
template <typename Search>
auto searched_again_and_again(const std::string& file, bool by_memory, int& times, Search search) {
  Stopper stopper;
  for (std::size_t bytes = 20000;; bytes += bytes / 4) {
    Options options;
    (by_memory ? options.memory : options.milestone) = bytes;
    stopper.bytes = bytes;
    if (!by_memory) options.host = &stopper;
    options.file = file;
    auto found = search(options);
    if (found.status == Status::goal || found.status == Status::exhausted) return found;
    CHECK(found.status == (by_memory ? Status::memory : Status::interrupted));
    ++times;
  }
}

Task of_weights(Task task) {
  for (std::size_t op = 0; op < task.weight.size(); ++op) task.weight[op] = 1 + op * 7 % 4;
  return task;
}

// Pairs of a task and its goal states.
std::vector<std::pair<Task, std::vector<Facts>>> weighted_tasks() {
  Facts tiles_goal, path_goal{8, 9, 10, 11};
  for (int cell = 1; cell < 8; ++cell) tiles_goal.push_back((8 - cell - 1) * 8 + cell);
  std::vector<Facts> room_goals;
  for (FactId agent = 0; agent < 99; ++agent)
    if (agent != 18) room_goals.push_back({agent, 99 + 18});
  Task runs = tasks::path(14, {0, 1, 2, 3}, path_goal, true);
  runs.weight[0] = 3;
  return {{of_weights(tasks::tiles(2, 4, {0, 7, 6, 5, 4, 3, 2, 1})), {tiles_goal}},
          {runs, {path_goal}},
          {tasks::warehouse(9, 11, 0, 13, 18, 1, 5), room_goals}};
}

void dijkstra_goes_on_to_the_same_counts() {
  const Folder folder;
  int number = 0, times = 0;
  for (const auto& [task, goals] : weighted_tasks())
    for (bool by_memory : {false, true})
      for (bool exhaust : {false, true}) {
        const Outcome whole = task.search(exhaust);
        CHECK(std::string(whole.algorithm) == "dijkstra");
        const std::string file = folder / std::to_string(++number).c_str();
        const auto search = [&, &task = task](Options options) {
          options.exhaust = exhaust;
          return task.search(options);
        };
        const Outcome found = searched_again_and_again(file, by_memory, times, search);
        CHECK(found.status == whole.status && found.cost == whole.cost && task.replays(found));
        CHECK(found.layers == whole.layers && found.num_goal_states == whole.num_goal_states);
        CHECK(found.num_expanded == whole.num_expanded && found.num_generated == whole.num_generated);
        // The file also contains the answer.
        Options again;
        again.file = file;
        const Outcome continued = search(again);
        CHECK(continued.num_resumed == whole.num_states && continued.plan == found.plan && continued.layers == whole.layers);
      }
  CHECK(times > 40);
}

void both_ends_go_on_to_the_same_meeting() {
  const Folder folder;
  int number = 0, times = 0;
  auto tasks_and_goals = weighted_tasks();
  tasks_and_goals.push_back({tasks::tiles(2, 4, {0, 7, 6, 5, 4, 3, 2, 1}), tasks_and_goals[0].second});
  tasks_and_goals.push_back({tasks::warehouse(9, 11, 0, 13, 18, 0, 1), tasks_and_goals[2].second});
  Facts odd = tasks_and_goals[0].second[0];  // exchanging two tiles changes the parity, so this goal cannot be reached
  std::swap(odd[0], odd[1]);
  odd[0] = odd[0] / 8 * 8 + 1;
  odd[1] = odd[1] / 8 * 8 + 2;
  tasks_and_goals.push_back({tasks_and_goals[3].first, {odd}});
  tasks_and_goals.push_back({tasks_and_goals[0].first, {odd}});
  for (const auto& [task, goals] : tasks_and_goals)
    for (bool by_memory : {false, true}) {
      const Meeting whole = from_both_ends(task, goals);
      const std::string file = folder / std::to_string(++number).c_str();
      const auto search = [&, &task = task, &goals = goals](const Options& options) {
        return from_both_ends(task, goals, options);
      };
      const Meeting found = searched_again_and_again(file, by_memory, times, search);
      Options again;
      again.file = file;
      for (const Meeting& one : {found, search(again)}) {
        CHECK(one.status == whole.status && one.cost == whole.cost && one.lower_bound == whole.lower_bound);
        CHECK(one.plan.size() + one.backward_plan.size() == whole.plan.size() + whole.backward_plan.size());
        CHECK(one.waypoints.size() == whole.waypoints.size());
        CHECK(one.num_states == found.num_states && one.num_expanded == found.num_expanded);
      }
      CHECK(!whole.cost || found.cost == task.search(false).cost);
      CHECK(whole.status != Status::goal || std::string(whole.algorithm) == "dijkstra" ||
            found.num_states == whole.num_states);
    }
  CHECK(times > 40);
}

void what_was_changed_is_refused() {
  const Folder folder;
  const std::string file = folder / "states";
  const Task task = of_weights(tasks::tiles(2, 3));
  Options options;
  options.file = file;
  CHECK(task.search(options).status == Status::goal || task.search(options).status == Status::exhausted);
  const auto is_refused = [&](const Task& other) {
    try {
      other.search(options);
    } catch (const Damage&) {
      return true;
    }
    return false;
  };
  CHECK(is_refused(of_weights(tasks::tiles(3, 3))));
  const auto size = std::filesystem::file_size(file);
  for (std::uint64_t at : {std::uint64_t{3}, std::uint64_t{9}, std::uint64_t{17}, std::uint64_t{30}, size / 2, size - 1}) {
    const auto flip = [&] {
      std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
      bytes.seekg(at);
      const char byte = static_cast<char>(bytes.get());
      bytes.seekp(at);
      bytes.put(static_cast<char>(byte ^ 4));
    };
    flip();
    CHECK(is_refused(task));
    flip();
  }
  CHECK(!is_refused(task));
  std::filesystem::resize_file(file, size - 1);
  CHECK(is_refused(task));
}

void parts_are_read_as_they_were_written() {
  const Folder folder;
  CheckpointSections checkpoint(folder / "parts", -1);
  std::vector<Word> many(300000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = i * i;
  CHECK(!checkpoint.read(7, [](CheckpointSections::In&) {}));
  CHECK(checkpoint.write(7, [&](CheckpointSections::Out& out) {
    out.value(char{5});
    out.list(many);
    out.value(std::uint32_t{9});
  }));
  CHECK(checkpoint.read(7, [&](CheckpointSections::In& in) {
    char first;
    std::vector<Word> found;
    std::uint32_t last;
    in.value(first);
    in.list(found);
    in.value(last);
    CHECK(first == 5 && found == many && last == 9);
    bool is_at_end = false;
    try {
      in.value(first);
    } catch (const Damage&) {
      is_at_end = true;
    }
    CHECK(is_at_end);
  }));
  bool is_refused = false;
  try {
    checkpoint.read(8, [](CheckpointSections::In&) {});
  } catch (const Damage&) {
    is_refused = true;
  }
  CHECK(is_refused);
}

const check::Suite suite("checkpoints", [] {
  parts_are_read_as_they_were_written();
  dijkstra_goes_on_to_the_same_counts();
  both_ends_go_on_to_the_same_meeting();
  what_was_changed_is_refused();
});

}  // namespace
