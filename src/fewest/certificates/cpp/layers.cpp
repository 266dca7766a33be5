#include "layers.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "numbers.hpp"

namespace fewest::checkers {

namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

// The numbers of a section, seven bits a byte.
class Reader {
 public:
  explicit Reader(const std::string& body) : body_(body) {}
  Number number(Number most) {
    Number value = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (at_ == body_.size()) throw Rejected("the section ends too early");
      const auto byte = static_cast<unsigned char>(body_[at_++]);
      if (shift > 119) throw Rejected("a number is longer than it may be");
      value |= Number{byte & 127u} << shift;
      if (byte >= 128) continue;
      if (value > most || (byte == 0 && shift > 0))
        throw Rejected("a number is larger than it may be, or not written as short as can be");
      return value;
    }
  }
  void end() const {
    if (at_ != body_.size()) throw Rejected("the section goes on behind its end");
  }

 private:
  const std::string& body_;
  std::size_t at_ = 0;
};

// The listed positions by state, by open addressing.
class Positions {
 public:
  explicit Positions(std::size_t words) : words_(words), slots_(1 << 10, kNowhere) {}
  std::uint32_t find(const Word* state) const { return slots_[slot(state)]; }
  std::uint32_t find_or_add(const Word* state) {
    std::size_t at = slot(state);
    if (slots_[at] != kNowhere) return slots_[at];
    if (size() + 1 >= kNowhere) throw GivenUp("memory");
    states_.insert(states_.end(), state, state + words_);
    const auto id = static_cast<std::uint32_t>(size() - 1);
    if (2 * size() > slots_.size()) {
      std::vector<std::uint32_t> wider(2 * slots_.size(), kNowhere);
      slots_.swap(wider);
      for (std::uint32_t i = 0; i < size(); ++i) slots_[slot(this->state(i))] = i;
    } else {
      slots_[at] = id;
    }
    return id;
  }
  const Word* state(std::uint32_t id) const { return states_.data() + id * words_; }
  std::size_t size() const { return states_.size() / words_; }
  std::uint64_t bytes() const { return states_.capacity() * 8 + slots_.size() * 4; }

 private:
  std::size_t slot(const Word* state) const {
    Word key = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      key = (key ^ state[w]) * 0x9E3779B97F4A7C15u;
      key ^= key >> 29;
    }
    std::size_t at = key & (slots_.size() - 1);
    while (slots_[at] != kNowhere &&
           std::memcmp(this->state(slots_[at]), state, words_ * 8) != 0)
      at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::size_t words_;
  std::vector<Word> states_;
  std::vector<std::uint32_t> slots_;
};

struct Node {
  std::uint32_t layer;
  std::uint32_t next;  // of the same position
  int runs[2] = {-1, -1};
  bool is_met = false;
};

class Checker {
 public:
  Checker(const LayersQuestion& question, double seconds, std::uint64_t memory)
      : question_(question), words_(question.task.words), parts_(question.parts.size()),
        watch_(seconds, memory), numbering_(question), positions_(words_),
        operators_(question.task.operators, words_), goals_(question.task.goals, words_),
        forbidden_(question.task.forbidden, words_), flip_(unpacked(question.task.flip, words_)),
        by_fact_(64 * words_ + 1) {
    for (std::size_t o = 0; o < operators_.size(); ++o) {
      const int fact = question.task.index_fact[o];
      by_fact_[fact < 0 ? 64 * words_ : fact].push_back(static_cast<int>(o));
    }
  }

