// An expander for metrics that merge moves. A *run* is a merged move: the moves of one piece along a line or a path, or
// consecutive turns of one ring. A run costs one, regardless of how many operators it contains.
//
// Problem: the cost of an operator depends on the previous operator. So nodes would have to be pairs (state, token),
// and there would be several times as many nodes as states.
// Solution: any cheapest sequence can be divided into maximal runs. All ends of runs from a state s are computed
// together: the closure of (s, key) under the operators that continue `key`. The search may always assume that the
// first operator is paid. If this operator continued a run for free, it would belong to a run from an earlier state,
// and the search has expanded the closure of that state, too. So breadth-first search over states is exact.
// - For keys that are tied to a fact, runs start at the true facts of s; the operators of each such key are in one
//   list.
// - Each key that is not tied to a fact, such as the key of a ring, has its own generator.
// - An operator that continues no run is either a single move or the first operator of a run.
#pragma once

#include "state/compiler_attributes.hpp"
#include "state/costs.hpp"
#include "expand/redundant_runs.hpp"
#include "expand/expander.hpp"
#include "expand/generator.hpp"
#include "expand/blocking_masks.hpp"
#include "expand/closure_index.hpp"
#include "expand/literal.hpp"

namespace fewest {

template <int P>
class Runs final : public Expander<P, Plain<P>> {
 public:
  // The metric must have one part, in which all weights are equal and positive.
  FEWEST_COLD Runs(const Compiler& compiler, const CostTable& costs)
      : Expander<P, Plain<P>>(CubeList<P>(compiler, compiler.problem().goals)),
        compiler_(compiler),
        costs_(costs),
        run_fact_(costs.run_fact.at(0)),
        run_out_(live_run_out(compiler.problem(), costs)),
        starters_(compiler, Direction::forward,
                  [&](OperatorId op) { return costs.run_in[op] == kNoRun; }),
        scratch_(starters_.scratch()),
        keyed_(compiler),
        reader_(compiler),
        forbidden_(compiler, compiler.problem().forbidden),
        newest_(run_fact_.size()) {
    collect_tied();
    collect_untied();
    if constexpr (P == 1) collect_covered();
    has_starters_ = starters_.table().size() > 0;
  }
  FEWEST_COLD Runs(const Runs&) = default;
  FEWEST_COLD ~Runs() override = default;

  const char* algorithm() const override { return "bfs over runs"; }
  std::unique_ptr<Expander<P, Plain<P>>> copy() const override {
    return std::make_unique<Runs>(*this);
  }
  State<P> start(const State<P>& initial, Plain<P>&) override { return initial; }

  void expand(const State<P>& s, Successors<P, Plain<P>>& out) override {
    const std::size_t first = out.size();
    if constexpr (P == 1)
      if (this->covers()) {
        expand_by<true>(s, out);
        FEWEST_ASSERT_SAMPLED(literal::are_successors(compiler_, &costs_, s, out, first, out.redundant() != 0),
                              "the successors are those that one run reaches");
        return;
      }
    expand_by<false>(s, out);
    FEWEST_ASSERT_SAMPLED(literal::are_successors(compiler_, &costs_, s, out, first),
                          "the successors are those that one run reaches");
  }

  FEWEST_COLD std::vector<OperatorId> plan(const Layers<P>& layers, const State<P>& goal,
                               std::size_t layer) override;

 private:
  using Out = Successors<P, Plain<P>>;

  static constexpr std::size_t kManyNodes = 256;  // from this number on, a closure has an index
  static constexpr std::size_t kNodesPerCheck = 1024;

  struct Node {
    State<P> state;
    Word derived;
    RunKey key;
    std::int32_t older;  // the previous node with the same key in this closure
  };
  struct NewestNode {
    std::uint32_t closure = 0;
    std::int32_t node = -1;
  };
  struct KeyWithGenerator {
    RunKey key;
    Generator<P> generator;
    Scratch scratch;
  };
  struct Key {
    std::uint32_t begin = 0, end = 0;  // rows of keyed_ that continue the key
    std::int32_t untied = -1;          // the generator of an untied key
    bool is_sure = true;               // the fact is true after every operator that leaves the key
  };

