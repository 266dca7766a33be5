// An expander for tasks in which free operators move a single agent (Sokoban, counting pushes): all states that the
// agent can reach at no cost share one entry, a *region*.
//
// Problem: a layer contains all states that free operators reach. If each place of the agent were stored, the number of
// states would be multiplied by the size of the region.
// Solution: a free operator exchanges two facts of one exactly-one group (the agent's *places*), and its inverse is
// free as well. So "reachable at no cost" is an equivalence relation. The stored state of a region has the agent at its
// smallest place; the *rest* is the state without the agent. Flood fills use lists of free edges per place; the tests
// of these edges read only the rest. Counts refer to states, so a region counts once for each of its places. With
// symmetry (symmetric.hpp explains why this is sound), the canonical region of an orbit has the least rest and, among
// regions with this rest, the least place. Therefore images are computed directly after a flood fill.
#pragma once

#include <optional>

#include "state/compiler_attributes.hpp"
#include "state/costs.hpp"
#include "expand/expander.hpp"
#include "expand/generator.hpp"
#include "expand/images.hpp"

namespace fewest {

template <int P>
class Regions final : public Expander<P, RegionSize> {
 public:
  FEWEST_COLD Regions(const Compiler& compiler, const CostTable& costs, int agent,
          const Symmetry* symmetry = nullptr)
      : compiler_(compiler),
        costs_(costs),
        facts_(compiler.invariants().exactly_one()[agent]),
        free_(compiler),
        paid_(compiler),
        reader_(compiler),
        forbidden_(compiler, compiler.problem().forbidden) {
    const Problem& problem = compiler.problem();
    place_of_.assign(problem.num_facts, -1);
    for (std::size_t i = 0; i < facts_.size(); ++i) {
      place_of_[facts_[i]] = static_cast<int>(i);
      const FactPlace& place = compiler.layout().of(facts_[i]);
      bits_.push_back(zero_state<P>());
      bits_.back().w[place.word] = place.value;
      for (int j = 0; j < P; ++j) agent_bits_.w[j] |= bits_.back().w[j];
    }
    FEWEST_ASSERT(std::is_sorted(facts_.begin(), facts_.end()), "the places of the agent are ascending");
    field_ = compiler.layout().of(facts_[0]);
    is_packed_ = !field_.is_raw;
    field_shift_ = is_packed_ && field_.mask != 0 ? std::countr_zero(field_.mask) : 0;
    collect_operators();
    collect_goals();
    mark_.assign(facts_.size(), 0);
    queue_.resize(facts_.size());
    successor_queue_.resize(facts_.size());
    if (symmetry == nullptr) return;
    orbits_.emplace(compiler, *symmetry);
    for (std::size_t g = 0; g < orbits_->images.order(); ++g)
      for (FactId fact : facts_) {
        place_images_.push_back(place_of_[orbits_->images.fact(g, fact)]);
        FEWEST_ASSERT(place_images_.back() >= 0, "a symmetry maps places of the agent to places of the agent");
      }
  }

  FEWEST_COLD Regions(const Regions&) = default;
  FEWEST_COLD ~Regions() override = default;

  const char* algorithm() const override { return "bfs over regions"; }
  std::unique_ptr<Expander<P, RegionSize>> copy() const override {
    return std::make_unique<Regions>(*this);
  }

  State<P> start(const State<P>& initial, RegionSize& extra) override {
    starts_ = {initial};
    if (orbits_) {
      const auto images = orbits_->images.of(initial);
      starts_.assign(images.begin(), images.end());
    }
    const int place = place_in(initial);
    const State<P> rest = initial ^ bits_[place];
    extra.places = flood(rest, derive(rest), place, queue_);
    return canonical(rest ^ bits_[smallest_]);
  }

  RegionSize extra_of(const State<P>& s) override {
    const int place = place_in(s);
    const State<P> rest = s ^ bits_[place];
    return {flood(rest, derive(rest), place, queue_)};
  }