  LayersCounts run(const std::string& body) {
    read(body);
    const auto initial = unpacked(question_.task.initial, words_);
    const int none[2] = {-1, -1};
    if (!meets(positions_.find(initial.data()), Cost(parts_, 0), none))
      throw Rejected("the start is not in the first layer");
    for (std::uint32_t id = 0; id < positions_.size(); ++id) expand(id);
    std::size_t lost = 0;
    for (const Node& node : nodes_) lost += !node.is_met;
    if (lost != 0)
      throw Rejected("no move leads to " + std::to_string(lost) + " of the listed nodes at their cost");
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
    for (const auto& table : question_.runs) has_runs = has_runs || !table.empty();
    for (std::uint32_t layer = 0; layer < question_.layers.size(); ++layer) {
      const auto& [cost, count] = question_.layers[layer];
      if (cost.size() != parts_ || (last != nullptr && cost <= *last))
        throw Rejected("its layers are not in order");
      if (question_.bound && cost >= *question_.bound)
        throw Rejected("a layer is not below the bound");
      last = &cost;
      ids.clear();
      Number number = 0;
      for (std::uint64_t i = 0; i < count; ++i) {
        number += reader.number(numbering_.size()) + (i > 0);
        if (number >= numbering_.size()) throw Rejected("there is no such position");
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
      const auto& table = question_.runs[part];
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
    if (goals_.any(state.data())) throw Rejected("a listed position is a goal");
    std::vector<Word> after(words_);
    const auto apply_all = [&](const std::vector<int>& operators) {
      for (const int o : operators) {
        if (!operators_.holds(o, state.data())) continue;
        for (std::size_t w = 0; w < words_; ++w) after[w] = state[w] ^ flip_[o * words_ + w];
        if (forbidden_.any(after.data())) continue;
        ++counts_.moves;
        follow(id, o, positions_.find(after.data()), potential(after.data()));
      }
    };
    apply_all(by_fact_.back());
    for (std::size_t w = 0; w < words_; ++w)
      for (Word left = state[w]; left != 0; left &= left - 1)
        apply_all(by_fact_[64 * w + std::countr_zero(left)]);
    spend(0);
  }

  // At least what a goal costs from a state; 0 if nothing is known.
  std::uint64_t potential(const Word* state) const {
    if (question_.potential.empty()) return 0;
    __int128 sum = 0;
    for (std::size_t w = 0; w < words_; ++w)
      for (Word left = state[w]; left != 0; left &= left - 1)
        sum += question_.potential[64 * w + std::countr_zero(left)];
    return static_cast<std::uint64_t>(std::clamp<__int128>(sum, 0, std::int64_t{1} << 62));
  }

  // An operator from all nodes of a position; `left`: at least what a goal costs from where it leads.
  void follow(std::uint32_t id, int o, std::uint32_t target, std::uint64_t left) {
    for (std::uint32_t n = first_[id]; n != kNowhere; n = nodes_[n].next) {
      Cost total = question_.layers[nodes_[n].layer].first;
      int runs[2] = {-1, -1};
      for (std::size_t p = 0; p < parts_; ++p) {
        const PartRows& part = question_.parts[p];
        const int run = nodes_[n].runs[p];
        const std::uint64_t weight = part.weight[o];
        if (weight == 0) {
          const int fact = run < 0 ? -1 : part.run_fact[run];
          const bool is_broken = fact >= 0 && flip_[o * words_ + fact / 64] >> fact % 64 & 1;
          runs[p] = is_broken ? -1 : run;
        } else {
          if (run < 0 || run != part.run_in[o]) total[p] += weight;
          runs[p] = part.run_out[o];
        }
      }
      if (question_.bound && total >= *question_.bound) continue;
      if (left > 0 && question_.bound && total[0] + left >= (*question_.bound)[0]) continue;
      if (!meets(target, total, runs))
        throw Rejected("a move leads to a position that no layer allows at its cost");
    }
  }

  // Whether the bound of these runs at a position is at most `total`; marks the node that is just that.
  bool meets(std::uint32_t id, const Cost& total, const int* runs) {
    if (id == kNowhere) return false;
    bool found = false;
    for (std::uint32_t n = first_[id]; n != kNowhere; n = nodes_[n].next) {
      Node& node = nodes_[n];
      const Cost& cost = question_.layers[node.layer].first;
      bool is_same = cost == total;
      Cost bound = cost;
      for (std::size_t p = 0; p < parts_; ++p) {
        if (runs[p] >= 0 && runs[p] != node.runs[p]) bound[p] += question_.parts[p].run_weight[runs[p]];
        is_same = is_same && runs[p] == node.runs[p];
      }
      found = found || bound <= total;
      node.is_met = node.is_met || is_same;
    }
    return found;
  }

  void spend(std::size_t more) {
    watch_.spend(positions_.bytes() + nodes_.capacity() * sizeof(Node) + (first_.capacity() + more) * 4);
  }

  const LayersQuestion& question_;
  std::size_t words_, parts_;
  Watch watch_;
  Numbering numbering_;
  Positions positions_;
  Cubes operators_, goals_, forbidden_;
  std::vector<Word> flip_;
  std::vector<std::vector<int>> by_fact_;
  std::vector<std::uint32_t> first_;
  std::vector<Node> nodes_;
  LayersCounts counts_;
};

}  // namespace

LayersCounts check_layers(const LayersQuestion& question, const std::string& body, double seconds,
                          std::uint64_t memory) {
  return Checker(question, seconds, memory).run(body);
}

}  // namespace fewest::checkers