  // Returns `run_out` of every operator, with kNoRun in place of each key that no operator continues.
  FEWEST_COLD static std::vector<RunKey> live_run_out(const Problem& problem, const CostTable& costs) {
    const std::vector<char> is_live = continued_keys(problem, costs, 0);
    std::vector<RunKey> result(costs.run_out, costs.run_out + problem.operators.count);
    for (RunKey& key : result)
      if (key != kNoRun && !is_live[key]) key = kNoRun;
    return result;
  }

  // Rows are ordered by fact and then by key, so the rows of each fact form one range, and so do the rows of each key.
  FEWEST_COLD void collect_tied() {
    const Problem& problem = compiler_.problem();
    const int words = problem.words;
    FEWEST_ASSERT(has_equal_weights(problem, costs_), "the metric has one part, and every operator costs the same");
    keys_.resize(run_fact_.size());
    rows_of_fact_.assign(problem.num_facts, {0, 0});
    std::vector<std::vector<OperatorId>> by_key(run_fact_.size());
    std::vector<std::uint32_t> lengths(run_fact_.size());
    for (std::size_t op = 0; op < problem.operators.count; ++op) {
      const RunKey key = costs_.run_in[op];
      if (key == kNoRun || run_fact_[key] == kNoFact) continue;
      by_key[key].push_back(static_cast<OperatorId>(op));
      ++lengths[key];
    }
    const std::uint32_t padded = keyed_.padded_length(lengths);
    std::vector<std::vector<RunKey>> keys_of_fact(problem.num_facts);
    for (std::size_t key = 0; key < by_key.size(); ++key)
      if (!by_key[key].empty()) keys_of_fact[run_fact_[key]].push_back(static_cast<RunKey>(key));
    for (FactId fact = 0; fact < problem.num_facts; ++fact) {
      const std::uint32_t begin_of_fact = keyed_.size();
      for (RunKey key : keys_of_fact[fact]) {
        const std::uint32_t begin = keyed_.size();
        for (OperatorId op : by_key[key]) {
          const std::size_t at = static_cast<std::size_t>(op) * words;
          keyed_.append(op, problem.operators.mask + at, problem.operators.value + at,
                        problem.flip + at, fact);
        }
        while (begin != keyed_.size() && keyed_.size() - begin < padded) keyed_.append_never();
        FEWEST_ASSERT(keys_[key].begin == 0 && keys_[key].end == 0, "a key has one range of rows");
        keys_[key].begin = begin;
        keys_[key].end = keyed_.size();
        keyed_in_.resize(keyed_.size(), key);
      }
      rows_of_fact_[fact] = {begin_of_fact, keyed_.size()};
      if (begin_of_fact != keyed_.size()) reader_.also_visit(compiler_.layout(), fact);
    }
    found_.resize(keyed_.size() + 1);
    first_.resize(keyed_.size() + 1);
    blocking_masks_ = BlockingMasks<P>(keyed_, rows_of_fact_, compiler_);
    for (std::uint32_t row = 0; row < keyed_.size(); ++row)
      keyed_out_.push_back(keyed_.id(row) < 0 ? kNoRun : run_out_[keyed_.id(row)]);
    for (FactId fact : run_fact_)
      places_.push_back(fact == kNoFact ? FactPlace{} : compiler_.layout().of(fact));
    // The rows of a tied key do not test the fact of the key, so the search must test this fact before it continues a
    // run. If `is_sure`, no test is necessary, because the fact is always true there.
    for (std::size_t op = 0; op < problem.operators.count; ++op) {
      const RunKey key = run_out_[op];
      if (key != kNoRun && run_fact_[key] != kNoFact && !leaves_true(op, run_fact_[key])) keys_[key].is_sure = false;
    }
  }

  bool leaves_true(std::size_t op, FactId fact) const {
    const Problem& problem = compiler_.problem();
    const std::size_t at = op * problem.words;
    return has(problem.operators.value + at, fact) != has(problem.flip + at, fact);
  }

