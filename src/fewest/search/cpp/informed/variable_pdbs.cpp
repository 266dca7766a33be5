#include "informed/variable_pdbs.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "informed/variable_projection.hpp"

namespace fewest {

namespace {

constexpr std::size_t kMostCodes = std::size_t{1} << 20;        // the maximum number of codes per pattern
constexpr std::size_t kMostStates = std::size_t{1} << 17;       // the maximum number of states per pattern
constexpr std::size_t kMostTransitions = std::size_t{1} << 20;  // the maximum number of transitions per pattern
constexpr std::size_t kMostInAll = std::size_t{1} << 22;        // the maximum total number of transitions and codes
constexpr int kMostRounds = 10;                                 // the maximum number of rounds that adjust the shares
constexpr double kStep = 0.5;                                   // the first change, as a fraction of the cost
constexpr int kMostDistance = VariablePdbs::kUnreachable - 1;
constexpr std::size_t kMostShares = std::size_t{1} << 23;       // the maximum product of patterns and moves

// The shares of the costs of moves, in units of 1/kScale. Each pattern has a share in the cost of each move.
using Shares = std::vector<std::vector<int>>;

class Builder {
 public:
  Builder(const Pieces& pieces, int num_components) : pieces_(pieces), num_components_(num_components) {
    find_variables();
    find_needs();
    for (const std::vector<int>& pattern : patterns()) add(pattern);
  }

  const std::vector<VariableProjection>& projections() const { return projections_; }
  bool are_complete() const { return are_complete_; }

  // The distance of each code in each projection.
  std::vector<std::vector<std::uint16_t>> distances(int component) {
    divide(component);
    return saturate();
  }

 private:
  // Finds the variables: the groups of one piece, and the spots that do not belong to such a group.
  void find_variables() {
    variable_of_.assign(pieces_.num_spots(), -1);
    for (const PieceGroup& group : pieces_.groups) {
      if (group.count != 1) continue;
      for (int spot : group.spots) variable_of_[spot] = static_cast<int>(variables_.size());
      variables_.push_back({group.spots, false});
    }
    for (int spot = 0; spot < pieces_.num_spots(); ++spot) {
      if (variable_of_[spot] >= 0) continue;
      variable_of_[spot] = static_cast<int>(variables_.size());
      variables_.push_back({{spot}, true});
    }
  }

  std::vector<int> variables_in(const FactSet& one, const FactSet& other) const {
    std::set<int> found;
    for (const FactSet* facts : {&one, &other})
      for_each_fact(facts->data(), pieces_.words(), [&](FactId spot) { found.insert(variable_of_[spot]); });
    return {found.begin(), found.end()};
  }

  // Finds, for each move, the variables that it changes (`changed_`), and the variables that it changes or that its
  // precondition names (`needed_`).
  void find_needs() {
    for (const PieceMove& move : pieces_.moves) {
      std::set<int> changed;
      for (int spot : move.deleted) changed.insert(variable_of_[spot]);
      for (int spot : move.added) changed.insert(variable_of_[spot]);
      changed_.emplace_back(changed.begin(), changed.end());
      for (int variable : variables_in(move.true_spots, move.false_spots)) changed.insert(variable);
      needed_.emplace_back(changed.begin(), changed.end());
    }
  }

  // Returns the patterns. Each literal that all cubes of a list share is a condition on a single variable, which has
  // its own pattern. The other literals of the list together form one condition; the variables that they mention form
  // one pattern.
  std::vector<std::vector<int>> patterns() const {
    std::set<std::vector<int>> found;
    const auto add_list = [&](const std::vector<PieceCube>& list) {
      FactSet common_true = list[0].true_spots, common_false = list[0].false_spots;
      FactSet all(common_true.size(), 0);
      for (const PieceCube& cube : list)
        for (std::size_t i = 0; i < all.size(); ++i) {
          common_true[i] &= cube.true_spots[i];
          common_false[i] &= cube.false_spots[i];
          all[i] |= cube.true_spots[i] | cube.false_spots[i];
        }
      std::set<int> together, apart;
      for_each_fact(all.data(), pieces_.words(), [&](FactId spot) {
        const bool is_common = has(common_true.data(), spot) || has(common_false.data(), spot);
        (is_common ? apart : together).insert(variable_of_[spot]);
      });
      if (!together.empty()) found.insert(std::vector<int>(together.begin(), together.end()));
      for (int variable : apart)
        if (together.count(variable) == 0) found.insert({variable});
    };
    add_list(pieces_.goals);
    for (const std::vector<PieceCube>& list : pieces_.further_goals) add_list(list);
    return {found.begin(), found.end()};
  }