  void expand(const State<P>& s, Successors<P, RegionSize>& out) override {
    const int stored = place_in(s);
    const State<P> rest = s ^ bits_[stored];
    const Word derived = derive(rest);
    const std::uint32_t size = flood(rest, derived, stored, queue_);
    FEWEST_ASSERT(smallest_ == stored, "a region is stored with the agent at its smallest place");
    for (std::uint32_t i = 0; i < size; ++i)
      for_each_paid(rest, derived, queue_[i], [&](std::uint32_t row, int to) {
        const State<P> next = rest ^ paid_.flip(row);
        if (!forbidden_.empty() && forbidden_.contain(next)) return;
        const std::uint32_t places =
            flood(next, derived ^ paid_.derived_flip(row), to, successor_queue_);
        out.push(canonical(next ^ bits_[smallest_]), {places});
      });
  }

  FEWEST_COLD std::vector<OperatorId> plan(const Layers<P>& layers, const State<P>& goal,
                                           std::size_t layer) override;

 private:
  struct Edge {
    std::uint32_t row;  // the row of the operator's test
    std::int32_t to;    // the place afterwards; -1: unchanged
  };
  struct Range {
    std::uint32_t begin = 0, end = 0;
  };

  Count weigh(const State<P>& s, const RegionSize& extra) override {
    const Count one = count_region(s, extra);
    return orbits_ ? orbits_->count(one, num_fixing(s)) : one;
  }

  Count count_region(const State<P>& s, const RegionSize& extra) {
    const State<P> rest = s ^ bits_[place_in(s)];
    if (goals_anywhere_.contain(rest)) return {extra.places, extra.places};
    if (goals_here_.empty()) return {extra.places, 0};
    const std::uint32_t size = flood(rest, derive(rest), place_in(s), successor_queue_);
    FEWEST_ASSERT(size == extra.places, "a region has as many places as were counted when it was found");
    std::uint64_t goals = 0;
    for (std::uint32_t i = 0; i < size; ++i)
      goals += goals_here_.contain(rest ^ bits_[successor_queue_[i]]);
    return {extra.places, goals};
  }

  // The stored state of the region of `s`, which must be the region that was flooded last.
  State<P> canonical(const State<P>& s) { return orbits_ ? least_image(s) : s; }

  State<P> least_image(const State<P>& s) {
    const auto all = orbits_->images.of(s);
    const int stored = place_in(s);
    State<P> best = s ^ bits_[stored];
    int place = stored;
    for (std::size_t g = 1; g < all.size(); ++g) {
      const int* to = &place_images_[g * facts_.size()];
      const State<P> rest = all[g] ^ bits_[to[stored]];
      if (is_less(best, rest)) continue;
      if (is_less(rest, best)) place = static_cast<int>(facts_.size());
      best = rest;
      for (std::uint32_t i = 0; i < flooded_size_; ++i) place = std::min(place, to[(*flooded_)[i]]);
    }
    FEWEST_ASSERT(place < static_cast<int>(facts_.size()), "the least image has a place for the agent");
    return best ^ bits_[place];
  }

  // The number of symmetries that map the region to itself.
  std::size_t num_fixing(const State<P>& s) {
    const auto all = orbits_->images.of(s);
    const int stored = place_in(s);
    const State<P> rest = s ^ bits_[stored];
    std::size_t fixing = 1;
    bool is_flooded = false;
    for (std::size_t g = 1; g < all.size(); ++g) {
      const int to = place_images_[g * facts_.size() + stored];
      if (!((all[g] ^ bits_[to]) == rest)) continue;
      if (!is_flooded) flood(rest, derive(rest), stored, successor_queue_);
      is_flooded = true;
      fixing += mark_[to] == flood_;
    }
    return fixing;
  }