  FEWEST_COLD void collect_untied() {
    for (std::size_t key = 0; key < run_fact_.size(); ++key) {
      if (run_fact_[key] != kNoFact) continue;
      Generator<P> generator(compiler_, Direction::forward, [&](OperatorId op) {
        return costs_.run_in[op] == static_cast<RunKey>(key);
      });
      if (generator.table().size() == 0) continue;
      keys_[key].untied = static_cast<std::int32_t>(untied_.size());
      Scratch scratch = generator.scratch();
      untied_.push_back({static_cast<RunKey>(key), std::move(generator), std::move(scratch)});
    }
  }

  FEWEST_COLD void collect_covered() {
    const Problem& problem = compiler_.problem();
    const std::vector<char> is_covered = covered_runs(problem, costs_);
    redundant_.resize(problem.operators.count);
    for (std::size_t op = 0; op < redundant_.size(); ++op) {
      const RunKey key = costs_.run_out[op];
      // If the fact may be false, the bit may belong to a different fact of the same field.
      if (key != kNoRun && is_covered[key] && leaves_true(op, run_fact_[key]))
        redundant_[op] = StateReader<P>::bit_of(places_[key]);
    }
    for (std::uint32_t row = 0; row < keyed_.size(); ++row)
      keyed_redundant_.push_back(keyed_.id(row) < 0 ? 0 : redundant_[keyed_.id(row)]);
    // If few keys are covered, recording redundant moves takes more time than it saves.
    if (2 * std::ranges::count(is_covered, 1) >= std::ssize(is_covered)) this->set_covers();
  }

  template <bool covering>
  FEWEST_INLINE void expand_by(const State<P>& s, Out& out) {
    switch (keyed_.kind()) {
      case TestKind::mask: return expand_by<TestKind::mask, covering>(s, out);
      case TestKind::derived: return expand_by<TestKind::derived, covering>(s, out);
      default: return expand_by<TestKind::both, covering>(s, out);
    }
  }

  template <TestKind kind, bool covering>
  void expand_by(const State<P>& s, Out& out) {
    const Word derived = kind != TestKind::mask ? reader_.derive(s) : Word{0};
    // The function first finds the first operators of all runs with tied keys together. Then it completes the runs, key
    // by key.
    unsigned count = 0;
    const auto test = [&](FactId fact) {
      const auto [begin, end] = rows_of_fact_[fact];
      count = keyed_.template applicable<kind>(begin, end, s, derived, first_.data(), count);
    };
    if (blocking_masks_.are_all())
      count = blocking_masks_.applicable(s, covering ? State<P>{{~out.redundant()}} : all_bits<P>(), first_.data());
    else if constexpr (covering)
      reader_.for_each_true_but(s, out.redundant(), test);
    else
      reader_.for_each_true(s, test);
    FEWEST_ASSERT(apply_from(s, derived, count), "the first steps found are operators that apply");
    for (unsigned i = 0; i < count;) {
      const RunKey key = keyed_in_[first_[i]];
      begin_closure(s, derived, key);
      for (; i < count && keyed_in_[first_[i]] == key; ++i) {
        const std::uint32_t row = first_[i];
        step<covering>(s, s, derived, keyed_.flip(row), keyed_.derived_flip(row), keyed_out_[row],
                       covering ? keyed_redundant_.data() + row : nullptr, out);
      }
      close<kind, covering>(s, 1, out);
    }
    for (const KeyWithGenerator& untied : untied_) {
      begin_closure(s, derived, untied.key);
      close<kind, covering>(s, 0, out);
    }
    if (!has_starters_) return;
    const auto& table = starters_.table();
    for (std::uint32_t row : starters_.applicable(s, scratch_)) {
      const State<P> successor = s ^ table.flip(row);
      if (!forbidden_.empty() && forbidden_.contain(successor)) continue;
      push<covering>(successor, covering ? redundant_.data() + table.id(row) : nullptr, out);
      const RunKey key = run_out_[table.id(row)];
      if (key == kNoRun) continue;
      begin_closure(successor, derived ^ table.derived_flip(row), key);
      close<kind, covering>(s, 0, out);
    }
  }