  // Adds a pattern and extends it with further variables as far as the limits allow. A variable is added if at least
  // half of the moves that change the pattern require or change the variable.
  void add(const std::vector<int>& pattern) {
    if ((projections_.size() + 1) * pieces_.moves.size() > kMostShares) {
      are_complete_ = false;
      return;
    }
    std::vector<int> chosen;
    std::size_t codes = 1;
    for (int variable : pattern) {
      if (codes * variables_[variable].num_values() > kMostCodes) continue;
      codes *= variables_[variable].num_values();
      chosen.push_back(variable);
    }
    are_complete_ = are_complete_ && chosen.size() == pattern.size();
    std::map<int, std::size_t> count;
    std::size_t num_moves = 0;
    for (std::size_t i = 0; i < changed_.size(); ++i) {
      if (!std::any_of(changed_[i].begin(), changed_[i].end(), [&](int v) { return contains(pattern, v); })) continue;
      ++num_moves;
      for (int variable : needed_[i]) ++count[variable];
    }
    std::vector<std::pair<std::size_t, int>> more;
    for (const auto& [variable, often] : count)
      if (2 * often >= num_moves && !contains(pattern, variable)) more.emplace_back(often, variable);
    std::sort(more.rbegin(), more.rend());
    std::vector<int> extended = chosen;
    for (const auto& [often, variable] : more) {
      if (codes * variables_[variable].num_values() > kMostCodes) continue;
      codes *= variables_[variable].num_values();
      extended.push_back(variable);
    }
    while (!extended.empty()) {
      if (make(extended)) return;
      if (extended.size() <= chosen.size()) are_complete_ = false;
      extended.pop_back();
    }
    are_complete_ = false;
  }

  static bool contains(const std::vector<int>& sorted, int variable) {
    return std::binary_search(sorted.begin(), sorted.end(), variable);
  }

  bool make(const std::vector<int>& chosen) {
    std::vector<PieceVariable> variables;
    for (int variable : chosen) variables.push_back(variables_[variable]);
    const std::size_t left = kMostInAll - std::min(kMostInAll, size_);
    std::optional<VariableProjection> made = VariableProjection::make(
        pieces_, std::move(variables),
        {std::min(kMostCodes, left), kMostStates, std::min(kMostTransitions, left)});
    if (!made) return false;
    size_ += made->num_codes() + made->num_transitions();
    projections_.push_back(std::move(*made));
    return true;
  }

  int cost_of(std::size_t move, int component) const {
    const PackedCost cost = pieces_.moves[move].cost;
    const PackedCost part = num_components_ == 1 ? cost : component == 0 ? cost >> 32 : cost & 0xffffffffu;
    return static_cast<int>(std::min<PackedCost>(part * VariablePdbs::kScale, kMostDistance));
  }

  // The cost of a row is the cost of its cheapest move.
  static std::vector<int> costs_of(const VariableProjection& projection, const std::vector<int>& shares) {
    std::vector<int> costs;
    for (std::size_t row = 0; row < projection.num_rows(); ++row) {
      int least = VariableProjection::kFar;
      for (int move : projection.moves_of(row)) least = std::min(least, shares[move]);
      costs.push_back(least);
    }
    return costs;
  }

  // Computes the distances of all projections for these shares. Returns the sum, over all projections, of the distance
  // of the start plus the mean distance of the states that can reach an abstract goal state.
  double measure(const Shares& shares) {
    double sum = 0;
    for (std::size_t p = 0; p < projections_.size(); ++p) {
      projections_[p].measure(costs_of(projections_[p], shares[p]));
      const int start = projections_[p].distances()[0];
      if (start != VariableProjection::kFar) sum += start;
      sum += projections_[p].mean_distance();
    }
    return sum;
  }

  // Finds the shares of the costs of all moves by subgradient ascent, and stores the best ones in `best_`. The more
  // often the cheapest abstract plans of a pattern need a move, the more the pattern's distances rise if the pattern
  // gets a larger share of the move's cost.
  void divide(int component) {
    const std::size_t num_moves = pieces_.moves.size();
    std::vector<std::vector<Part>> parts(num_moves);  // per move: the shares of the patterns that it changes
    for (std::size_t p = 0; p < projections_.size(); ++p)
      for (std::size_t row = 0; row < projections_[p].num_rows(); ++row)
        for (int move : projections_[p].moves_of(row)) parts[move].push_back({p, row, 0});
    for (std::size_t move = 0; move < num_moves; ++move)
      for (Part& part : parts[move])
        part.share = static_cast<double>(cost_of(move, component)) / static_cast<double>(parts[move].size());
    double most = -1;
    std::vector<std::vector<double>> usage;
    for (int round = 0; round < kMostRounds; ++round) {
      const Shares shares = rounded(parts, component);
      const double found = measure(shares);
      if (found > most) most = found, best_ = shares;
      double largest = 0;
      for (std::size_t p = 0; p < projections_.size(); ++p) {
        std::vector<double> now = projections_[p].usage();
        for (std::size_t row = 0; row < now.size() && round > 0; ++row) now[row] = (now[row] + usage[p][row]) / 2;
        for (double used : now) largest = std::max(largest, used);
        if (round > 0)
          usage[p] = std::move(now);
        else
          usage.push_back(std::move(now));
      }
      if (largest <= 0) return;
      for (std::size_t move = 0; move < num_moves; ++move) {
        if (parts[move].size() < 2) continue;
        double mean = 0;
        for (const Part& part : parts[move]) mean += usage[part.pattern][part.row];
        mean /= static_cast<double>(parts[move].size());
        const double step = kStep * cost_of(move, component) / (largest * (round + 1));
        for (Part& part : parts[move])
          part.share = std::max(0.0, part.share + step * (usage[part.pattern][part.row] - mean));
      }
    }
  }