  int place_in(const State<P>& s) const {
    FEWEST_ASSERT(num_agents_in(s) == 1, "the agent is at one place");
    if (is_packed_) return static_cast<int>((s.w[field_.word] & field_.mask) >> field_shift_);
    for (int i = 0; i < P; ++i)
      if (const Word bits = s.w[i] & agent_bits_.w[i])
        return place_of_[compiler_.layout().fact_of_bit()[i * 64 + std::countr_zero(bits)]];
    return 0;  // impossible: exactly one fact of the group is true
  }

  int num_agents_in(const State<P>& s) const {
    if (is_packed_) return (s.w[field_.word] & field_.mask) >> field_shift_ < facts_.size() ? 1 : 0;
    int count = 0;
    for (int i = 0; i < P; ++i) count += std::popcount(s.w[i] & agent_bits_.w[i]);
    return count;
  }

  // The derived word of all facts except those of the agent.
  Word derive(const State<P>& rest) const {
    if (!needs_derived_) return 0;
    // Without the agent, a packed field contains the first code of the group. The derived word must not count the fact
    // that has this code.
    const Word derived = reader_.derive(rest);
    return is_packed_ ? derived ^ reader_.cover(facts_[0]) : derived;
  }

  FEWEST_COLD void collect_operators();
  FEWEST_COLD void collect_goals();

  // Puts the places that are reachable from `from` into `queue`, and the smallest of these places into smallest_.
  // Returns the number of these places.
  std::uint32_t flood(const State<P>& rest, Word derived, int from, std::vector<int>& queue) {
    FEWEST_ASSERT(from >= 0 && static_cast<std::size_t>(from) < facts_.size(), "a flood begins at a place");
    FEWEST_ASSERT(queue.size() == facts_.size(), "the queue has room for every place");
    if (++flood_ == 0) {
      std::fill(mark_.begin(), mark_.end(), 0);
      flood_ = 1;
    }
    std::uint32_t size = 0;
    queue[size++] = from;
    mark_[from] = flood_;
    smallest_ = from;
    for (std::uint32_t i = 0; i < size; ++i) {
      const Range range = free_at_[queue[i]];
      for (std::uint32_t e = range.begin; e < range.end; ++e) {
        const Edge edge = free_edges_[e];
        FEWEST_ASSERT(edge.to >= 0, "a free operator moves the agent");
        if (mark_[edge.to] == flood_ || !free_.applies(edge.row, rest, derived)) continue;
        mark_[edge.to] = flood_;
        smallest_ = std::min(smallest_, edge.to);
        queue[size++] = edge.to;
      }
    }
    flooded_ = &queue;
    flooded_size_ = size;
    return size;
  }

  // Calls visit(row of paid_, place afterwards) for each paid operator that applies when the agent is at `place`. The
  // flips in paid_ leave out the agent.
  template <class Visit>
  void for_each_paid(const State<P>& rest, Word derived, int place, Visit visit) {
    const Range range = paid_at_[place];
    for (std::uint32_t e = range.begin; e < range.end; ++e) {
      const Edge edge = paid_edges_[e];
      if (paid_.applies(edge.row, rest, derived)) visit(edge.row, edge.to < 0 ? place : edge.to);
    }
  }