  bool apply_from(const State<P>& s, Word derived, unsigned count) const {
    return std::all_of(first_.begin(), first_.begin() + count, [&](std::uint32_t row) {
      const FactPlace& place = places_[keyed_in_[row]];
      return keyed_.applies(row, s, derived) && (s.w[place.word] & place.mask) == place.value;
    });
  }

  FEWEST_INLINE void begin_closure(const State<P>& first, Word derived, RunKey key) {
    if (++closure_ == 0) {  // the counter has overflowed: reset all marks
      std::fill(newest_.begin(), newest_.end(), NewestNode{});
      closure_ = 1;
    }
    num_nodes_ = 0;
    index_.clear();
    enter(first, derived, key);
  }

  // Pushes all states except `origin` that the run reaches from the node `from` and from all later nodes.
  template <TestKind kind, bool covering>
  void close(const State<P>& origin, std::size_t from, Out& out) {
    for (std::size_t i = from; i < num_nodes_; ++i) {
      if (i % kNodesPerCheck == kNodesPerCheck - 1) [[unlikely]]
        this->check_limit(num_nodes_ * sizeof(Node) + index_.bytes() + out.bytes());
      const Node node = nodes_[i];
      const Key& key = keys_[node.key];
      if (key.untied >= 0) {
        KeyWithGenerator& ring = untied_[key.untied];
        const auto& table = ring.generator.table();
        FEWEST_ASSERT(ring.key == node.key, "a key without a fact has its own generator");
        for (std::uint32_t row : ring.generator.applicable(node.state, ring.scratch))
          step<covering>(origin, node.state, node.derived, table.flip(row), table.derived_flip(row),
               run_out_[table.id(row)], covering ? redundant_.data() + table.id(row) : nullptr, out);
        continue;
      }
      if (!key.is_sure && !is_at_fact(node)) continue;
      FEWEST_ASSERT(is_at_fact(node), "the fact of a run is true in every state where the run continues");
      const unsigned count = keyed_.template applicable<kind>(key.begin, key.end, node.state,
                                                              node.derived, found_.data(), 0);
      for (unsigned j = 0; j < count; ++j) {
        const std::uint32_t row = found_[j];
        step<covering>(origin, node.state, node.derived, keyed_.flip(row), keyed_.derived_flip(row),
             keyed_out_[row], covering ? keyed_redundant_.data() + row : nullptr, out);
      }
    }
  }

  FEWEST_INLINE bool is_at_fact(const Node& node) const {
    const FactPlace& place = places_[node.key];
    return (node.state.w[place.word] & place.mask) == place.value;
  }

  template <bool covering>
  FEWEST_INLINE void step(const State<P>& origin, const State<P>& s, Word derived, const State<P>& flip,
            Word derived_flip, RunKey key, const Word* redundant_next, Out& out) {
    const State<P> successor = s ^ flip;
    if (!forbidden_.empty() && forbidden_.contain(successor)) return;
    if (key != kNoRun && !enter(successor, derived ^ derived_flip, key)) return;
    if (!(successor == origin)) push<covering>(successor, redundant_next, out);
  }

  template <bool covering>
  FEWEST_INLINE void push(const State<P>& successor, const Word* redundant_next, Out& out) {
    if constexpr (covering)
      out.push_covered(successor, *redundant_next);
    else
      out.push(successor, {});
  }

  // Adds a node to the closure. Returns false if the closure already contains (state, key).
  FEWEST_INLINE bool enter(const State<P>& s, Word derived, RunKey key) {
    FEWEST_ASSERT(key >= 0 && static_cast<std::size_t>(key) < newest_.size(), "the key is one of the metric");
    NewestNode& newest = newest_[key];
    std::int32_t older = -1;
    if (newest.closure == closure_) {
      older = newest.node;
      if (num_nodes_ >= kManyNodes) [[unlikely]] {
        if (index_.contains(nodes_, num_nodes_, s, key)) return false;
      } else {
        for (std::int32_t i = older; i >= 0; i = nodes_[i].older)
          if (nodes_[i].state == s) return false;
      }
    }
    newest = {closure_, static_cast<std::int32_t>(num_nodes_)};
    if (num_nodes_ == nodes_.size()) [[unlikely]] widen();
    nodes_[num_nodes_++] = {s, derived, key, older};
    return true;
  }

