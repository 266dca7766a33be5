// Writes the layers of a certificate, using a few bytes per node. The metric must have one part, and either no
// moves merge or all moves that are not free cost the same. The writer also writes the set of all reachable positions.
// The soundness of certificates does not depend on this code, because the checkers check its output.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "delta_list.hpp"
#include "numbered_task.hpp"
#include "runs.hpp"
#include "inverse_moves.hpp"

namespace fewest::checkers {

class LayerWriter {
 public:
  // Uses the input's task, metric, groups, variables, bound and potential. If the input has no metric, every move
  // costs 1. `start`: the number of the start. `is_reversible`: every operator has an inverse.
  LayerWriter(const LayersInput& input, std::uint64_t start, bool is_reversible, double seconds,
             std::uint64_t memory);
  LayerWriter(const LayerWriter&) = delete;

  // Computes the next layer. Returns the number of positions in this layer, or 0 after the last layer. Throws GivenUp,
  // or Rejected if a position has no number.
  std::uint64_t advance();

  // The cost of this layer, and its encoding for a section. `encode` passes the encoding to `piece` in chunks.
  std::uint64_t cost() const { return cost_; }
  void encode(const std::function<void(const std::string&)>& piece) const;

  // After the last layer: the positions of all layers. Requires that `is_reversible` was false.
  const Ascending& all() const { return known_.front(); }

 private:
  struct Frontier {
    Ascending nodes;
    Trails trails;
  };

  void keep();
  Frontier fresh(Sorter& found);
  void add(Ascending nodes);
  void expand(const Frontier& frontier, Sorter& free);
  void spend(std::uint64_t bytes);
  bool are_shorter_and_shorter() const;

  const LayersInput input_;
  NumberedMoves moves_;
  Runs runs_;
  InverseMoves inverse_moves_;
  Watch watch_;
  std::vector<std::uint64_t> weights_;    // the distinct weights of the operators
  std::vector<std::uint32_t> weight_of_;  // For each operator: the index of its weight.
  // Whether moves are reversible and all moves that are not free cost the same. In this case, moves lead only to
  // positions in the two previous layers and to new positions.
  bool keeps_two_;
  std::vector<Ascending> known_;  // the positions of the two previous layers, or of all layers in a single list
  std::vector<Ascending> here_;   // the nodes of this layer: each round of free moves adds a list (`add`)
  Ascending positions_;           // the positions of the layer
  std::uint64_t cost_ = 0;
  std::map<std::uint64_t, Sorter> ahead_;  // for each cost: the nodes, with the moves that led to them
};

}  // namespace fewest::checkers
