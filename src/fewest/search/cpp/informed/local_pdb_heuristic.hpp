// The lower bound that local PDBs (local_pdbs.hpp) give for a state and its successors. For a successor, only the local
// PDBs that the move changes are looked up again.
//
// Usage:
//   bound.set(spots, place);           // for a state; LocalPdbs::kUnreachable: the state is dead
//   bound.after(deleted, added, to);   // for its successor by a move of one piece
#pragma once

#include "informed/local_pdbs.hpp"

namespace fewest {

class LocalPdbHeuristic {
 public:
  explicit LocalPdbHeuristic(const LocalPdbs& local_pdbs) : local_pdbs_(&local_pdbs), codes_(local_pdbs.num_local_pdbs()), detours_(local_pdbs.num_local_pdbs()) {}

  int set(const std::vector<int>& spots, int place) {
    place_ = place;
    std::fill(codes_.begin(), codes_.end(), 0);
    sum_ = local_pdbs_->base();
    for (int spot : spots) {
      sum_ = plus(sum_, local_pdbs_->potential(spot, place));
      for (int local_pdb : local_pdbs_->local_pdbs_at(spot)) {
        FEWEST_ASSERT(local_pdbs_->bit(local_pdb, spot) != 0 && (codes_[local_pdb] & local_pdbs_->bit(local_pdb, spot)) == 0,
                      "each spot of a local PDB has its own bit");
        codes_[local_pdb] |= local_pdbs_->bit(local_pdb, spot);
      }
    }
    for (int local_pdb = 0; local_pdb < local_pdbs_->num_local_pdbs(); ++local_pdb) {
      detours_[local_pdb] = local_pdbs_->detours(local_pdb, codes_[local_pdb], place);
      FEWEST_ASSERT(detours_[local_pdb] >= 0, "no detour is negative");
      sum_ = plus(sum_, detours_[local_pdb]);
    }
    return sum_;
  }

  // If a local PDB contains neither `deleted` nor `added`, its value does not change: in its projection, the move only
  // takes the agent to a place that it could also reach by a walk.
  int after(int deleted, int added, int place) const {
    if (sum_ >= LocalPdbs::kUnreachable) return LocalPdbs::kUnreachable;
    int sum = plus(sum_ - local_pdbs_->potential(deleted, place_), local_pdbs_->potential(added, place));
    const auto change = [&](int local_pdb) {
      FEWEST_ASSERT((codes_[local_pdb] & local_pdbs_->bit(local_pdb, deleted)) == local_pdbs_->bit(local_pdb, deleted) &&
                        (codes_[local_pdb] & local_pdbs_->bit(local_pdb, added)) == 0,
                    "the spot that a piece leaves is true, and the spot that it enters is false");
      const Word code = codes_[local_pdb] ^ local_pdbs_->bit(local_pdb, deleted) ^ local_pdbs_->bit(local_pdb, added);
      sum = plus(sum, local_pdbs_->detours(local_pdb, code, place) - detours_[local_pdb]);
    };
    for (int local_pdb : local_pdbs_->local_pdbs_at(deleted)) change(local_pdb);
    for (int local_pdb : local_pdbs_->local_pdbs_at(added))
      if (local_pdbs_->bit(local_pdb, deleted) == 0) change(local_pdb);
    return sum;
  }

 private:
  static int plus(int sum, int more) { return sum >= LocalPdbs::kUnreachable || more >= LocalPdbs::kUnreachable / 2 ? LocalPdbs::kUnreachable : sum + more; }

  const LocalPdbs* local_pdbs_;
  std::vector<Word> codes_;  // per local PDB
  std::vector<int> detours_;
  int sum_ = 0, place_ = -1;
};

}  // namespace fewest
