// Numberings of small tasks. All combinations of options are tested, and the consistent states form a tree without
// shared nodes.
#pragma once

#include "index/index.hpp"
#include "tasks.hpp"

namespace tasks {

// Owns the data of a Numbering.
struct Numbered {
  Numbering numbering;
  std::vector<Word> entries;
  std::vector<FactSet> states;  // by their numbers
};

// Numbers the states of a task. Each exactly-one group becomes a variable, in the order of the groups, and each of the
// remaining facts becomes a separate variable. Exactly `count` of the remaining facts are true (-1: any number). At
// most one fact of an at-most-one group is true.
inline Numbered number(const Task& task, int count = -1, int step_size = 1) {
  Numbered result;
  Numbering& numbering = result.numbering;
  std::vector<char> in_group(task.num_facts);
  for (const Facts& group : task.exactly_one) {
    numbering.variables.push_back(group);
    numbering.may_be_none.push_back(0);
    for (FactId fact : group) in_group[fact] = 1;
  }
  const std::size_t first_alone = numbering.variables.size();
  for (FactId fact = 0; fact < task.num_facts; ++fact)
    if (!in_group[fact]) {
      numbering.variables.push_back({fact});
      numbering.may_be_none.push_back(1);
    }
  const std::size_t size = numbering.variables.size();
  // All states as rows of options, in lexicographic order.
  std::vector<std::vector<int>> rows;
  std::vector<int> row(size);
  FactSet state(task.words);
  const std::function<void(std::size_t, int)> fill = [&](std::size_t at, int left) {
    if (count >= 0 && left > static_cast<int>(size - std::max(at, first_alone))) return;
    if (at == size) {
      rows.push_back(row);
      result.states.push_back(state);
      return;
    }
    const Facts& facts = numbering.variables[at];
    const int none = numbering.may_be_none[at];
    for (int option = 0; option < static_cast<int>(facts.size()) + none; ++option) {
      row[at] = option;
      if (none && option == 0) {
        fill(at + 1, left);
        continue;
      }
      const FactId fact = facts[option - none];
      bool is_free = !(none && count >= 0 && left == 0);
      for (const Facts& cell : task.at_most_one)
        if (std::find(cell.begin(), cell.end(), fact) != cell.end())
          for (FactId other : cell) is_free = is_free && !has(state.data(), other);
      if (!is_free) continue;
      add(state.data(), fact);
      fill(at + 1, left - none);
      remove(state.data(), fact);
    }
  };
  fill(0, count);
  numbering.size = rows.size();
  // The tree, level by level: a node is a range of rows with a common prefix.
  std::vector<std::pair<std::size_t, std::size_t>> nodes{{0, rows.size()}};
  for (std::size_t first = 0; first < size; first += step_size) {
    const std::size_t end = std::min(size, first + step_size);
    int bits = 0;
    for (std::size_t i = first; i < end; ++i) bits += option_bits(numbering, i);
    const std::size_t begin = result.entries.size();
    result.entries.resize(begin + (nodes.size() << bits), ~Word{0});
    numbering.steps.push_back(static_cast<int>(end - first));
    numbering.nodes.push_back(static_cast<std::uint32_t>(nodes.size()));
    std::vector<std::pair<std::size_t, std::size_t>> below;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      const auto same = [&](std::size_t a, std::size_t b) {
        return std::equal(rows[a].begin() + first, rows[a].begin() + end, rows[b].begin() + first);
      };
      for (std::size_t i = nodes[node].first, j; i < nodes[node].second; i = j) {
        for (j = i + 1; j < nodes[node].second && same(i, j);) ++j;
        std::size_t code = 0;
        int shift = 0;
        for (std::size_t k = first; k < end; ++k) {
          code |= static_cast<std::size_t>(rows[i][k]) << shift;
          shift += option_bits(numbering, k);
        }
        const std::size_t child = end == size ? 0 : below.size();
        result.entries[begin + (node << bits) + code] = (i - nodes[node].first) << 24 | child;
        below.emplace_back(i, j);
      }
    }
    nodes = std::move(below);
  }
  numbering.entries = result.entries.data();
  numbering.num_entries = result.entries.size();
  return result;
}

inline IndexOutcome search_index(const Task& task, const Numbered& numbered,
                                 const IndexOptions& options) {
  return fewest::search_index(task.problem(), task.costs(), numbered.numbering, numbered.numbering, options);
}

}  // namespace tasks
