// Represents operators as a finite transducer: an automaton that reads the codes of a state step by step and writes the
// codes of a successor.
//
// Problem: applying operators to single states takes time for each state. But once an operator has made its changes in
// the first steps of a diagram, its remaining changes are the same for all states with paths that continue from the
// same node of the diagram. Most often, no changes remain, and the number of the successor is the number of the state
// plus a constant.
// Solution: a node of the automaton is a set of operators after some steps; operators with the same remaining effects
// are merged. For an input code, an edge contains a possible output code and the node of the operators that continue.
// `done` counts those operators of a node that have no remaining effects. A cube is represented by an operator that
// changes nothing.
// Usage:
//   if (const auto moves = operators_as_transducer(problem, numbering, Reading::forward)) ...
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
    std::uint32_t from, to;  // the input code and the output code
    std::uint32_t next;      // the node after the edge
  };
  struct Node {
    int level;
    std::uint32_t done;  // the number of operators without remaining effects
    std::size_t first, end;  // the range of its edges
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
  // The node of this level that copies its input.
  std::uint32_t copier(int level) const { return copiers_[level]; }
  std::size_t bytes() const { return nodes_.size() * sizeof(Node) + edges_.size() * sizeof(Edge); }

 private:
  friend class TransducerMaker;

  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> copiers_;
};

enum class Reading { forward, backward };

// These functions return nullopt if the transducer would be too large, and throw std::invalid_argument if the numbering
// does not fit the problem. The first function also returns nullopt if the problem has permutations, conditional
// effects or forbidden states.
std::optional<Transducer> operators_as_transducer(const Problem& problem, const Numbering& numbering,
                                                  Reading direction);
std::optional<Transducer> cubes_as_transducer(const Problem& problem, const Cubes& cubes,
                                              const Numbering& numbering);

}  // namespace fewest
