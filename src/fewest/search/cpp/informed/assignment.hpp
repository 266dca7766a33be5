// Minimum-cost assignment of rows to columns, and what it becomes when one row changes.
//
// Problem: a lower bound wants the cheapest way to give every piece a goal of its own; a greedy one can
// be too high. A successor differs from its parent in one piece.
// Solution: shortest augmenting paths with potentials (Jonker and Volgenant, 1987). With the optimal
// potentials of the parent, the optimum with another row i is the old one without the potential of i,
// plus one shortest path from the new row to the column that i leaves: quadratic, and no copies.
// Usage:
//   Assignment a; a.resize(n); a.row(i) = pointer to n distances; ...
//   a.solve();                       // kNever: there is none
//   a.with_row(i, distances);        // the cost with that row instead; changes nothing
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
  }
  const Distance*& row(int i) { return rows_[i]; }

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
      const int length = search(rows_[i], -1);
      if (length >= kNever) return cost_ = kNever;
      cost_ += length;
      augment(i, length);
    }
    return cost_;
  }

  int with_row(int i, const Distance* distances) {
    const int length = search(distances, column_of_[i]);
    return length >= kNever ? kNever : cost_ - row_price_[i] + length;
  }

 private:
  // The length of a shortest path from a new row to column `wanted` (-1: any that is free), whose
  // last column is left in end_.
  int search(const Distance* first, int wanted) {
    for (int j = 0; j < size_; ++j) {
      distance_[j] = first[j] == kFar ? kNever : first[j] - column_price_[j];
      before_[j] = -1;
      is_done_[j] = 0;
    }
    while (true) {
      // Among columns that are equally near one that ends the path comes first: many are.
      int nearest = -1, least = kNever;
      for (int j = 0; j < size_; ++j)
        if (!is_done_[j] && (distance_[j] < least || (distance_[j] == least && least < kNever && ends(j, wanted))))
          least = distance_[j], nearest = j;
      if (nearest < 0) return kNever;
      if (ends(nearest, wanted)) {
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

  bool ends(int j, int wanted) const { return wanted < 0 ? row_at_[j] < 0 : j == wanted; }

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
  // Of the last search.
  std::vector<int> distance_, before_;
  std::vector<char> is_done_;
};

}  // namespace fewest
