// Random rooms in which an agent pushes boxes.
#pragma once

#include <algorithm>
#include <random>

#include "informed/informed_search.hpp"
#include "tasks.hpp"

namespace tasks {

// A room with walls and boxes, with the facts of `warehouse`; the goal names the boxes' cells.
inline Task random_room(std::mt19937& random, std::int64_t walk, std::int64_t push, int most_boxes = 3) {
  const int rows = 4, columns = 5, cells = rows * columns;
  std::vector<int> order(cells);
  for (int i = 0; i < cells; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  const int num_walls = 2, num_boxes = 1 + static_cast<int>(random() % most_boxes);
  std::vector<char> is_wall(cells, 0);
  for (int i = 0; i < num_walls; ++i) is_wall[order[i]] = 1;
  Task task(2 * cells);
  const auto cell = [&](int r, int c) {
    const bool is_outside = r < 0 || c < 0 || r >= rows || c >= columns;
    return is_outside || is_wall[r * columns + c] ? -1 : r * columns + c;
  };
  for (int at = 0; at < cells; ++at)
    for (const auto& [dr, dc] : {std::pair{0, 1}, {1, 0}, {0, -1}, {-1, 0}}) {
      const int r = at / columns, c = at % columns;
      const int a = cell(r, c), b = cell(r + dr, c + dc), d = cell(r + 2 * dr, c + 2 * dc);
      if (a < 0 || b < 0) continue;
      task.op({a}, {b, cells + b}, {a, b}, walk);
      if (d >= 0)
        task.op({a, cells + b}, {b, cells + d}, {a, b, cells + b, cells + d}, push);
    }
  Facts agent;
  for (int a = 0; a < cells; ++a) {
    agent.push_back(a);
    task.at_most_one.push_back({a, cells + a});
  }
  task.exactly_one.push_back(agent);
  // Boxes start away from the edges, because most boxes at an edge are dead.
  std::stable_partition(order.begin() + num_walls, order.end(), [&](int at) {
    return at / columns % (rows - 1) > 0 && at % columns % (columns - 1) > 0;
  });
  Facts start{order.back()}, goal;
  for (int i = 0; i < num_boxes; ++i) start.push_back(cells + order[num_walls + i]);
  std::shuffle(order.begin() + num_walls, order.end(), random);
  for (int i = 0; i < num_boxes; ++i) goal.push_back(cells + order[num_walls + 1 + i]);
  if (random() % 3 == 0) goal.push_back(order[num_walls]);  // the agent must also return to its cell
  task.start(start);
  task.goal(goal);
  return task;
}

inline Hints hints_of(const Task& task) {
  const int cells = task.num_facts / 2;
  Hints hints;
  Facts boxes;
  for (int a = 0; a < cells; ++a) boxes.push_back(cells + a);
  hints.groups = {boxes};
  for (int f = 0; f < task.num_facts; ++f) hints.numbers.push_back(f % cells);
  return hints;
}

}  // namespace tasks
