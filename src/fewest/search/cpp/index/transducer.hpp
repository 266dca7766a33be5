// Operators as an automaton that reads the codes of a state, step by step, and writes those of a successor.
//
// Problem: operators applied to states one by one cost a look at each state. But where an operator has
// done all that it does to the first steps of a diagram, what is left is the same for all states that
// go on from there, and most often it is nothing: then their successors stand in the same order, only
// elsewhere.
// Solution: a node of the automaton is a set of operators of which some steps have been read, each known
// by what it does to the others alone. An edge says for a code what may be written in its place, and
// which operators would go on. A node has `done` operators that change nothing any more.
// Cubes are operators that change nothing at all.
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
  // The node of a level that writes what it reads.
  std::uint32_t copier(int level) const { return copiers_[level]; }
  std::size_t bytes() const { return nodes_.size() * sizeof(Node) + edges_.size() * sizeof(Edge); }

 private:
  friend class TransducerMaker;

  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> copiers_;
};

enum class Reading { forward, backward };

// Nothing where it would be large, and for operators that are no cubes and flips.
std::optional<Transducer> operators_as_transducer(const Problem& problem, const Numbering& numbering,
                                                  Reading direction);
std::optional<Transducer> cubes_as_transducer(const Problem& problem, const Cubes& cubes,
                                              const Numbering& numbering);

}  // namespace fewest
