// The projection of a problem onto the pieces of one pattern and the gap (patterns.hpp).
//
// An abstract state consists of a placement of the pieces and a set of cells where the gap may be. The moves of other
// pieces carry the gap through the cells that the placement leaves open, at no cost, so all open cells that are
// connected in this way are recorded together.
// Usage:
//   PatternProjection<2> projection(pieces, gap, groups, costs, stop_check, table);
//   BucketQueue<PatternProjection<2>::AbstractState> queue;
//   backward_search(projection, queue);
//   projection.status();  // `running`, or the reason why the search stopped
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "informed/gap.hpp"
#include "informed/pieces.hpp"
#include "state/control.hpp"

namespace fewest {

struct PatternTable {
  static constexpr std::uint8_t kTooFar = 255;

  std::vector<std::uint8_t> distance;  // per code
  bool is_cut = false;                 // whether some distances of 255 or more are stored as kTooFar
};

// Numbers the placements of a pattern: the code of a placement is the sum of the terms of its spots. The spots of the
// pattern are numbered piece by piece.
struct PatternCodes {
  PatternCodes(const Pieces& pieces, const Gap& gap, const std::vector<int>& groups);

  std::vector<int> local;             // for each spot of the problem: its number in the pattern, or -1
  std::vector<int> first{0};          // per piece: the number of its first spot; at the end: the total number of spots
  std::vector<std::uint32_t> stride;  // per piece
  std::vector<std::uint32_t> term;    // per spot of the pattern
  std::vector<Word> covers;           // for each spot of the pattern: its cells
  std::uint32_t size = 1;             // number of codes
};

template <int L>
class PatternProjection {
 public:
  using StopCheck = std::function<Status()>;  // `running`, or a reason to stop
  struct AbstractState {
    std::uint32_t code;
    Word gap;  // cells; 1 if there is no gap
  };

  // `costs`: per move.
  PatternProjection(const Pieces& pieces, const Gap& gap, const std::vector<int>& groups,
                    const std::vector<std::uint32_t>& costs, const StopCheck& stop_check, PatternTable& table)
      : pieces_(pieces),
        gap_(gap),
        groups_(groups),
        codes_(pieces, gap, groups),
        stop_check_(stop_check),
        table_(table),
        into_(codes_.covers.size()),
        seen_(codes_.size, 0) {
    FEWEST_ASSERT(groups.size() <= 64, "a pattern has at most 64 pieces");
    table_.distance.assign(codes_.size, PatternTable::kTooFar);
    table_.is_cut = false;
    for (std::size_t i = 0; i < pieces.moves.size(); ++i)
      if (gap.steps[i].is_possible) add_move(pieces.moves[i], gap.steps[i], costs[i]);
  }

  Status status() const { return status_; }

  template <class Push>
  void goals(Push push) {
    for (const PieceCube& goal : pieces_.goals) {
      Word wanted = 0;
      for_each_fact(goal.true_spots.data(), pieces_.words(), [&](FactId spot) { wanted |= gap_.covers[spot]; });
      const Word gap = gap_.exists ? gap_.cells & ~wanted : 1;
      for (const auto& [code, cells] : placements_of(goal))
        if (const Word open = gap_.exists ? gap & ~cells : gap; open != 0) push(0, {code, open});
    }
  }

  template <class Push>
  bool expand(const AbstractState& state, unsigned cost, Push push) {
    const std::uint32_t code = state.code;
    const Word gap = state.gap & ~seen_[code];
    if (gap == 0) return true;
    if (++num_done_ % kPlacementsPerCheck == 0) status_ = stop_check_();
    if (status_ != Status::running) return false;
    Placement at;
    place(code, at);
    const Word open = open_cells(at);
    const Word region = gap_region(gap & open, open & ~seen_[code]);
    if (region == 0) return true;
    seen_[code] |= region;
    FEWEST_ASSERT(table_.distance[code] == PatternTable::kTooFar || table_.distance[code] <= cost,
                  "placements are reached in the order of their distance");
    table_.distance[code] = std::min(table_.distance[code], static_cast<std::uint8_t>(cost));
    for (std::size_t j = 0; j < groups_.size(); ++j)
      for (const Back& back : into_[at.spots[j]]) {
        if (!can_undo(back, at, region)) continue;
        const AbstractState before{code + back.code_change, back.gap_before != 0 ? back.gap_before : region};
        FEWEST_ASSERT(before.code < codes_.size, "a placement is one of the table");
        if ((before.gap & ~seen_[before.code]) == 0) continue;
        if (cost + back.cost < PatternTable::kTooFar)
          push(cost + back.cost, before);
        else
          table_.is_cut = true;
      }
    return true;
  }

  // If there is no gap, checks for up to 4,096 placements that no move decreases the distance by more than its cost.
  void check_consistency() const {
    for (std::uint32_t code = 0; code < codes_.size && !gap_.exists; code += codes_.size / 4096 + 1) {
      if (table_.distance[code] == PatternTable::kTooFar) continue;
      Placement at;
      place(code, at);
      for (std::size_t j = 0; j < groups_.size(); ++j)
        for (const Back& back : into_[at.spots[j]]) {
          if (!can_undo(back, at, 1)) continue;
          const unsigned through = table_.distance[code] + back.cost;
          FEWEST_ASSERT(table_.distance[code + back.code_change] <= through || through >= PatternTable::kTooFar,
                        "a move decreases the distance by at most its cost");
        }
    }
  }

