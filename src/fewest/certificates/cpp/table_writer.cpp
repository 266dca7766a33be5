#include "table_writer.hpp"

#include <array>

namespace fewest::checkers {

TableWriter::TableWriter(const LayersInput& input, double seconds, std::uint64_t memory)
    : input_(input), words_(input.task.words), operators_(input_.task),
      goals_(input_.task.goals, words_), watch_(seconds, memory, 1024), positions_(words_) {
  const auto initial = unpacked(input_.task.initial, words_);
  ahead_[Cost(input_.parts.size(), 0)].push_back({positions_.find_or_add(initial.data()), {-1, -1}});
  num_ahead_ = 1;
}

// Dijkstra's algorithm (1959) on nodes.
bool TableWriter::advance() {
  if (ahead_.empty()) {
    begins_.push_back(nodes_.size());
    return false;
  }
  const Cost cost = ahead_.begin()->first;
  FEWEST_ASSERT(layers_.empty() || layers_.back().first < cost, "layers are found in the order of their cost");
  begins_.push_back(nodes_.size());
  // Free moves append nodes to the same list, which grows during the loop.
  for (auto* items = &ahead_.begin()->second; !items->empty();) {
    const Item item = items->back();
    items->pop_back();
    --num_ahead_;
    list(item, cost);
  }
  ahead_.erase(ahead_.begin());
  if (nodes_.size() == begins_.back()) begins_.pop_back();
  else end_layer(cost);
  return true;
}

void TableWriter::list(const Item& item, const Cost& cost) {
  first_.resize(positions_.size(), kNowhere);
  if (is_known(item.position, cost, item.runs)) return;
  const std::vector<Word> state(positions_.state(item.position), positions_.state(item.position) + words_);
  if (goals_.any(state.data())) throw Rejected("a goal is reached below the bound");
  Node node{static_cast<std::uint32_t>(layers_.size()), first_[item.position]};
  node.runs[0] = item.runs[0];
  node.runs[1] = item.runs[1];
  if (nodes_.size() + 1 >= kNowhere) throw GivenUp("memory");
  first_[item.position] = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(node);
  where_.push_back(item.position);
  FEWEST_ASSERT(where_.size() == nodes_.size(), "each node has its position");
  operators_.for_each(state.data(), [&](std::uint32_t o, const Word* after) {
    Cost total = cost;
    Item next{0, {-1, -1}};
    step(input_, operators_, o, item.runs, total, next.runs);
    if (input_.bound && total >= *input_.bound) return;
    const std::uint64_t potential = potential_of(input_, after, words_);
    if (potential > 0 && input_.bound && total[0] + potential >= (*input_.bound)[0]) return;
    next.position = positions_.find_or_add(after);
    FEWEST_ASSERT(total >= cost, "no move leads back to a smaller cost");
    if (is_known(next.position, total, next.runs)) return;
    ahead_[total].push_back(next);
    ++num_ahead_;
  });
  spend();
}

// Whether the nodes of a position already imply the bound `cost` for a node with these runs.
bool TableWriter::is_known(std::uint32_t position, const Cost& cost, const int* runs) const {
  if (position >= first_.size()) return false;
  for (std::uint32_t n = first_[position]; n != kNowhere; n = nodes_[n].next) {
    const Node& node = nodes_[n];
    const Cost& at = node.layer < layers_.size() ? layers_[node.layer].first : ahead_.begin()->first;
    if (bound_by(input_, at, node.runs, runs) <= cost) return true;
  }
  return false;
}

void TableWriter::end_layer(const Cost& cost) {
  std::uint64_t count = 0;
  // Each position is counted once, at its first node in this layer: the node with a `next` outside this layer.
  for (std::size_t n = begins_.back(); n < nodes_.size(); ++n) {
    const std::uint32_t next = nodes_[n].next;
    count += next == kNowhere || nodes_[next].layer != layers_.size();
  }
  layers_.emplace_back(cost, count);
}

std::string TableWriter::facts() const {
  std::vector<Word> all(words_);
  for (std::uint32_t id = 0; id < first_.size(); ++id)
    for (std::size_t w = 0; w < words_; ++w) all[w] |= positions_.state(id)[w];
  std::string out;
  for (const Word word : all)
    for (int byte = 0; byte < 8; ++byte) out.push_back(static_cast<char>(word >> 8 * byte & 255));
  return out;
}

std::string TableWriter::encoded(const LayersInput& numbers, std::size_t layer) const {
  struct Row {
    Number number;
    std::array<int, 2> runs;
    bool operator<(const Row& other) const {
      return number != other.number ? number < other.number : runs < other.runs;
    }
  };
  const Numbering numbering(numbers);
  std::vector<Row> rows;
  for (std::size_t n = begins_[layer]; n < begins_[layer + 1]; ++n) {
    const Number number = numbering.number(positions_.state(where_[n]), words_);
    if (number == kMostNumbers) throw Rejected("a move leads to a position that has no number");
    rows.push_back({number, {nodes_[n].runs[0], nodes_[n].runs[1]}});
  }
  std::sort(rows.begin(), rows.end());
  if constexpr (kHasAssertions)
    for (std::size_t row = 1; row < rows.size(); ++row)
      FEWEST_ASSERT(rows[row - 1] < rows[row], "each node is in a layer once");
  std::string out;
  const auto put = [&](Number value) {
    for (; value > 127; value >>= 7) out.push_back(static_cast<char>((value & 127) | 128));
    out.push_back(static_cast<char>(value));
  };
  const auto end_of = [&](std::size_t begin) {
    std::size_t end = begin;
    while (end < rows.size() && rows[end].number == rows[begin].number) ++end;
    return end;
  };
  for (std::size_t at = 0; at < rows.size(); at = end_of(at))
    put(at == 0 ? rows[0].number : rows[at].number - rows[at - 1].number - 1);
  bool has_runs = false;
  for (const PartRows& part : input_.parts) has_runs = has_runs || !part.run_weight.empty();
  for (std::size_t at = 0, end = 0; has_runs && at < rows.size(); at = end) {
    end = end_of(at);
    put(end - at - 1);
    for (std::size_t row = at; row < end; ++row)
      for (std::size_t p = 0; p < input_.parts.size(); ++p)
        if (!input_.parts[p].run_weight.empty()) put(static_cast<Number>(rows[row].runs[p] + 1));
  }
  return out;
}

void TableWriter::spend() {
  watch_.spend(positions_.bytes() + nodes_.capacity() * sizeof(Node) + (first_.capacity() + where_.capacity()) * 4 +
               num_ahead_ * sizeof(Item) * 3 / 2);
}

}  // namespace fewest::checkers
