// The task checker for large certificates. The checker processes either layers or the set of all reachable positions.
// The metric must have one part, and either no moves merge or all moves that are not free cost the same. Nodes are
// numbers (runs.hpp); memory contains delta-encoded lists of them.
//
// If all moves that are not free cost the same, only three layers are in memory. All targets of moves from a layer are
// sorted and compared with the next layer, this layer, and the previous layer. If moves are reversible, all targets are
// in these layers. Otherwise, targets in earlier layers are stored, and are looked up in a second pass over the file.
// If moves that are not free differ in cost, all layers are in memory, and the targets of moves are looked up in these
// layers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "delta_list.hpp"
#include "numbered_task.hpp"
#include "runs.hpp"
#include "inverse_moves.hpp"

namespace fewest::checkers {

class LayerSequence {
 public:
  // `input.layers` contains the layers that the head of the section lists. If there is no bound, there is one layer,
  // and the metric has no parts. `seed` selects a sample of the positions (`chosen`), a fraction of `share` / 2^32,
  // which the caller compares with the rules. Throws Rejected or GivenUp.
  LayerSequence(const LayersInput& input, double seconds, std::uint64_t memory, std::uint64_t share,
                std::uint64_t seed);
  LayerSequence(const LayerSequence&) = delete;

  // Processes the next bytes after the head. Throws Rejected or GivenUp.
  void feed(const char* data, std::size_t size);

  // Completes a pass; must be called after the last byte. Returns whether a further pass over the bytes is needed.
  // Throws Rejected or GivenUp.
  bool needs_another_pass();

  // This function must be called after the last pass. Throws Rejected.
  void finish() const;

  LayersCounts counts() const { return counts_; }
  const std::vector<std::uint64_t>& chosen() const { return chosen_; }

 private:
  struct Pending {
    std::uint64_t position, layer;
  };
  using Marks = std::vector<bool>;  // per node of a layer: whether some move leads to it at exactly its cost

  void check_costs() const;
  void take(std::uint64_t value);
  void take_position(std::uint64_t gap);
  void take_run(std::uint64_t value);
  void end_layer();
  void check_start();
  template <class Visit>
  void for_each_move(const Ascending& nodes, const Trails& trails, Visit&& visit);
  void expand();
  void compare_targets(Sorter& targets, const Ascending& layer, Marks& is_reached,
                       std::vector<const Ascending*> before, Trails* trails);
  void check_closed();
  void check_stored();
  void look_up(Sorter& targets, std::uint64_t total);
  void resolve();
  void spend(std::uint64_t more);

  const LayersInput input_;
  NumberedMoves moves_;
  Runs runs_;
  InverseMoves inverse_moves_;
  Cubes goals_;
  Watch watch_;
  std::uint64_t share_, seed_;
  std::uint64_t unit_;  // the common cost of all moves that are not free; 0 if they differ
  std::uint64_t start_ = kNoNumber;
  std::size_t layer_ = 0, num_expanded_ = 0;
  std::uint64_t value_ = 0, last_ = kNoNumber;
  unsigned shift_ = 0;
  Ascending listed_;  // the positions of a layer while its runs are being read
  std::unique_ptr<Cursor> position_;
  std::uint64_t num_runs_ = 0;  // the number of runs of the current position that remain to be read
  std::vector<std::uint64_t> of_position_;
  Ascending previous_, current_, next_;
  Marks is_current_reached_, is_next_reached_;
  Trails current_trails_, next_trails_;
  // The targets of free and of other moves: nodes with the moves that led to them, or positions if there is no bound.
  Sorter free_, targets_;
  std::vector<Ascending> layers_;  // all layers, if moves have different costs
  std::vector<Marks> is_reached_;
  std::vector<Pending> pending_;
  std::vector<bool> is_resolved_;
  bool is_second_ = false;
  LayersCounts counts_;
  std::vector<std::uint64_t> chosen_;
};

}  // namespace fewest::checkers