 private:
  static constexpr std::uint64_t kPlacementsPerCheck = 1 << 12;

  struct Back {                 // an inverse move
    State<L> mask, value;       // the condition on the spots after the move
    std::uint32_t code_change;  // modulo 2^32
    std::uint32_t cost;
    Word gap_before, gap_after;
    Word uncovered;  // cells that its pieces vacate
  };
  struct Placement {
    State<L> all;    // spots of the pattern
    Word occupied;   // cells
    int spots[64];   // of each piece
  };

  static void set_bit(State<L>& s, int bit) { s.w[bit / 64] |= Word{1} << (bit % 64); }

  void add_move(const PieceMove& move, const Gap::Step& gap, std::uint32_t cost) {
    Back back{zero_state<L>(), zero_state<L>(), 0, cost, gap.from, gap.to, 0};
    int entered = -1;
    Word left = 0, taken = 0;
    for_each_fact(move.true_spots.data(), pieces_.words(), [&](FactId spot) {
      if (const int i = codes_.local[spot]; i >= 0) set_bit(back.mask, i), set_bit(back.value, i);
    });
    for_each_fact(move.false_spots.data(), pieces_.words(), [&](FactId spot) {
      if (const int i = codes_.local[spot]; i >= 0) set_bit(back.mask, i);
    });
    for (int spot : move.deleted) {
      const int i = codes_.local[spot];
      if (i < 0) continue;
      back.value.w[i / 64] ^= Word{1} << (i % 64);
      back.code_change += codes_.term[i];
      left |= codes_.covers[i];
    }
    for (int spot : move.added) {
      const int i = codes_.local[spot];
      if (i < 0) continue;
      set_bit(back.mask, i);
      set_bit(back.value, i);
      back.code_change -= codes_.term[i];
      taken |= codes_.covers[i];
      entered = i;
    }
    back.uncovered = left & ~taken;
    if (entered >= 0)
      into_[entered].push_back(back);
    else if (gap.to != 0)
      free_into_[std::countr_zero(gap.to)] |= gap.from;
  }

  // Returns the codes of all placements that the goal allows, each with the cells that the placement covers.
  std::vector<std::pair<std::uint32_t, Word>> placements_of(const PieceCube& goal) const {
    std::vector<std::pair<std::uint32_t, Word>> found{{0, 0}};
    for (int g : groups_) {
      const std::vector<int>& spots = pieces_.groups[g].spots;
      const bool is_named = std::any_of(spots.begin(), spots.end(),
                                        [&](int spot) { return has(goal.true_spots.data(), spot); });
      std::vector<std::pair<std::uint32_t, Word>> longer;
      for (const auto& [code, cells] : found)
        for (int spot : spots) {
          if (has(goal.false_spots.data(), spot)) continue;
          if (is_named && !has(goal.true_spots.data(), spot)) continue;
          if (cells & gap_.covers[spot]) continue;
          longer.emplace_back(code + codes_.term[codes_.local[spot]], cells | gap_.covers[spot]);
        }
      found = std::move(longer);
    }
    return found;
  }

  void place(std::uint32_t code, Placement& at) const {
    FEWEST_ASSERT(code < codes_.size, "a placement is one of the table");
    at.all = zero_state<L>();
    at.occupied = 0;
    for (std::size_t j = 0; j < groups_.size(); ++j) {
      const auto count = static_cast<std::uint32_t>(codes_.first[j + 1] - codes_.first[j]);
      at.spots[j] = codes_.first[j] + static_cast<int>(code / codes_.stride[j] % count);
      set_bit(at.all, at.spots[j]);
      at.occupied |= codes_.covers[at.spots[j]];
    }
  }

  Word open_cells(const Placement& at) const { return gap_.exists ? gap_.cells & ~at.occupied : 1; }

  // Returns the cells from which the gap can reach these cells at no cost, through open cells.
  Word gap_region(Word cells, Word open) const {
    Word region = cells;
    for (Word frontier = cells; frontier != 0;) {
      Word next = 0;
      for_each_bit(frontier, [&](int cell) { next |= free_into_[cell]; });
      frontier = next & open & ~region;
      region |= frontier;
    }
    return region;
  }

  // The order of the tests was chosen for speed.
  static bool can_undo(const Back& back, const Placement& at, Word region) {
    return in_cube(at.all, back.mask, back.value) && (back.gap_after == 0 || (back.gap_after & region) != 0) &&
           (back.uncovered & at.occupied) == 0;
  }

  const Pieces& pieces_;
  const Gap& gap_;
  const std::vector<int>& groups_;
  const PatternCodes codes_;
  const StopCheck& stop_check_;
  PatternTable& table_;
  std::vector<std::vector<Back>> into_;  // the moves to each spot of the pattern
  std::array<Word, 64> free_into_{};     // per cell: the cells from which the gap can come at no cost
  std::vector<Word> seen_;               // per code: the cells of the gap that have been recorded
  std::uint64_t num_done_ = 0;
  Status status_ = Status::running;
};

}  // namespace fewest