  struct Part {
    std::size_t pattern, row;
    double share;
  };

  // Returns the shares as whole numbers. The shares of a move add up to the cost of the move.
  Shares rounded(std::vector<std::vector<Part>>& parts, int component) const {
    Shares shares(projections_.size(), std::vector<int>(parts.size(), 0));
    for (std::size_t move = 0; move < parts.size(); ++move) {
      const int cost = cost_of(move, component);
      double sum = 0;
      for (const Part& part : parts[move]) sum += part.share;
      int left = cost;
      for (Part& part : parts[move]) {
        if (sum > 0) part.share *= cost / sum;
        const int share = &part == &parts[move].back() ? left : std::min(left, static_cast<int>(part.share + 0.5));
        shares[part.pattern][move] = share;
        left -= share;
      }
    }
    return shares;
  }

  // Computes the tables. Each pattern uses the part of the costs that its distances need. The rest of the costs is left
  // to the next pattern.
  std::vector<std::vector<std::uint16_t>> saturate() {
    std::vector<std::vector<std::uint16_t>> tables;
    std::vector<int> surplus(pieces_.moves.size(), 0);
    for (std::size_t p = 0; p < projections_.size(); ++p) {
      VariableProjection& projection = projections_[p];
      std::vector<int> shares = best_[p];
      for (std::size_t move = 0; move < shares.size(); ++move) shares[move] += surplus[move];
      projection.measure(costs_of(projection, shares));
      const std::vector<int> needed = projection.needed_costs();
      for (std::size_t row = 0; row < projection.num_rows(); ++row)
        for (int move : projection.moves_of(row)) {
          FEWEST_ASSERT(needed[row] <= shares[move], "a pattern uses at most its share");
          surplus[move] = shares[move] - needed[row];
        }
      std::vector<std::uint16_t> table(projection.num_codes(), 0);
      for (std::size_t s = 0; s < projection.num_states(); ++s) {
        const int distance = projection.distances()[s];
        table[projection.code(s)] = static_cast<std::uint16_t>(
            distance == VariableProjection::kFar ? VariablePdbs::kUnreachable : std::min(distance, kMostDistance));
      }
      tables.push_back(std::move(table));
    }
    return tables;
  }

  const Pieces& pieces_;
  int num_components_;
  bool are_complete_ = true;
  std::size_t size_ = 0;
  std::vector<PieceVariable> variables_;
  std::vector<int> variable_of_;  // per spot
  std::vector<std::vector<int>> changed_, needed_;  // per move: variables
  std::vector<VariableProjection> projections_;
  Shares best_;
};

}  // namespace

VariablePdbs::VariablePdbs(const Pieces& pieces, int num_components) {
  if (pieces.has_agent() || pieces.further_goals.empty()) return;
  Builder builder(pieces, num_components);
  num_pdbs_ = static_cast<int>(builder.projections().size());
  are_complete_ = builder.are_complete();
  if (num_pdbs_ == 0) return;
  for (int c = 0; c < num_components; ++c) distances_.push_back(builder.distances(c));
  of_spot_.resize(pieces.num_spots());
  for (int p = 0; p < num_pdbs_; ++p) {
    const VariableProjection& projection = builder.projections()[p];
    for (std::size_t v = 0; v < projection.variables().size(); ++v) {
      const PieceVariable& variable = projection.variables()[v];
      for (std::size_t i = 0; i < variable.spots.size(); ++i) {
        const std::uint32_t value = variable.is_single ? 1 : static_cast<std::uint32_t>(i);
        if (value > 0) of_spot_[variable.spots[i]].push_back({p, projection.stride(v) * value});
      }
    }
  }
  for (const PieceMove& move : pieces.moves) {
    std::map<int, std::uint32_t> codes;
    for (int spot : move.deleted)
      for (const Change& change : of_spot_[spot]) codes[change.pdb] -= change.code;
    for (int spot : move.added)
      for (const Change& change : of_spot_[spot]) codes[change.pdb] += change.code;
    of_move_.emplace_back();
    for (const auto& [pdb, code] : codes)
      if (code != 0) of_move_.back().push_back({pdb, code});
  }
}

std::size_t VariablePdbs::num_entries() const {
  std::size_t sum = 0;
  if (!distances_.empty())
    for (const auto& table : distances_[0]) sum += table.size();
  return sum;
}

}  // namespace fewest
