#include "store/used_operators.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace fewest {

namespace {

constexpr int kMostMarks = 8;

// The facts that an operator deletes and adds, relative to the first fact that it deletes.
using Shape = std::vector<int>;

Shape shape_of(const std::vector<FactId>& taken, const std::vector<FactId>& brought) {
  const FactId origin = taken.empty() ? 0 : taken.front();
  Shape shape{static_cast<int>(taken.size())};
  for (FactId fact : taken) shape.push_back(fact - origin);
  for (FactId fact : brought) shape.push_back(fact - origin);
  return shape;
}

int used_bits(const Layout& layout) {
  Word used = 0;
  for (FactId fact = 0; fact < layout.num_facts(); ++fact) used |= layout.of(fact).mask;
  return std::bit_width(used);
}

}  // namespace

std::optional<Marks> find_marks(const Problem& problem, const Layout& layout) {
  if (layout.words() != 1) return std::nullopt;
  const int most = std::min(kMostMarks, 64 - used_bits(layout));
  std::map<Shape, int> colours;
  const auto colour_of = [&](const Shape& shape) {
    return colours.try_emplace(shape, static_cast<int>(colours.size())).first->second;
  };
  Marks marks;
  for (std::size_t op = 0; op < problem.operators.count; ++op) {
    const std::size_t at = op * problem.words;
    std::vector<FactId> taken, brought;
    for_each_fact(problem.flip + at, problem.words, [&](FactId fact) {
      (has(problem.operators.value + at, fact) ? taken : brought).push_back(fact);
    });
    const int own = colour_of(shape_of(taken, brought)), back = colour_of(shape_of(brought, taken));
    if (static_cast<int>(colours.size()) > most) return std::nullopt;
    marks.own.push_back(Word{1} << own);
    marks.undone_by.push_back(Word{1} << back);
  }
  marks.bits = static_cast<int>(colours.size());
  FEWEST_ASSERT(marks.bits <= most, "a state leaves room for all marks");
  FEWEST_ASSERT(marks.own.size() == problem.operators.count, "each operator has a colour");
  return marks;
}

bool has_parity(const Problem& problem) {
  // This code performs Gaussian elimination on the flips, each extended by a bit that is 1. The required set of facts
  // exists unless the elimination derives 0 = 1.
  const int words = problem.words + 1;
  std::vector<FactSet> rows;
  std::vector<int> pivots;
  for (std::size_t op = 0; op < problem.operators.count; ++op) {
    FactSet row(problem.flip + op * problem.words, problem.flip + (op + 1) * problem.words);
    row.push_back(1);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (has(row.data(), pivots[i]))
        for (int w = 0; w < words; ++w) row[w] ^= rows[i][w];
    int pivot = -1;
    for (int w = 0; w < problem.words && pivot < 0; ++w)
      if (row[w] != 0) pivot = w * 64 + std::countr_zero(row[w]);
    if (pivot >= 0) {
      rows.push_back(std::move(row));
      pivots.push_back(pivot);
    } else if (row.back() != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace fewest
