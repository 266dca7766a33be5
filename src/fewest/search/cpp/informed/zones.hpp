// Lower bounds from parts of a board: what pieces that are close together make each other pay.
//
// Problem: pieces that are each for themselves brought home (piece_bound.hpp) know nothing of each other, and there are too
// many places for tables of several pieces anywhere. What makes plans longer mostly happens in a narrow part of the board.
// Solution: *reduced costs*. Prices of goal spots, from a cheapest assignment at the start, give every piece a potential:
// the least over the goal spots of its distance less the price. By the sum of all potentials the plan is paid for but for
// its *detours*: a move costs what it costs, and the difference of its piece's potentials, which is never negative, and
// nothing for a piece on its cheapest way. A *zone* is a set of spots: its projection keeps which of them have pieces and
// where the agent is as far as these hinder him (a *node*: a place that some spot of the zone blocks, or a connected part of
// all others). Whatever happens outside is granted. A table has the least detours from each of its states to the goal, by a
// search backwards, or that there is no way.
// Zones may overlap: each takes of the cost of a move the most by which its own distance falls with it, and leaves the
// rest to the next (saturated cost partitioning: Seipp, Keller and Helmert, 2020). So potentials and detours of all
// zones add up to a lower bound, and it is consistent.
// Sound in every metric of one component; walks cost nothing within a zone.
// Usage:
//   Zones zones(prepared, start, most_spots, memory);
//   if (zones.apply() && zones.build(control) == Status::running && zones.exist()) bound.use(zones);
#pragma once

#include "informed/piece_distances.hpp"
#include "state/control.hpp"

namespace fewest {

class Zones {
 public:
  // `start`: where the search begins; worth is looked at from there. `most_spots` of a zone, `memory` bytes of all tables.
  Zones(const Pieces& pieces, const PieceDistances& distances, int num_components, const PieceCube& start, int most_spots,
        std::size_t memory);

  // Whether this task has zones: an agent among pieces that move one at a time, one goal, one cost.
  bool apply() const { return applies_; }
  // Chooses zones and fills their tables: `running`, or why that was stopped.
  Status build(Control& control);
  bool exist() const { return !zones_.empty(); }

  int num_zones() const { return static_cast<int>(zones_.size()); }
  std::size_t bytes() const;

  // For sums that are kept up to date. All potentials and `base` add up to what is paid without detours.
  static constexpr int kNoWay = 1 << 28;
  int base() const { return base_; }
  int potential(int spot, int place) const {
    const int group = distances_.group_of(spot);
    return group < 0 ? 0 : potentials_[group][distances_.row(spot, place)];
  }
  const std::vector<int>& zones_at(int spot) const { return zones_at_[spot]; }
  // The code of what is in a zone is the sum of the bits of its true spots.
  std::uint32_t bit(int zone, int spot) const { return bits_[static_cast<std::size_t>(zone) * num_spots_ + spot]; }
  int detours(int zone, std::uint32_t code, int place) const {
    const Zone& of = zones_[zone];
    const std::uint8_t least = of.table[static_cast<std::size_t>(code) * of.num_nodes + of.node_of[place]];
    return least == kLost ? kNoWay : least;
  }

 private:
  static constexpr std::uint8_t kLost = 255, kMostDetours = 254;
  static constexpr int kMostNodes = 64, kMostSpots = 24;  // of a zone

  struct Step {  // a move that changes what is in the zone
    std::uint32_t asked = 0, value = 0, flip = 0;
    int from = 0, to = 0;  // nodes
    int cost = 0;
    int move = 0;
  };
  struct Zone {
    std::vector<int> spots;
    std::vector<std::uint8_t> node_of;  // per place
    int num_nodes = 0;
    std::vector<Word> near;               // per node, itself included
    std::vector<std::uint32_t> blocked;   // per node: the spots that block it
    std::vector<Step> steps;
    std::vector<std::vector<int>> steps_to;  // per node
    std::vector<std::uint8_t> table;      // [code, node]
  };

  void find_potentials(const PieceCube& start);
  void find_links();
  std::vector<int> spots_around(int spot, int count) const;
  void grow(std::vector<int>& spots) const;
  bool lay_out(Zone& zone) const;
  void fill(Zone& zone) const;
  bool is_goal(const Zone& zone, std::uint32_t code) const;
  Word region(const Zone& zone, std::uint32_t code, int node) const;
  int worth(const Zone& zone) const;
  Zone zone_of(std::vector<int> spots) const;
  void take(Zone zone);

  const Pieces& pieces_;
  const PieceDistances& distances_;
  int num_spots_, num_places_, most_spots_;
  std::size_t memory_;
  bool applies_ = false;
  int base_ = 0, num_pieces_ = 0;
  PieceCube start_;
  std::vector<std::vector<int>> potentials_;  // [group][row]
  std::vector<int> left_;                     // per move: its reduced cost that no zone has taken; kNoWay: to a dead end
  std::vector<std::vector<int>> links_;       // per spot: those that a piece goes to or comes from
  std::vector<std::vector<int>> near_places_;
  std::vector<Zone> zones_;
  std::vector<std::vector<int>> zones_at_;  // per spot
  std::vector<std::uint32_t> bits_;         // [zone, spot]
};

}  // namespace fewest
