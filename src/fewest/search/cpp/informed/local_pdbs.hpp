// Lower bounds from parts of a board. They account for the cost that arises when pieces block each other.
//
// Problem: the heuristic of single pieces (piece_heuristic.hpp) ignores how pieces interact, and tables of several
// pieces on the whole board would be too large. The interactions that make plans longer usually take place in a narrow
// part of the board.
// Solution: *reduced costs*. A cheapest assignment at the start gives prices of goal spots. With these prices, every
// piece has a potential: the least value, over the goal spots, of the distance of the piece minus the price. The sum of
// all prices and potentials accounts for the cost of a plan except its *detours*. The detour of a move is its cost,
// plus the potential of the moved piece after the move, minus the potential before it. A detour is never negative, and
// it is zero along a cheapest path of the piece. A *local PDB* is a set of spots. Its projection
// (local_pdb_projection.hpp) keeps the pieces on these spots, and distinguishes places of the agent as far as these
// spots separate them. Everything outside is relaxed. For each abstract state from which the goal is reachable, a table
// contains the least detours to the goal. Local PDBs may overlap, because they share the cost of each move. Each local
// PDB uses only the largest amount by which the move can decrease a distance in this PDB. The rest of the cost is left
// to the next local PDB (saturated cost partitioning: Seipp, Keller and Helmert, 2020). So the sum of the prices, the
// potentials and the detours of all local PDBs is a consistent lower bound. Selection: local PDBs are evaluated on
// states from a search that does not use them, because pieces often interact only after some moves. A local PDB grows
// until it has too many states. In a confined area, it can therefore contain many spots. The bound is sound in every
// metric with one part, for states that are reachable from the start. Within a local PDB, walks cost nothing.
// Usage:
//   LocalPdbs local_pdbs(pieces, distances, num_components, start, {.memory = memory});
//   if (local_pdbs.apply() && local_pdbs.build(control, samples) == Status::running && local_pdbs.exist()) bound.use(local_pdbs);
#pragma once

#include "informed/local_pdb_projection.hpp"
#include "state/control.hpp"

namespace fewest {

struct LocalPdbLimits {
  int spots = 56;  // the maximum number of spots per local PDB
  std::size_t states = 50000;  // the maximum number of states per local PDB
  std::size_t filled = std::size_t{1} << 23;  // no local PDB is added once all that were tried have this many states
  std::size_t memory = std::size_t{1} << 30;  // the limit in bytes on all tables
};

class LocalPdbs {
 public:
  // `start`: the initial state of the search.
  LocalPdbs(const Pieces& pieces, const PieceDistances& distances, int num_components, const PieceCube& start,
        const LocalPdbLimits& limits);

  // Whether this task supports local PDBs. In particular, the task must have an agent, pieces that move one at a time,
  // a single goal cube, and a metric with one part.
  bool apply() const { return applies_; }
  // Chooses local PDBs and fills their tables. Returns `running` on success, or the reason why the function stopped.
  // `samples`: states from a search. Local PDBs are evaluated on these states and on the start.
  Status build(Control& control, std::vector<PieceCube> samples);
  bool exist() const { return !local_pdbs_.empty(); }

  int num_local_pdbs() const { return static_cast<int>(local_pdbs_.size()); }
  std::size_t bytes() const;

  // Data for incrementally updated sums. The sum of all potentials and `base` is the cost without detours.
  static constexpr int kUnreachable = LocalPdbBoard::kUnreachable;
  int base() const { return base_; }
  int potential(int spot, int place) const {
    const int group = distances_.group_of(spot);
    return group < 0 ? 0 : potentials_[group][distances_.row(spot, place)];
  }
  const std::vector<int>& local_pdbs_at(int spot) const { return local_pdbs_at_[spot]; }
  // The contents of a local PDB are encoded as the sum of the bits of its true spots.
  Word bit(int local_pdb, int spot) const { return bits_[static_cast<std::size_t>(local_pdb) * num_spots_ + spot]; }
  int detours(int local_pdb, Word code, int place) const {
    FEWEST_ASSERT(place >= 0 && place < num_places_, "the agent is at one of its places");
    const int least = local_pdbs_[local_pdb].detours(code, place);
    return least == LocalPdbTable::kDead ? kUnreachable : least;
  }

 private:
  void find_potentials();
  void find_links();
  void find_reachable_spots();
  std::vector<int> spots_around(int spot, int count) const;
  std::vector<int> beside(const std::vector<int>& spots) const;
  std::optional<LocalPdbProjection> grown(std::vector<int> spots, std::size_t tried);
  std::optional<LocalPdbProjection> projection_to(std::vector<int> spots);
  int score(const LocalPdbProjection& local_pdb) const;
  void take(LocalPdbProjection local_pdb);

  const Pieces& pieces_;
  const PieceDistances& distances_;
  int num_spots_, num_places_;
  LocalPdbLimits limits_;
  bool applies_ = false;
  int base_ = 0;
  PieceCube start_;
  LocalPdbBoard board_;
  std::vector<PieceCube> samples_;  // the samples that no local PDB has proved dead
  std::size_t num_filled_ = 0;      // the total number of states in all local PDBs tried so far
  std::vector<std::vector<int>> potentials_;  // [group][row]
  std::vector<std::vector<int>> links_;       // for each spot: the spots from or to which a piece moves
  std::vector<LocalPdbProjection> local_pdbs_;
  std::vector<std::vector<int>> local_pdbs_at_;  // per spot
  std::vector<Word> bits_;         // [local_pdb, spot]
};

}  // namespace fewest