  FEWEST_COLD void widen() { nodes_.resize(2 * num_nodes_ + 64); }

  const Compiler& compiler_;
  const CostTable& costs_;
  const std::vector<FactId>& run_fact_;
  std::vector<RunKey> run_out_;
  Generator<P> starters_;
  Scratch scratch_;
  OperatorTable<P> keyed_;  // the operators that continue a tied key, ordered by fact and key
  StateReader<P> reader_;
  BlockingMasks<P> blocking_masks_;  // masks for the rows of keyed_
  CubeList<P> forbidden_;
  std::vector<Key> keys_;
  std::vector<RunKey> keyed_in_, keyed_out_;  // per row of keyed_: its run_in and its run_out
  std::vector<std::pair<std::uint32_t, std::uint32_t>> rows_of_fact_;
  std::vector<FactPlace> places_;  // per key: the place of its fact
  // For each operator, and for each row of keyed_: the bit of the fact at which no run needs to begin next, or 0.
  std::vector<Word> redundant_, keyed_redundant_;
  std::vector<KeyWithGenerator> untied_;
  bool has_starters_ = false;
  std::vector<std::uint32_t> first_, found_;
  // The current closure.
  std::vector<Node> nodes_;  // only the first num_nodes_ are in use
  std::size_t num_nodes_ = 0;
  ClosureIndex<P> index_;
  std::vector<NewestNode> newest_;
  std::uint32_t closure_ = 0;
};

// Finds a plan backwards from the goal, one run per layer. In each layer, the function undoes one operator and then,
// until it reaches a state of the previous layer, further operators. Each of these leaves the key that the previously
// undone operator continues.
template <int P>
std::vector<OperatorId> Runs<P>::plan(const Layers<P>& layers, const State<P>& goal,
                                      std::size_t layer) {
  struct UndoneOperator {
    State<P> state;
    RunKey key;  // the key that the undone operator continues
    OperatorId op;
    std::int32_t later;
  };
  const Generator<P> inverse(compiler_, Direction::backward);
  Scratch scratch = inverse.scratch();
  std::vector<OperatorId> reversed;
  State<P> s = goal;
  std::vector<UndoneOperator> undone;
  ClosureIndex<P> index;
  for (; layer > 0; --layer) {
    undone.assign(1, {s, kNoRun, -1, -1});
    index.clear();
    std::int32_t begin = -1;
    for (std::size_t i = 0; i < undone.size() && begin < 0; ++i) {
      const UndoneOperator node = undone[i];
      if (i > 0 && (node.key == kNoRun || forbidden_.contain(node.state))) continue;
      for (std::uint32_t row : inverse.applicable(node.state, scratch)) {
        const OperatorId op = inverse.table().id(row);
        if (i > 0 && !may_continue(costs_.run_out[op], node.key)) continue;
        const State<P> before = node.state ^ inverse.table().flip(row);
        const std::size_t before_layer = layers.of(before, layer);
        if (before_layer > layer) continue;  // the state is in a later layer or has not been reached
        const RunKey key = costs_.run_in[op];
        if (key != kNoRun && index.contains(undone, undone.size(), before, key)) continue;
        undone.push_back({before, key, op, static_cast<std::int32_t>(i)});
        if (before_layer == layer - 1) {
          begin = static_cast<std::int32_t>(undone.size() - 1);
          break;
        }
      }
    }
    FEWEST_ASSERT(begin >= 0, "a state was reached from a state of the previous layer");
    if (begin < 0) break;  // impossible: the state was reached from that layer
    s = undone[begin].state;
    std::vector<OperatorId> run;
    for (std::int32_t i = begin; i > 0; i = undone[i].later) run.push_back(undone[i].op);
    reversed.insert(reversed.end(), run.rbegin(), run.rend());
  }
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

}  // namespace fewest
