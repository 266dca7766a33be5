// Writes layers that LayerWriter does not support: for metrics that merge moves of different costs, for lexicographic
// pairs, and for node numbers of more than 63 bits. The soundness of certificates does not depend on this code, because
// the checkers check its output.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "table.hpp"

namespace fewest::checkers {

class TableWriter {
 public:
  // Uses the input's task, metric, bound and potential. `memory`: the limit in bytes.
  TableWriter(const LayersInput& input, double seconds, std::uint64_t memory);
  TableWriter(const TableWriter&) = delete;

  // Processes the nodes of the next cost, which usually form a layer. Returns false if there are no more nodes. If the
  // bound of a node follows from other nodes, the node is neither listed nor expanded. Throws GivenUp, or Rejected if a
  // position below the bound is a goal.
  bool advance();

  // `facts`: the facts that are true in at least one listed position. `layers`: the cost of each layer, and its number
  // of positions.
  std::string facts() const;
  const std::vector<std::pair<Cost, std::uint64_t>>& layers() const { return layers_; }
  int words() const { return input_.task.words; }

  // The encoding of a layer for a section, with the numbers of positions that `numbers` defines; must be called after
  // the last layer. Throws Rejected if a position has no number.
  std::string encoded(const LayersInput& numbers, std::size_t layer) const;

 private:
  struct Item {
    std::uint32_t position;
    int runs[2];
  };

  bool is_known(std::uint32_t position, const Cost& cost, const int* runs) const;
  void list(const Item& item, const Cost& cost);
  void end_layer(const Cost& cost);
  void spend();

  const LayersInput input_;
  std::size_t words_;
  Operators operators_;
  Cubes goals_;
  Watch watch_;
  Positions positions_;
  std::vector<std::uint32_t> first_;    // the first node of each position
  std::vector<Node> nodes_;             // all nodes, in the order of the layers
  std::vector<std::uint32_t> where_;    // the position of each node
  std::vector<std::size_t> begins_;     // the first node of each layer
  std::vector<std::pair<Cost, std::uint64_t>> layers_;
  std::map<Cost, std::vector<Item>> ahead_;
  std::uint64_t num_ahead_ = 0;
};

}  // namespace fewest::checkers
