// Operators as an automaton that reads the codes of a state, step by step, and writes those of a successor.
//
// Problem: applying operators to states one by one takes time for each state. But where an operator has finished its
// changes to the first steps of a diagram, the rest is the same for all states that continue from there, and most
// often it is empty: then their successors are in the same order, only elsewhere.
// Solution: a node of the automaton is a set of operators of which some steps have been read; each is identified by
// its remaining effects. An edge gives, for a code, a possible output and the operators that continue. A node has
// `done` operators that change nothing any more. Cubes are operators that change nothing at all.
// Usage:
//   if (const auto moves = operators_as_transducer(problem, numbering, Direction::forward)) ...
//   for (const auto& edge : moves->edges(Transducer::kRoot)) ...
#pragma once

#include <optional>
#include <span>

#include "index/numbering.hpp"
#include "state/problem.hpp"

namespace fewest {

class Transducer {
 public:
  static constexpr std::uint32_t kRoot = 0;

  struct Edge {
    std::uint32_t from, to;  // codes
    std::uint32_t next;      // node
  };
  struct Node {
    int level;
    std::uint32_t done;  // operators
    std::size_t first, end;  // edges
  };

  const Node& node(std::uint32_t i) const {
    FEWEST_ASSERT(i < nodes_.size(), "the number is that of a node");
    return nodes_[i];
  }
  std::span<const Edge> edges(std::uint32_t i) const {
    FEWEST_ASSERT(i < nodes_.size() && nodes_[i].first <= nodes_[i].end && nodes_[i].end <= edges_.size(),
                  "the edges of a node are a range");
    return {edges_.data() + nodes_[i].first, nodes_[i].end - nodes_[i].first};
  }
  // The node of a level that copies its input.
  std::uint32_t copier(int level) const { return copiers_[level]; }
  std::size_t bytes() const { return nodes_.size() * sizeof(Node) + edges_.size() * sizeof(Edge); }

 private:
  friend class TransducerMaker;

  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> copiers_;
};

enum class Reading { forward, backward };

// nullopt if it would be large, and for operators that are not cubes and flips.
std::optional<Transducer> operators_as_transducer(const Problem& problem, const Numbering& numbering,
                                                  Reading direction);
std::optional<Transducer> cubes_as_transducer(const Problem& problem, const Cubes& cubes,
                                              const Numbering& numbering);

}  // namespace fewest