  const Compiler& compiler_;
  const CostTable& costs_;
  std::vector<FactId> facts_;  // the agent's facts, ascending: place i is facts_[i]
  std::vector<int> place_of_;  // The place of each fact.
  // A state stores the agent's place either in one field, where the codes ascend with the places, or as separate bits.
  FactPlace field_;
  int field_shift_ = 0;
  bool is_packed_ = false;
  State<P> agent_bits_ = zero_state<P>();
  std::vector<State<P>> bits_;          // per place: the bits that a state has if the agent is there
  OperatorTable<P> free_, paid_;        // cubes and flips that leave out the agent
  std::vector<Edge> free_edges_, paid_edges_;
  std::vector<Range> free_at_, paid_at_;  // per place: the edges that begin there
  StateReader<P> reader_;
  CubeList<P> forbidden_, goals_anywhere_, goals_here_;
  bool needs_derived_ = false;
  std::vector<State<P>> starts_;   // where a plan may begin
  std::optional<Orbits<P>> orbits_;
  std::vector<int> place_images_;  // The image of each place: [symmetries, places].
  // Working memory.
  std::vector<std::uint32_t> mark_;
  std::uint32_t flood_ = 0;
  std::vector<int> queue_, successor_queue_;
  int smallest_ = 0;
  const std::vector<int>* flooded_ = nullptr;  // the places of the last flood fill
  std::uint32_t flooded_size_ = 0;
};

template <int P>
void Regions<P>::collect_operators() {
  const Problem& problem = compiler_.problem();
  const int words = problem.words;
  const std::size_t num_places = facts_.size();
  std::vector<std::vector<Edge>> free_at(num_places), paid_at(num_places);
  FactSet mask(words), value(words), flip(words);
  for (std::size_t op = 0; op < problem.operators.count; ++op) {
    const std::size_t at = op * words;
    mask.assign(problem.operators.mask + at, problem.operators.mask + at + words);
    value.assign(problem.operators.value + at, problem.operators.value + at + words);
    flip.assign(problem.flip + at, problem.flip + at + words);
    int from = -1, to = -1, num_positive = 0;
    std::vector<char> excluded(num_places, 0);
    for (std::size_t i = 0; i < num_places; ++i) {
      if (has(value.data(), facts_[i])) {
        from = static_cast<int>(i);
        ++num_positive;
      } else if (has(mask.data(), facts_[i])) {
        excluded[i] = 1;
        if (has(flip.data(), facts_[i])) to = static_cast<int>(i);
      }
    }
    if (num_positive > 1) continue;  // the agent has exactly one place
    const bool is_free = costs_.weight[op] == 0;
    // The choice of edges already determines the agent's place, so the tests do not include it. A known place remains
    // in the cube while the test is compiled, because it makes the negative literals of all other places true.
    for (FactId fact : facts_) {
      if (from < 0) remove(mask.data(), fact);
      remove(flip.data(), fact);
    }
    OperatorTable<P>& table = is_free ? free_ : paid_;
    if (!table.append(static_cast<OperatorId>(op), mask.data(), value.data(), flip.data(),
                      from >= 0 ? facts_[from] : kNoFact))
      continue;
    const std::uint32_t row = table.size() - 1;
    auto& edges = is_free ? free_at : paid_at;
    for (std::size_t i = 0; i < num_places; ++i) {
      if (from >= 0 ? static_cast<int>(i) != from : excluded[i] != 0) continue;
      edges[i].push_back({row, to});
    }
  }
  const auto flatten = [&](const std::vector<std::vector<Edge>>& lists, std::vector<Edge>& edges,
                           std::vector<Range>& ranges) {
    for (const auto& list : lists) {
      const auto begin = static_cast<std::uint32_t>(edges.size());
      edges.insert(edges.end(), list.begin(), list.end());
      ranges.push_back({begin, static_cast<std::uint32_t>(edges.size())});
    }
  };
  flatten(free_at, free_edges_, free_at_);
  flatten(paid_at, paid_edges_, paid_at_);
  needs_derived_ = free_.needs_derived() || paid_.needs_derived();
}

template <int P>
void Regions<P>::collect_goals() {
  const Problem& problem = compiler_.problem();
  const int words = problem.words;
  FactSet agent(words);
  for (FactId fact : facts_) add(agent.data(), fact);
  for (std::size_t i = 0; i < problem.goals.count; ++i) {
    const Word* mask = problem.goals.mask + i * words;
    const Word* value = problem.goals.value + i * words;
    auto& goals = intersects(mask, agent.data(), words) ? goals_here_ : goals_anywhere_;
    goals.add(compiler_.compile(mask, value, kNoFact, false));
  }
}

// Finds a plan backwards. The function begins at the agent's place in the goal state and walks through the region to a
// place where a paid operator ends. The function undoes this operator, which leads to a region of the previous layer,
// and repeats both steps until it reaches the agent's place in a start state.
template <int P>
std::vector<OperatorId> Regions<P>::plan(const Layers<P>& layers, const State<P>& goal,
                                         std::size_t layer) {
  const Generator<P> inverse(compiler_, Direction::backward);
  Scratch scratch = inverse.scratch();
  std::vector<OperatorId> reversed;
  // Undoes free operators, beginning at `place`, until the agent is at a place for which `is_begin` is true, and
  // appends these operators to `reversed`.
  const auto walk_back = [&](const State<P>& rest, int place, auto is_begin) {
    std::vector<int> queue{place}, later(facts_.size(), -1);
    std::vector<OperatorId> undone(facts_.size(), -1);
    later[place] = place;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      if (is_begin(queue[i])) {
        for (int at = queue[i]; at != place; at = later[at]) reversed.push_back(undone[at]);
        // These operators are in forward order, but all others in `reversed` are in reverse order, so these operators
        // are reversed.
        std::size_t steps = 0;
        for (int at = queue[i]; at != place; at = later[at]) ++steps;
        std::reverse(reversed.end() - static_cast<std::ptrdiff_t>(steps), reversed.end());
        return;
      }
      const State<P> s = rest ^ bits_[queue[i]];
      for (std::uint32_t row : inverse.applicable(s, scratch)) {
        const OperatorId op = inverse.table().id(row);
        if (costs_.weight[op] != 0) continue;
        const int before = place_in(s ^ inverse.table().flip(row));
        if (later[before] >= 0) continue;
        later[before] = queue[i];
        undone[before] = op;
        queue.push_back(before);
      }
    }
  };

