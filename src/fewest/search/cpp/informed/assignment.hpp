// Computes a minimum-cost assignment of rows to columns, and updates its cost when one row changes.
//
// Problem: a lower bound needs the cheapest assignment of pieces to goal spots; a greedy assignment can cost more. A
// successor often differs from its parent in only one piece, so most of the work can be reused.
// Solution: shortest augmenting paths with potentials (Jonker and Volgenant, 1987). Suppose that the potentials are
// optimal for the parent state. If row i is replaced, the new optimum is the old optimum minus the potential of row i,
// plus the length of a shortest path from the new row to the column that becomes free. The update takes quadratic time
// and copies no data.
// Usage:
//   Assignment a; a.resize(n); a.row(i) = pointer to n distances; ...
//   a.solve();                       // kNever: there is no assignment
//   a.with_row(i, distances);        // the cost if row i is replaced; nothing is stored
//   a.prices();                      // per column; a distance minus its price is at least the row's share of the cost
#pragma once

#include <vector>

#include "informed/piece_distances.hpp"

namespace fewest {

inline constexpr int kNever = 1 << 28;

class Assignment {
 public:
  void resize(int size) {
    size_ = size;
    rows_.resize(size);
    row_price_.resize(size);
    column_price_.resize(size);
    row_at_.resize(size);
    column_of_.resize(size);
    distance_.resize(size);
    before_.resize(size);
    is_done_.resize(size);
    left_.resize(size);
  }
  const Distance*& row(int i) {
    FEWEST_ASSERT(i >= 0 && i < size_, "the row is one of the assignment");
    return rows_[i];
  }
  const std::vector<int>& prices() const { return column_price_; }

  int solve() {
    std::fill(column_price_.begin(), column_price_.end(), 0);
    std::fill(row_at_.begin(), row_at_.end(), -1);
    std::fill(column_of_.begin(), column_of_.end(), -1);
    cost_ = 0;
    for (int i = 0; i < size_; ++i) {
      int best = 0, least = kNever;
      for (int j = 0; j < size_; ++j)
        if (rows_[i][j] < least) least = rows_[i][j], best = j;
      if (least >= kFar) return cost_ = kNever;
      row_price_[i] = least;
      cost_ += least;
      if (row_at_[best] >= 0) continue;
      row_at_[best] = i;
      column_of_[i] = best;
    }
    for (int i = 0; i < size_; ++i) {
      if (column_of_[i] >= 0) continue;
      cost_ -= row_price_[i];
      const int length = search(rows_[i]);
      if (length >= kNever) return cost_ = kNever;
      cost_ += length;
      augment(i, length);
    }
    FEWEST_ASSERT(is_optimal(),
                  "no distance is less than the sum of its prices, and each assigned distance is equal to it");
    return cost_;
  }

  int with_row(int i, const Distance* distances) {
    FEWEST_ASSERT(cost_ < kNever && column_of_[i] >= 0, "an assignment is solved before a row changes");
    const int length = path_to(column_of_[i], distances);
    const int changed = length >= kNever ? kNever : cost_ - row_price_[i] + length;
    FEWEST_ASSERT_SAMPLED(changed == solved_with_row(i, distances),
                          "the cost with another row is that of a new assignment");
    return changed;
  }

 private:
  bool is_optimal() const {
    int sum = 0;
    for (int i = 0; i < size_; ++i) {
      sum += row_price_[i] + column_price_[i];
      if (column_of_[i] < 0 || row_at_[column_of_[i]] != i || column_price_[i] > 0) return false;
      for (int j = 0; j < size_; ++j) {
        const int left = rows_[i][j] - row_price_[i] - column_price_[j];
        if (rows_[i][j] != kFar && left < 0) return false;
        if (column_of_[i] == j && (rows_[i][j] == kFar || left != 0)) return false;
      }
    }
    return sum == cost_;
  }
  int solved_with_row(int i, const Distance* distances) const {
    Assignment other = *this;
    other.rows_[i] = distances;
    return other.solve();
  }

  // Returns the length of a shortest path from a new row to the column `wanted`. The search ends as soon as no other
  // column is nearer.
  int path_to(int wanted, const Distance* first) {
    int count = size_, least = kNever, at = -1;
    for (int j = 0; j < size_; ++j) {
      left_[j] = j;
      distance_[j] = first[j] == kFar ? kNever : first[j] - column_price_[j];
      if (distance_[j] < least) least = distance_[j], at = j;
    }
    while (least < kNever && distance_[wanted] > least) {
      const int i = row_at_[left_[at]];
      left_[at] = left_[--count];
      const Distance* row = rows_[i];
      const int base = least - row_price_[i];
      least = kNever;
      for (int k = 0; k < count; ++k) {
        const int j = left_[k];
        if (row[j] != kFar) distance_[j] = std::min(distance_[j], base + row[j] - column_price_[j]);
        if (distance_[j] < least) least = distance_[j], at = k;
      }
    }
    return least;
  }

  // Returns the length of a shortest path from a new row to a free column. The column is stored in end_.
  int search(const Distance* first) {
    for (int j = 0; j < size_; ++j) {
      distance_[j] = first[j] == kFar ? kNever : first[j] - column_price_[j];
      before_[j] = -1;
      is_done_[j] = 0;
    }
    while (true) {
      int nearest = -1, least = kNever;
      for (int j = 0; j < size_; ++j)
        if (!is_done_[j] && distance_[j] < least) least = distance_[j], nearest = j;
      if (nearest < 0) return kNever;
      if (row_at_[nearest] < 0) {
        end_ = nearest;
        return least;
      }
      is_done_[nearest] = 1;
      const int i = row_at_[nearest];
      const Distance* row = rows_[i];
      const int base = least - row_price_[i];
      for (int j = 0; j < size_; ++j) {
        if (is_done_[j] || row[j] == kFar) continue;
        const int through = base + row[j] - column_price_[j];
        if (through < distance_[j]) distance_[j] = through, before_[j] = nearest;
      }
    }
  }

  void augment(int i, int length) {
    for (int j = 0; j < size_; ++j) {
      if (!is_done_[j]) continue;
      row_price_[row_at_[j]] += length - distance_[j];
      column_price_[j] -= length - distance_[j];
    }
    row_price_[i] = length;
    for (int j = end_; j >= 0;) {
      const int from = before_[j];
      const int row = from < 0 ? i : row_at_[from];
      row_at_[j] = row;
      column_of_[row] = j;
      j = from;
    }
  }

  int size_ = 0, cost_ = 0, end_ = -1;
  std::vector<const Distance*> rows_;
  std::vector<int> row_price_, column_price_, row_at_, column_of_;
  // Data from the last search.
  std::vector<int> distance_, before_, left_;
  std::vector<char> is_done_;
};

}  // namespace fewest
