// Tests sets of states, connected components, and distances in graphs by comparison with plain loops.
#include <algorithm>
#include <map>
#include <random>
#include <stdexcept>

#include "blind/graph.hpp"
#include "blind/search.hpp"
#include "check.hpp"
#include "tasks.hpp"

using namespace fewest;
using tasks::Task;

namespace {

// Rows with few different values, so that many rows are equal.
std::vector<Word> random_rows(int words, std::size_t count, std::mt19937& random) {
  std::vector<Word> rows(words * count);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = Word{random() % 40} << (random() % 2 ? 0 : 45);
  return rows;
}

void a_set_finds_rows_in_the_order_of_insertion() {
  for (int words = 1; words <= 4; ++words) {
    std::mt19937 random(words);
    const auto set = make_state_set(words);
    std::map<std::vector<Word>, std::int64_t> known;
    for (std::size_t count : {0, 1, 63, 64, 65, 700}) {
      const std::vector<Word> queries = random_rows(words, count, random), rows = random_rows(words, count, random);
      std::vector<std::int64_t> places(count, 77);
      const auto right = [&](const std::vector<Word>& of) {
        bool holds = true;
        for (std::size_t i = 0; i < count; ++i) {
          const auto at = known.find({of.begin() + i * words, of.begin() + (i + 1) * words});
          holds = holds && places[i] == (at == known.end() ? -1 : at->second);
        }
        return holds;
      };
      set->find(queries.data(), count, places.data());
      CHECK(right(queries));
      const auto is_new = std::make_unique<bool[]>(count);
      CHECK(set->insert(rows.data(), count, is_new.get()));
      bool holds = true;
      for (std::size_t i = 0; i < count; ++i) {
        const std::vector<Word> row(rows.begin() + i * words, rows.begin() + (i + 1) * words);
        holds = holds && is_new[i] == known.emplace(row, static_cast<std::int64_t>(known.size())).second;
      }
      CHECK(holds);
      CHECK(set->size() == known.size());
      set->find(rows.data(), count, places.data());
      CHECK(right(rows));
      set->find(queries.data(), count, places.data());
      CHECK(right(queries));
    }
  }
  CHECK(make_state_set(kMaxWords + 1) == nullptr);
}

// The task has three two-bit counters that can be incremented and decremented. Some rows are not in the set.
void successors_are_found_as_they_are_expanded() {
  Task task(70);
  for (int counter = 0; counter < 3; ++counter) {
    const int low = counter * 30, high = low + 1;
    task.op({}, {low}, {low});
    task.op({low}, {high}, {low, high});
    task.op({low}, {}, {low});
  }
  task.forbid({0, 30, 60});
  const Problem problem = task.problem();
  const auto expander = make_expander(problem);
  std::vector<Word> rows;
  for (int number = 0; number < 64; ++number) {
    FactSet row(task.words);
    for (int bit = 0; bit < 6; ++bit)
      if (number >> bit & 1) add(row.data(), bit / 2 * 30 + bit % 2);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  std::vector<Word> successors;
  std::vector<std::int64_t> parents;
  std::vector<OperatorId> operators;
  expander->expand(rows.data(), 64, successors, parents, operators);
  CHECK(successors.size() > 64);
  for (std::size_t members : {0, 40, 64}) {
    const auto set = make_state_set(task.words);
    const auto is_new = std::make_unique<bool[]>(64);
    CHECK(set->insert(rows.data(), members, is_new.get()));
    std::vector<std::int64_t> expected(parents.size()), counts(64), by_row(64);
    set->find(successors.data(), parents.size(), expected.data());
    for (std::int64_t row : parents) ++by_row[row];
    std::vector<std::int32_t> places;
    std::vector<OperatorId> found;
    expander->find_successors(*set, rows.data(), 64, counts.data(), places, found);
    CHECK(std::equal(places.begin(), places.end(), expected.begin(), expected.end()));
    CHECK(counts == by_row);
    CHECK(found == operators);
  }
}

void links_join_sets_that_their_least_members_name() {
  std::mt19937 random(5);
  for (int round = 0; round < 40; ++round) {
    const std::uint32_t size = 1 + random() % 60;
    Components components(size);
    std::vector<std::int32_t> expected(size), labels(size);
    for (std::uint32_t i = 0; i < size; ++i) expected[i] = static_cast<std::int32_t>(i);
    for (int batch = 0; batch < 3; ++batch) {
      std::vector<std::int32_t> from, to;
      for (std::uint32_t i = random() % size; i > 0; i /= 2) {
        from.push_back(static_cast<std::int32_t>(random() % size));
        to.push_back(static_cast<std::int32_t>(random() % size));
        const auto [least, other] = std::minmax(expected[from.back()], expected[to.back()]);
        const std::int32_t remaining = least, removed = other;
        std::replace(expected.begin(), expected.end(), removed, remaining);
      }
      components.link(from.data(), to.data(), from.size());
      components.labels(labels.data());
      CHECK(labels == expected);
    }
    for (const std::int32_t wrong : {-1, static_cast<std::int32_t>(size)}) {
      bool is_refused = false;
      const std::int32_t zero = 0;
      try {
        components.link(&zero, &wrong, 1);
      } catch (const std::invalid_argument&) {
        is_refused = true;
      }
      CHECK(is_refused);
    }
  }
}

void distances_are_those_of_repeated_relaxation() {
  std::mt19937 random(9);
  for (int round = 0; round < 60; ++round) {
    const std::size_t nodes = 1 + random() % 30, labels = 1 + random() % 3;
    std::vector<std::int64_t> first{0};
    std::vector<std::int32_t> target, label;
    for (std::size_t node = 0; node < nodes; ++node) {
      for (std::size_t edges = random() % 4; edges > 0; --edges) {
        target.push_back(static_cast<std::int32_t>(random() % nodes));
        label.push_back(static_cast<std::int32_t>(random() % labels));
      }
      first.push_back(static_cast<std::int64_t>(target.size()));
    }
    const auto is_start = std::make_unique<bool[]>(nodes);
    std::vector<std::int8_t> cost(labels);
    for (std::size_t i = 0; i < labels; ++i) cost[i] = static_cast<std::int8_t>(static_cast<int>(random() % 3) - 1);
    for (std::size_t i = 0; i < nodes; ++i) is_start[i] = random() % 8 == 0;
    LabelledGraph graph{nodes, target.size(), labels, first.data(), target.data(), label.data()};
    check_graph(graph);
    std::vector<std::int16_t> found(nodes), expected(nodes, -1);
    measure_graph(graph, cost.data(), is_start.get(), found.data());
    for (std::size_t i = 0; i < nodes; ++i)
      if (is_start[i]) expected[i] = 0;
    for (std::size_t again = 0; again < nodes; ++again) {
      for (std::size_t node = 0; node < nodes; ++node) {
        for (std::int64_t edge = first[node]; edge < first[node + 1]; ++edge) {
          std::int16_t& other = expected[target[edge]];
          if (cost[label[edge]] < 0 || expected[node] < 0) continue;
          const auto through = static_cast<std::int16_t>(expected[node] + cost[label[edge]]);
          if (other < 0 || other > through) other = through;
        }
      }
    }
    CHECK(found == expected);
    if (target.empty()) continue;
    target[0] = static_cast<std::int32_t>(nodes);
    bool is_refused = false;
    try {
      check_graph(graph);
    } catch (const std::invalid_argument&) {
      is_refused = true;
    }
    CHECK(is_refused);
  }
}

void a_long_path_does_not_overflow() {
  constexpr std::size_t nodes = 40000;
  std::vector<std::int64_t> first(nodes + 1);
  std::vector<std::int32_t> target, label(nodes);
  for (std::size_t i = 0; i < nodes; ++i) {
    first[i + 1] = static_cast<std::int64_t>(i + 1);
    target.push_back(static_cast<std::int32_t>((i + 1) % nodes));
  }
  const auto is_start = std::make_unique<bool[]>(nodes);
  is_start[0] = true;
  const std::int8_t cost = 1;
  std::vector<std::int16_t> found(nodes);
  bool is_refused = false;
  try {
    measure_graph({nodes, nodes, 1, first.data(), target.data(), label.data()}, &cost, is_start.get(), found.data());
  } catch (const std::overflow_error&) {
    is_refused = true;
  }
  CHECK(is_refused);
  CHECK(found[30000] == 30000);
}

void run() {
  a_set_finds_rows_in_the_order_of_insertion();
  successors_are_found_as_they_are_expanded();
  links_join_sets_that_their_least_members_name();
  distances_are_those_of_repeated_relaxation();
  a_long_path_does_not_overflow();
}

const check::Suite suite("graphs", run);

}  // namespace
