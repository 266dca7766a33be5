// Graphs of numbered states: their connected components, and the distances of states.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "state/assert.hpp"
#include "state/bits.hpp"

namespace fewest {

// The connected components of the numbers 0 .. size - 1. The label of a component is its least member.
class Components {
 public:
  explicit Components(std::uint32_t size) : parents_(size) { std::iota(parents_.begin(), parents_.end(), 0u); }

  std::size_t size() const { return parents_.size(); }

  // Adds a link between sources[i] and targets[i] for each i. Throws std::invalid_argument if a number is out of range;
  // in that case, the links before the invalid one have been added.
  void link(const std::int32_t* sources, const std::int32_t* targets, std::size_t count) {
    std::int32_t source = -1;
    std::uint32_t source_root = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (source != sources[i]) source_root = root(checked(sources[i]));  // usually, several links share a source
      source = sources[i];
      source_root = join(source_root, root(checked(targets[i])));
    }
  }

  // Sets labels[i] to the least member of the component of i.
  void labels(std::int32_t* labels) {
    for (std::uint32_t number = 0; number < parents_.size(); ++number) {
      labels[number] = static_cast<std::int32_t>(root(number));
      FEWEST_ASSERT(labels[number] <= static_cast<std::int32_t>(number),
                    "the label of a component is its least member");
    }
  }

 private:
  std::uint32_t checked(std::int32_t number) const {
    if (number < 0 || static_cast<std::size_t>(number) >= parents_.size())
      throw std::invalid_argument("a link contains a number that is not in range(size)");
    return static_cast<std::uint32_t>(number);
  }

  // Returns the root of a number, and halves the path to the root.
  std::uint32_t root(std::uint32_t number) {
    while (parents_[number] != number) {
      FEWEST_ASSERT(parents_[number] < number, "a parent is less than its child, so there is no cycle");
      parents_[number] = parents_[parents_[number]];
      number = parents_[number];
    }
    return number;
  }

  // Joins the components of two roots, and returns the root of the result.
  std::uint32_t join(std::uint32_t one, std::uint32_t other) {
    if (one < other) parents_[other] = one;
    if (other < one) parents_[one] = other;
    return std::min(one, other);
  }

  std::vector<std::uint32_t> parents_;
};

// A graph with labelled edges. Node i has the edges first[i] .. first[i + 1] - 1; edge e leads to the node target[e]
// and has the label label[e].
struct LabelledGraph {
  std::size_t num_nodes, num_edges, num_labels;
  const std::int64_t* first;
  const std::int32_t* target;
  const std::int32_t* label;
};

// Throws std::invalid_argument if the offsets are wrong, or if the number of a target or label is out of range.
inline void check_graph(const LabelledGraph& graph) {
  bool is_right = graph.first[0] == 0 && graph.first[graph.num_nodes] == static_cast<std::int64_t>(graph.num_edges);
  for (std::size_t node = 0; node < graph.num_nodes; ++node) is_right &= graph.first[node] <= graph.first[node + 1];
  for (std::size_t edge = 0; edge < graph.num_edges; ++edge) {
    is_right &= static_cast<std::uint32_t>(graph.target[edge]) < graph.num_nodes;
    is_right &= static_cast<std::uint32_t>(graph.label[edge]) < graph.num_labels;
  }
  if (!is_right)
    throw std::invalid_argument(
        "the graph is invalid: the offsets are wrong, or the number of a target or label is out of range");
}

// Sets distance[i] to the least cost of a path to node i from a node with is_start, or to -1 if there is no path. An
// edge costs cost[label], which is 0 or 1; a cost of -1 excludes the edge. Throws std::overflow_error if a distance
// exceeds 32,766.
inline void measure_graph(const LabelledGraph& graph, const std::int8_t* cost, const bool* is_start,
                          std::int16_t* distance) {
  std::vector<std::int32_t> layer, next;
  for (std::size_t node = 0; node < graph.num_nodes; ++node) {
    distance[node] = is_start[node] ? 0 : -1;
    if (is_start[node]) layer.push_back(static_cast<std::int32_t>(node));
  }
  for (std::int16_t depth = 0; !layer.empty(); ++depth) {
    if (depth == std::numeric_limits<std::int16_t>::max()) throw std::overflow_error("a distance is too long");
    next.clear();
    for (std::size_t i = 0; i < layer.size(); ++i) {  // free edges append nodes to the layer
      const std::int32_t node = layer[i];
      if (distance[node] != depth) continue;  // a free edge has already reached the node from an earlier layer
      for (std::int64_t edge = graph.first[node]; edge < graph.first[node + 1]; ++edge) {
        const std::int8_t step = cost[graph.label[edge]];
        std::int16_t& known = distance[graph.target[edge]];
        if (step < 0 || (known >= 0 && known <= depth + step)) continue;
        known = static_cast<std::int16_t>(depth + step);
        (step == 0 ? layer : next).push_back(graph.target[edge]);
      }
    }
    layer.swap(next);
  }
}

}  // namespace fewest