  State<P> s = goal;
  State<P> rest = s ^ bits_[place_in(s)];
  int place = place_in(s);
  if (!goals_anywhere_.contain(rest)) {
    const std::uint32_t size = flood(rest, derive(rest), place, queue_);
    for (std::uint32_t i = 0; i < size; ++i)
      if (goals_here_.contain(rest ^ bits_[queue_[i]])) place = queue_[i];
  }
  Scratch paid_scratch = inverse.scratch();
  for (; layer > 0; --layer) {
    OperatorId used = -1;
    State<P> before_used{};
    walk_back(rest, place, [&](int at) {
      const State<P> after = rest ^ bits_[at];
      for (std::uint32_t row : inverse.applicable(after, paid_scratch)) {
        const OperatorId op = inverse.table().id(row);
        if (costs_.weight[op] == 0) continue;
        const State<P> before = after ^ inverse.table().flip(row);
        const int before_place = place_in(before);
        const State<P> before_rest = before ^ bits_[before_place];
        flood(before_rest, derive(before_rest), before_place, successor_queue_);
        const int stored = smallest_;
        if (layers.of(canonical(before_rest ^ bits_[stored]), layer) != layer - 1) continue;
        // This flood fill tests whether the region of the previous layer contains the state before the operator. The
        // flood fill of an unreachable state can enter a reachable region, but the flood fill of a reachable state
        // cannot enter an unreachable region.
        flood(before_rest, derive(before_rest), stored, successor_queue_);
        if (mark_[before_place] != flood_) continue;
        used = op;
        before_used = before;
        return true;
      }
      return false;
    });
    FEWEST_ASSERT(used >= 0, "a region was reached from a region of the previous layer");
    if (used < 0) break;  // impossible: some region of that layer leads here
    reversed.push_back(used);
    place = place_in(before_used);
    rest = before_used ^ bits_[place];
  }
  walk_back(rest, place, [&](int at) {
    return std::find(starts_.begin(), starts_.end(), rest ^ bits_[at]) != starts_.end();
  });
  std::reverse(reversed.begin(), reversed.end());
  return reversed;
}

}  // namespace fewest
