#include "informed/piece_heuristic.hpp"

#include "informed/assignment.hpp"
#include "informed/local_pdb_heuristic.hpp"

namespace fewest {

namespace {

std::shared_ptr<const std::vector<PieceDistances>> tables_of(const Pieces& pieces, int num_components) {
  auto tables = std::make_shared<std::vector<PieceDistances>>();
  for (int c = 0; c < num_components; ++c) tables->emplace_back(pieces, num_components, c);
  return tables;
}

constexpr int kNeverSum = kNever / 64;  // stands for an infinite sum; small enough to be multiplied by any scale
int plus(int sum, int distance) {
  return distance == Patterns::kUnreachable ? kNeverSum : std::min(kNeverSum, sum + distance);
}
int scaled(int sum, int scale) { return sum >= kNeverSum ? kNever : sum * scale; }

// The greater bound, for metrics with one part.
PackedCost greater(PackedCost pieces, int local_pdbs) {
  if (local_pdbs >= LocalPdbs::kUnreachable) return kInfiniteCost;
  return local_pdbs <= 0 ? pieces : std::max(pieces, static_cast<PackedCost>(local_pdbs));
}

// The greater value in each part of the metric.
PackedCost greater_of_each(PackedCost one, PackedCost other, std::size_t num_components) {
  if (one == kInfiniteCost || other == kInfiniteCost) return kInfiniteCost;
  if (num_components == 1) return std::max(one, other);
  return std::max(one >> 32, other >> 32) << 32 | std::max(one & 0xffffffffu, other & 0xffffffffu);
}

PackedCost combine_patterns(const std::vector<int>& sums) {
  PackedCost packed = 0;
  for (int sum : sums) {
    if (sum >= kNeverSum) return kInfiniteCost;
    packed = packed << 32 | static_cast<PackedCost>(sum);
  }
  return packed;
}

}  // namespace

struct PieceHeuristic::Alternative {
  std::vector<Assignment> assignments;  // per group
  std::vector<int> costs;
  int total = 0;
  int apart = 0;  // the sum of the costs of the groups that may be added to the sum of the patterns
};
struct PieceHeuristic::Part {
  std::vector<Alternative> alternatives;
};

struct PieceHeuristic::UsedLocalPdbs {
  std::shared_ptr<const LocalPdbs> tables;
  LocalPdbHeuristic bound;
};

PieceHeuristic::PieceHeuristic(const Pieces& pieces, int num_components) : pieces_(pieces), tables_(tables_of(pieces, num_components)) {
  index_.assign(pieces.num_spots(), 0);
  for (const PieceDistances& table : *tables_) {
    Part part;
    for (const PieceDistances::Alternative& alternative : table.alternatives()) {
      part.alternatives.emplace_back();
      for (const PieceDistances::Group& group : alternative.groups) {
        part.alternatives.back().assignments.emplace_back();
        part.alternatives.back().assignments.back().resize(group.count);
        part.alternatives.back().costs.push_back(0);
      }
    }
    parts_.push_back(std::move(part));
  }
}

PieceHeuristic::PieceHeuristic(const PieceHeuristic& other) = default;
PieceHeuristic::~PieceHeuristic() = default;

void PieceHeuristic::use(const Patterns& patterns) {
  patterns_ = &patterns;
  codes_.assign(patterns.num_patterns(), 0);
  pattern_sums_.assign(tables_->size(), 0);
  // If the patterns contain all pieces, and there is one goal cube, single pieces add nothing.
  only_patterns_ = pieces_.goals.size() == 1;
  for (std::size_t g = 0; g < pieces_.groups.size(); ++g)
    only_patterns_ = only_patterns_ && patterns.covers(static_cast<int>(g));
}

void PieceHeuristic::use(std::shared_ptr<const LocalPdbs> local_pdbs) {
  const LocalPdbs& tables = *local_pdbs;
  local_pdbs_.clear();
  local_pdbs_.push_back({std::move(local_pdbs), LocalPdbHeuristic(tables)});
}

bool PieceHeuristic::has_local_pdbs() const { return !local_pdbs_.empty(); }

void PieceHeuristic::use(std::shared_ptr<const VariablePdbs> pdbs) {
  if (pdbs->empty()) return;
  variable_pdbs_ = std::move(pdbs);
  variables_.emplace(*variable_pdbs_);
  only_variables_ = variable_pdbs_->are_complete();
}

template <class Total>
PackedCost PieceHeuristic::combine(Total total_of) {
  PackedCost packed = 0;
  for (std::size_t c = 0; c < parts_.size(); ++c) {
    int least = kNever;
    for (std::size_t a = 0; a < parts_[c].alternatives.size(); ++a)
      least = std::min(least, total_of(parts_[c], parts_[c].alternatives[a], a));
    if (least >= kNever) return kInfiniteCost;
    const int scale = table(c).scale();
    packed = packed << 32 | static_cast<PackedCost>(scale == 1 ? least : (least + scale - 1) / scale);
  }
  return packed;
}

PackedCost PieceHeuristic::set(const std::vector<int>& spots, int place) {
  if (variables_) {
    const PackedCost bound = variables_->set(spots);
    return only_variables_ ? bound : greater_of_each(bound, set_pieces(spots, place), tables_->size());
  }
  int most = 0;
  for (UsedLocalPdbs& local_pdbs : local_pdbs_) most = std::max(most, local_pdbs.bound.set(spots, place));
  return greater(set_pieces(spots, place), most);
}

bool PieceHeuristic::knows(const PieceMove& move) const {
  return move.deleted.size() == 1 && move.added.size() == 1 &&
         table(0).group_of(move.deleted[0]) >= 0 &&
         table(0).group_of(move.deleted[0]) == table(0).group_of(move.added[0]);
}

PackedCost PieceHeuristic::after(int deleted, int added, int place) {
  int most = 0;
  for (const UsedLocalPdbs& local_pdbs : local_pdbs_) most = std::max(most, local_pdbs.bound.after(deleted, added, place));
  return greater(after_pieces(deleted, added, place), most);
}

PackedCost PieceHeuristic::set_pieces(const std::vector<int>& spots, int place) {
  if (patterns_ != nullptr) set_patterns(spots);
  if (only_patterns_) return combine_patterns(pattern_sums_);
  std::vector<int>& filled = filled_;
  filled.assign(pieces_.groups.size(), 0);
  for (int spot : spots) {
    const int g = table(0).group_of(spot);
    if (g >= 0) index_[spot] = filled[g]++;
    FEWEST_ASSERT(g < 0 || filled[g] <= pieces_.groups[g].count, "a group has as many pieces as at the start");
  }
  if constexpr (kHasAssertions)
    for (std::size_t g = 0; g < filled.size(); ++g)
      FEWEST_ASSERT(filled[g] == pieces_.groups[g].count, "a group has as many pieces as at the start");
  for (std::size_t c = 0; c < tables_->size(); ++c)
    for (std::size_t a = 0; a < parts_[c].alternatives.size(); ++a) {
      Alternative& state = parts_[c].alternatives[a];
      const auto& groups = table(c).alternatives()[a].groups;
      for (int spot : spots)
        if (const int g = table(c).group_of(spot); g >= 0)
          state.assignments[g].row(index_[spot]) =
              &groups[g].table[static_cast<std::size_t>(table(c).row(spot, place)) * groups[g].count];
      state.total = state.apart = 0;
      for (std::size_t g = 0; g < groups.size(); ++g) {
        state.costs[g] = state.assignments[g].solve();
        state.total = std::min(kNever, state.total + state.costs[g]);
        if (patterns_ != nullptr && patterns_->is_apart(static_cast<int>(g)))
          state.apart = std::min(kNever, state.apart + state.costs[g]);
      }
    }
  return combine([&](const Part& part, const Alternative& state, std::size_t) {
    if (patterns_ == nullptr) return state.total;
    const std::size_t c = static_cast<std::size_t>(&part - parts_.data());
    return std::max(state.total, state.apart + scaled(pattern_sums_[c], table(c).scale()));
  });
}

PackedCost PieceHeuristic::after_pieces(int deleted, int added, int place) {
  if (patterns_ != nullptr) find_sums_after(deleted, added);
  if (only_patterns_) return combine_patterns(sums_after_);
  const int g = table(0).group_of(deleted);
  FEWEST_ASSERT(g >= 0 && g == table(0).group_of(added), "a move of one piece stays within its group");
  const int i = index_[deleted];
  return combine([&](const Part& part, Alternative& state, std::size_t a) {
    const std::size_t c = static_cast<std::size_t>(&part - parts_.data());
    if (state.total >= kNever) return kNever;
    const auto& group = table(c).alternatives()[a].groups[g];
    const Distance* row =
        &group.table[static_cast<std::size_t>(table(c).row(added, place)) * group.count];
    const int change = state.assignments[g].with_row(i, row) - state.costs[g];
    if (patterns_ == nullptr) return state.total + change;
    const int apart = state.apart + (patterns_->is_apart(g) ? change : 0);
    return std::max(state.total + change, apart + scaled(sums_after_[c], table(c).scale()));
  });
}

void PieceHeuristic::set_patterns(const std::vector<int>& spots) {
  std::fill(codes_.begin(), codes_.end(), 0);
  for (int spot : spots)
    if (const int p = patterns_->pattern_of(spot); p >= 0) codes_[p] += patterns_->term(spot);
  for (std::size_t c = 0; c < tables_->size(); ++c) {
    pattern_sums_[c] = 0;
    for (int p = 0; p < patterns_->num_patterns(); ++p)
      pattern_sums_[c] = plus(pattern_sums_[c], patterns_->distance(static_cast<int>(c), p, codes_[p]));
  }
}

void PieceHeuristic::find_sums_after(int deleted, int added) {
  sums_after_ = pattern_sums_;
  const int p = patterns_->pattern_of(deleted);
  if (p < 0) return;
  const std::uint32_t code = codes_[p] - patterns_->term(deleted) + patterns_->term(added);
  for (std::size_t c = 0; c < tables_->size(); ++c) {
    if (pattern_sums_[c] >= kNeverSum) continue;
    sums_after_[c] = plus(pattern_sums_[c] - patterns_->distance(static_cast<int>(c), p, codes_[p]),
                          patterns_->distance(static_cast<int>(c), p, code));
  }
}

}  // namespace fewest
