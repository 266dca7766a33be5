#include "layers.hpp"

#include <vector>

#include "operators.hpp"
#include "table.hpp"

namespace fewest::checkers {

namespace {

// Reads the numbers of a section. Each number is stored with seven bits per byte.
class Reader {
 public:
  explicit Reader(const std::string& body) : body_(body) {}
  Number number(Number most) {
    Number value = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (at_ == body_.size()) throw Rejected("the section ends too early");
      const auto byte = static_cast<unsigned char>(body_[at_++]);
      if (shift > 119) throw Rejected("a number is too long");
      value |= Number{byte & 127u} << shift;
      if (byte >= 128) continue;
      if (value > most || (byte == 0 && shift > 0))
        throw Rejected("a number is too large, or not in its shortest form");
      return value;
    }
  }
  void end() const {
    if (at_ != body_.size()) throw Rejected("the section continues after its end");
  }

 private:
  const std::string& body_;
  std::size_t at_ = 0;
};

class Checker {
 public:
  Checker(const LayersInput& input, double seconds, std::uint64_t memory)
      : input_(input), words_(input.task.words), parts_(input.parts.size()),
        watch_(seconds, memory, 1024), numbering_(input), positions_(words_),
        operators_(input.task), goals_(input.task.goals, words_) {}

  LayersCounts run(const std::string& body) {
    read(body);
    const auto initial = unpacked(input_.task.initial, words_);
    const int none[2] = {-1, -1};
    if (!meets(positions_.find(initial.data()), Cost(parts_, 0), none))
      throw Rejected("the start is not in the first layer");
    for (std::uint32_t id = 0; id < positions_.size(); ++id) expand(id);
    std::size_t missing = 0;
    for (const Node& node : nodes_) missing += !node.is_met;
    if (missing != 0)
      throw Rejected("no move leads to " + std::to_string(missing) + " of the listed nodes at their cost");
    counts_.positions = positions_.size();
    counts_.nodes = nodes_.size();
    return counts_;
  }

 private:
  void read(const std::string& body) {
    Reader reader(body);
    std::vector<std::uint32_t> ids;
    std::vector<Word> state(words_);
    const Cost* last = nullptr;
    bool has_runs = false;
    for (const auto& table : input_.runs) has_runs = has_runs || !table.empty();
    for (std::uint32_t layer = 0; layer < input_.layers.size(); ++layer) {
      const auto& [cost, count] = input_.layers[layer];
      if (cost.size() != parts_ || (last != nullptr && cost <= *last))
        throw Rejected("the layers are not in order");
      if (input_.bound && cost >= *input_.bound)
        throw Rejected("a layer is not below the bound");
      last = &cost;
      ids.clear();
      Number number = 0;
      for (std::uint64_t i = 0; i < count; ++i) {
        number += reader.number(numbering_.size()) + (i > 0);
        if (number >= numbering_.size()) throw Rejected("a listed position does not exist");
        numbering_.state(number, state.data(), words_);
        ids.push_back(positions_.find_or_add(state.data()));
        spend(ids.capacity());
      }
      first_.resize(positions_.size(), kNowhere);
      for (const std::uint32_t id : ids) {
        const auto more = has_runs ? static_cast<std::uint64_t>(reader.number(1u << 20)) : 0;
        for (std::uint64_t i = 0; i <= more; ++i) add(id, layer, reader);
      }
    }
    reader.end();
  }

  void add(std::uint32_t id, std::uint32_t layer, Reader& reader) {
    Node node{layer, first_[id]};
    for (std::size_t part = 0; part < parts_; ++part) {
      const auto& table = input_.runs[part];
      if (table.empty()) continue;
      const auto which = static_cast<std::size_t>(reader.number(table.size()));
      if (which > 0) node.runs[part] = table[which - 1];
    }
    if (nodes_.size() + 1 >= kNowhere) throw GivenUp("memory");
    first_[id] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(node);
    spend(0);
  }

  void expand(std::uint32_t id) {
    const std::vector<Word> state(positions_.state(id), positions_.state(id) + words_);
    FEWEST_ASSERT_SAMPLED(positions_.find(state.data()) == id, "a position is found where it was listed");
    if (goals_.any(state.data())) throw Rejected("a listed position is a goal");
    operators_.for_each(state.data(), [&](std::uint32_t o, const Word* after) {
      ++counts_.moves;
      follow(id, o, positions_.find(after), potential(after));
    });
    spend(0);
  }

  std::uint64_t potential(const Word* state) const { return potential_of(input_, state, words_); }

  // Applies an operator to every node of a position. `potential`: a lower bound on the cost from the target of the operator
  // to the goal.
  void follow(std::uint32_t id, std::uint32_t o, std::uint32_t target, std::uint64_t potential) {
    FEWEST_ASSERT(id < first_.size(), "each listed position has its nodes");
    for (std::uint32_t n = first_[id]; n != kNowhere; n = nodes_[n].next) {
      FEWEST_ASSERT(nodes_[n].next == kNowhere || nodes_[n].next < n, "nodes of a position lead back to earlier ones");
      Cost total = input_.layers[nodes_[n].layer].first;
      int runs[2] = {-1, -1};
      step(input_, operators_, o, nodes_[n].runs, total, runs);
      if (input_.bound && total >= *input_.bound) continue;
      if (potential > 0 && input_.bound && total[0] + potential >= (*input_.bound)[0]) continue;
      if (!meets(target, total, runs))
        throw Rejected("a move leads to a position that no layer allows at its cost");
    }
  }

  // Whether the bound of the node with these runs is at most `total`. Also marks the listed node with these runs if its
  // cost is exactly `total`.
  bool meets(std::uint32_t id, const Cost& total, const int* runs) {
    if (id == kNowhere) return false;
    bool found = false;
    for (std::uint32_t n = first_[id]; n != kNowhere; n = nodes_[n].next) {
      Node& node = nodes_[n];
      FEWEST_ASSERT(node.layer < input_.layers.size(), "a node is in one of the layers");
      const Cost& cost = input_.layers[node.layer].first;
      bool is_same = cost == total;
      for (std::size_t p = 0; p < parts_; ++p) is_same = is_same && runs[p] == node.runs[p];
      found = found || bound_by(input_, cost, node.runs, runs) <= total;
      node.is_met = node.is_met || is_same;
    }
    return found;
  }

  void spend(std::size_t more) {
    watch_.spend(positions_.bytes() + nodes_.capacity() * sizeof(Node) + (first_.capacity() + more) * 4);
  }

  const LayersInput& input_;
  std::size_t words_, parts_;
  Watch watch_;
  Numbering numbering_;
  Positions positions_;
  Operators operators_;
  Cubes goals_;
  std::vector<std::uint32_t> first_;
  std::vector<Node> nodes_;
  LayersCounts counts_;
};

}  // namespace

LayersCounts check_layers(const LayersInput& input, const std::string& body, double seconds,
                          std::uint64_t memory) {
  return Checker(input, seconds, memory).run(body);
}

}  // namespace fewest::checkers
