// A* (Hart, Nilsson and Raphael, 1968) over spots of pieces and the place of an agent.
//
// Problem: breadth-first search looks at every state that is cheaper than the goal.
// Solution: f = g + h, cheapest first, with the lower bound h of piece_bound.hpp; a state is closed when
// it is expanded, not when it is generated, and opened again if it becomes cheaper.
// - Walks are contracted: a state is entered by a move, and its successors are the moves at all places
//   that the agent can walk to, each at its walking distance. Where walks are free, all places of a
//   region are one state, stored with the agent at the lowest.
// - Moves to dead spots have been taken out of the problem; a move that freezes pieces for good where no
//   goal has them (freezing.hpp), or completes a set that is known to be lost (dead_table.hpp, lost_sets.hpp),
//   makes no successor.
// - With symmetries, one state of each orbit is stored: the least of its images.
// Sound in every metric in which runs are moves (run_moves.hpp).
// A state takes its words, a slot of the table, four bytes of cost and four of the state it came from; open
// ones four more.
#pragma once

#include <algorithm>
#include "informed/corrals.hpp"
#include "informed/freezing.hpp"
#include "informed/lost_sets.hpp"
#include "informed/open_list.hpp"
#include "informed/piece_problem.hpp"
#include "informed/piece_states.hpp"
#include "state/state_table.hpp"
#include "informed/walk_bound.hpp"

namespace fewest {

template <int P, int Q>
class AStar : public InformedSearch, protected PieceStates<P, Q> {
 public:
  AStar(const PieceProblem& prepared, const Hints& hints, const SearchOptions& options)
      : AStar(prepared, hints, options, *prepared.bound) {}

  // With a bound of its own.
  AStar(const PieceProblem& prepared, const Hints& hints, const SearchOptions& options, PieceBound bound)
      : States(*prepared.pieces, bound, prepared.numbers, prepared.num_components),
        bound_(std::move(bound)),
        options_(options),
        freezing_(pieces_),
        dead_(pieces_, numbers_, hints.dead),
        corrals_(pieces_, graph_, numbers_),
        lost_(prepared, dead_, freezing_, hints.look_from),
        walks_(pieces_, hints.numbers),
        budget_(options.memory),
        table_(budget_),
        cost_(budget_),
        parent_(budget_),
        open_(budget_) {
    blocks_overlap_ = freezing_.blocks_overlap();
    for (const PlaceSet<Q>& places : blocks_) {
      int count = 0;
      for_each_in<Q>(places, [&](int) { ++count; });
      place_bit_.push_back(count == 1 ? lowest(places) : -1);
    }
    merges_regions_ = pieces_.has_agent() && pieces_.walk_cost == 0;
    candidates_.resize(moves_.size());
    for (const auto& image : hints.images) add_image(image);
    parent_images_.resize(images_.size());
  }

  Status advance(Control& control, const Quota& quota) override {
    if (status_ == Status::running && table_.size() == 0) begin();
    while (status_ == Status::running && work() < quota.work) {
      if (num_expanded_ % kExpansionsPerCheck == 0) {
        if (bytes() >= quota.bytes) break;
        stop(control.check(bound(), table_.size(), num_expanded_, [this] { return bytes(); }));
      }
      if (status_ == Status::running) advance();
    }
    return status_;
  }
  std::uint64_t work() const override { return num_expanded_ + num_generated_ / kSuccessorsPerExpansion; }
  PackedCost bound() const override {
    // A plan whose last walk is known can cost less than all open states.
    const PackedCost most = finish_ == kNoState ? kInfiniteCost : finish_cost_;
    if (!is_weighted()) return status_ == Status::goal ? finish_cost_ : std::min(least_f_, most);
    if (status_ == Status::goal && open_.empty()) return finish_cost_;
    // A state on a cheapest way is open, and its priority is at most what the way costs times the numerator.
    const PackedCost proved = (least_f_ + options_.weight.numerator - 1) / options_.weight.numerator;
    return std::min(most, std::max({proved, initial_bound_, options_.at_least}));
  }
  std::size_t bytes() const override { return budget_.used(); }

  // From all of the search.
  std::vector<PieceCube> samples(std::size_t count) override {
    std::vector<PieceCube> found;
    if (count == 0) return found;
    const std::size_t step = std::max<std::size_t>(1, table_.size() / (kStatesPerExpansion * count)) | 1;
    for (std::size_t i = table_.size(); i-- > 0 && found.size() < count;) {
      const auto node = static_cast<StateId>(i);
      if (i % step != 0 || !(cost_[node] & kClosed)) continue;
      const State<P> rest = rest_of(table_[node]);
      PieceCube cube{FactSet(pieces_.words(), 0), {}, place_of(table_[node])};
      true_spots_.clear();
      for_each_in<P>(rest, [&](int spot) {
        true_spots_.push_back(spot);
        add(cube.true_spots.data(), spot);
      });
      if (bound_.set(true_spots_, cube.place) != kInfiniteCost) found.push_back(std::move(cube));
    }
    return found;
  }

 protected:  // for ida_star.hpp and shared_astar.hpp
  using States = PieceStates<P, Q>;
  using typename States::Concrete, typename States::Move, typename States::Test;
  using States::kClosed;
  using States::forbidden_, States::goals_, States::graph_, States::moves_, States::moves_at_;
  using States::blocks_, States::num_anywhere_, States::numbers_, States::pieces_, States::steps_to_;
  using States::initial, States::is_goal, States::key, States::large, States::measure;
  using States::open_places, States::place_of, States::rest_of, States::small;

  static constexpr std::uint64_t kExpansionsPerCheck = 256;
  static constexpr std::size_t kStatesPerExpansion = 4;  // at most, as a rule
  static constexpr std::uint64_t kSuccessorsPerExpansion = 8;

  struct Image {
    std::vector<State<P>> spot;  // per spot its image's bit
    std::vector<int> place;      // per place
    std::vector<State<P>> flip;  // per move
  };

  // A successor that is not yet in the table.
  struct Pending {
    State<P> stored;
    Word hash;
    std::size_t at;
    PackedCost cost;
    std::uint32_t row;  // of moves_
  };

  // Kept if it maps spots to spots, places to places, what never changes to its like, and groups to groups
  // of as many pieces (a state with other numbers of pieces has no bound).
  void add_image(const std::vector<FactId>& of) {
    std::vector<int> spot_of(of.size(), -1), place_of(of.size(), -1);
    for (int i = 0; i < pieces_.num_spots(); ++i) spot_of[pieces_.spots[i]] = i;
    for (int i = 0; i < pieces_.num_places(); ++i) place_of[pieces_.places[i]] = i;
    Image image;
    image.spot.assign(pieces_.num_spots(), zero_state<P>());
    image.place.assign(pieces_.num_places(), 0);
    bool is_identity = true;
    for (std::size_t fact = 0; fact < of.size(); ++fact) {
      const FactId to = of[fact];
      if ((spot_of[fact] < 0) != (spot_of[to] < 0) || (place_of[fact] < 0) != (place_of[to] < 0))
        return;
      if (spot_of[fact] >= 0) {
        insert(image.spot[spot_of[fact]], spot_of[to]);
        is_identity = is_identity && spot_of[fact] == spot_of[to];
      } else if (place_of[fact] >= 0) {
        image.place[place_of[fact]] = place_of[to];
        is_identity = is_identity && place_of[fact] == place_of[to];
      } else if (pieces_.is_true_at_start(static_cast<FactId>(fact)) != pieces_.is_true_at_start(to)) {
        return;
      }
    }
    if (is_identity || !maps_groups(of, spot_of)) return;
    for (const Move& move : moves_) image.flip.push_back(image_of(image, move.flip));
    images_.push_back(std::move(image));
  }

  bool maps_groups(const std::vector<FactId>& of, const std::vector<int>& spot_of) const {
    std::vector<int> group_of(pieces_.num_spots(), -1);
    for (std::size_t g = 0; g < pieces_.groups.size(); ++g)
      for (int spot : pieces_.groups[g].spots) group_of[spot] = static_cast<int>(g);
    const auto image = [&](int spot) { return group_of[spot_of[of[pieces_.spots[spot]]]]; };
    return std::all_of(pieces_.groups.begin(), pieces_.groups.end(), [&](const PieceGroup& group) {
      const int to = image(group.spots[0]);
      return to >= 0 && pieces_.groups[to].count == group.count &&
             pieces_.groups[to].spots.size() == group.spots.size() &&
             std::all_of(group.spots.begin(), group.spots.end(), [&](int spot) { return image(spot) == to; });
    });
  }

  static State<P> image_of(const Image& image, const State<P>& spots) {
    State<P> r = zero_state<P>();
    for_each_in<P>(spots, [&](int spot) { r = r | image.spot[spot]; });
    return r;
  }

  static bool is_less(const State<P>& a, const State<P>& b) {
    for (int i = 0; i < P; ++i)
      if (a.w[i] != b.w[i]) return a.w[i] < b.w[i];
    return false;
  }

  // The stored state of an orbit. `rest_image(i)`: of image i. `region`: where walks are free.
  template <class RestImage>
  State<P> canonical(const State<P>& rest, int place, const PlaceSet<Q>& region,
                     RestImage rest_image) const {
    const auto key_in = [&](const State<P>& spots, const Image* image) {
      if (!pieces_.has_agent()) return spots;
      if (!merges_regions_) return key(spots, image == nullptr ? place : image->place[place]);
      if (image == nullptr) return key(spots, graph_.place_of(lowest(region)));
      int least = 1 << 30;
      for_each_in<Q>(region, [&](int bit) {
        least = std::min(least, numbers_.bit_of[image->place[graph_.place_of(bit)]]);
      });
      return key(spots, graph_.place_of(least));
    };
    if (images_.empty()) return key_in(rest, nullptr);
    State<P> least = rest;
    const Image* chosen = nullptr;
    bool is_tie = false;
    for (std::size_t i = 0; i < images_.size(); ++i) {
      const State<P> image = rest_image(i);
      if (image == least) is_tie = true;
      if (is_less(image, least)) least = image, chosen = &images_[i], is_tie = false;
    }
    State<P> best = key_in(least, chosen);
    if (!is_tie) return best;
    for (std::size_t i = 0; i < images_.size(); ++i) {
      if (!(rest_image(i) == least)) continue;
      const State<P> other = key_in(least, &images_[i]);
      if (is_less(other, best)) best = other;
    }
    if (chosen != nullptr && rest == least) {
      const State<P> other = key_in(least, nullptr);
      if (is_less(other, best)) best = other;
    }
    return best;
  }

  // --- The search ---

  void stop(Status status) {
    if (status_ == Status::running) status_ = status;
  }

  State<P> canonical_of(const Concrete& state) const {
    PlaceSet<Q> region = zero_state<Q>();
    if (merges_regions_) region = graph_.reach(numbers_.bit_of[state.place], open_places(state.rest));
    return canonical(state.rest, state.place, region,
                     [&](std::size_t i) { return image_of(images_[i], state.rest); });
  }

  bool is_weighted() const { return options_.weight.numerator != options_.weight.denominator; }
  // What open states are ordered by: g + h, times the denominator of the weight.
  PackedCost priority(PackedCost cost, PackedCost bound) const {
    return cost * options_.weight.denominator + bound * options_.weight.numerator;
  }

  PackedCost bound_at(const Concrete& state) {
    true_spots_.clear();
    for_each_in<P>(state.rest, [&](int spot) { true_spots_.push_back(spot); });
    const PackedCost h = pieces_.goals.empty() ? kInfiniteCost : bound_.set(true_spots_, state.place);
    if (h == kInfiniteCost || freezing_.is_dead(state.rest)) return kInfiniteCost;
    if (!walks_.applies() || is_goal(state.rest)) return h;
    return h + pieces_.walk_cost * walks_.steps(walks_.of_spots(true_spots_), state.place);
  }

  PackedCost bound_at_start() { return bound_at(initial()); }

  void begin() {
    const PackedCost h = bound_at_start();
    if (h == kInfiniteCost) return stop(Status::exhausted);
    initial_bound_ = h;
    least_f_ = std::max(priority(0, h), is_weighted() ? 0 : options_.at_least);
    if (!table_.reserve(1) || !cost_.reserve(1) || !parent_.reserve(1)) return stop(Status::memory);
    const State<P> stored = canonical_of(initial());
    table_.insert(stored, hash(stored));
    cost_[0] = 0;
    parent_[0] = kNoState;
    if (!open_.push(priority(0, h), h, 0)) stop(Status::memory);
  }

  void advance() {
    if (open_.empty()) return stop(finish_ == kNoState ? Status::exhausted : Status::goal);
    least_f_ = std::max(least_f_, open_.least_f());
    if (finish_ != kNoState && least_f_ >= priority(finish_cost_, 0)) return stop(Status::goal);
    FEWEST_ASSERT(open_.least_f() <= least_f_, "what is taken out has the least f");
    const StateId node = open_.pop_varied();
    if (const StateId next = open_.peek(); next != kNoState) {
      table_.prefetch_state(next);
      __builtin_prefetch(&cost_[next]);
    }
    if (!(cost_[node] & kClosed)) expand(node);
  }

  void expand(StateId node) {
    const State<P> s = table_[node];
    const PackedCost g = large(cost_[node]);
    FEWEST_ASSERT((cost_[node] & kClosed) == 0, "a state is expanded once at each cost");
    cost_[node] |= kClosed;
    if (!find_successors(node, s, g)) return;
    const std::size_t rows = table_.size() + pending_.size();
    if (!table_.reserve(pending_.size()) || !cost_.reserve(rows) || !parent_.reserve(rows))
      return stop(Status::memory);
    for (Pending& next : pending_) {
      next.at = table_.approach(next.hash);
      if (const StateId there = table_.at(next.at); there != kNoState)
        __builtin_prefetch(&cost_[there]);
    }
    for (const Pending& next : pending_) {
      settle(node, s, next);
      if (status_ != Status::running) return;
    }
  }

  // Into pending_; false: the search ends here.
  bool find_successors(StateId node, const State<P>& s, PackedCost g) {
    const State<P> rest = rest_of(s);
    const int place = place_of(s);
    ++num_expanded_;
    pending_.clear();
    PlaceSet<Q> open = zero_state<Q>(), region = zero_state<Q>();
    if (pieces_.has_agent()) open = open_places(rest);
    if (merges_regions_) region = graph_.reach(numbers_.bit_of[place], open);
    if (is_finished(node, rest, place, open, region, g)) return false;

    true_spots_.clear();
    for_each_in<P>(rest, [&](int spot) { true_spots_.push_back(spot); });
    if (is_lost(rest, place)) return true;
    [[maybe_unused]] const PackedCost bound = bound_.set(true_spots_, place);
    if (walks_.applies()) balance_ = walks_.of_spots(true_spots_);
    if constexpr (kHasAssertions) {
      expanded_bound_ = bound;
      if (bound != kInfiniteCost && walks_.applies() && !is_goal(rest))
        expanded_bound_ += pieces_.walk_cost * walks_.steps(balance_, place);
    }
    for (std::size_t i = 0; i < images_.size(); ++i) parent_images_[i] = image_of(images_[i], rest);

    // Moves that what stands on the spots allows, and where the agent must be for them.
    unsigned num_candidates = 0;
    PlaceSet<Q> wanted = zero_state<Q>();
    typename Corrals<P, Q>::Found corral;
    if (corrals_.applies() && !blocks_overlap_)
      corral = corrals_.find(true_spots_, open, region, freezing_.unwanted());
    num_corrals_ += corral.is_found;
    const auto collect = [&](std::uint32_t begin, std::uint32_t end) {
      for (std::uint32_t i = begin; i < end; ++i) {
        const Move& move = moves_[i];
        if (!in_cube(rest, move.mask, move.value)) continue;
        if (merges_regions_ && !contains(region, move.from_bit)) continue;
        if (corral.is_found && !(contains(corral.fence, move.deleted) &&
                                 contains(corral.inside, corrals_.bit_of(move.added))))
          continue;
        FEWEST_ASSERT(num_candidates < candidates_.size(), "no move is collected twice");
        candidates_[num_candidates++] = i;
        if (move.from_bit >= 0) insert(wanted, move.from_bit);
      }
    };
    collect(0, num_anywhere_);
    for (int spot : true_spots_) collect(moves_at_[spot].begin, moves_at_[spot].end);
    if (pieces_.has_agent() && !merges_regions_) measure(place, open, wanted);
    // Each successor's slot is fetched first, then what stands there, then it is inserted.
    for (unsigned i = 0; i < num_candidates; ++i) {
      const Move& move = moves_[candidates_[i]];
      PackedCost cost = g + move.cost;
      if (move.from_bit >= 0 && !merges_regions_) {
        if (steps_to_[move.from_bit] < 0) continue;
        cost += pieces_.walk_cost * static_cast<PackedCost>(steps_to_[move.from_bit]);
      }
      generate(rest, open, region, candidates_[i], cost);
    }
    return true;
  }

  // The state being expanded; what was known too late to make no successor of it is known now.
  bool is_lost(const State<P>& rest, int place) {
    if (place < 0) return false;
    const int bit = numbers_.bit_of[place];
    if (!lost_.empty() && lost_.hold(true_spots_, rest, bit)) {
      ++num_spared_;
      ++num_dead_;
      return true;
    }
    return lost_.look(true_spots_, rest, place, options_.expanded_before + num_expanded_, num_spared_);
  }

  void generate(const State<P>& rest, const PlaceSet<Q>& open, const PlaceSet<Q>& region_before, std::uint32_t row,
                PackedCost cost) {
    const Move& move = moves_[row];
    const State<P> next = rest ^ move.flip;
    for (const Test& test : forbidden_)
      if (in_cube(next, test.mask, test.value)) return;
    ++num_generated_;
    if (move.added >= 0 ? dead_.holds(next, move.added, move.to_bit) ||
                              freezing_.freezes_badly(next, move.added)
                        : freezing_.is_dead(next)) {
      ++num_dead_;
      return;
    }
    if (!lost_.empty() && move.added >= 0 && lost_.hold(next, move.added, move.to_bit)) {
      ++num_spared_;
      ++num_dead_;
      return;
    }
    PlaceSet<Q> region = zero_state<Q>();
    if (merges_regions_) {
      const bool is_simple = move.added >= 0 && !blocks_overlap_;
      region = is_simple ? region_after(region_before, without(open | blocks_[move.deleted], blocks_[move.added]), move)
                         : graph_.reach(move.to_bit, open_places(next));
    }
    const State<P> stored =
        canonical(next, move.to, region,
                  [&](std::size_t i) { return parent_images_[i] ^ images_[i].flip[row]; });
    FEWEST_ASSERT(!merges_regions_ || contains(region, move.to_bit), "the agent is in its region");
    FEWEST_ASSERT_SAMPLED(!merges_regions_ || region == graph_.reach(move.to_bit, open_places(next)),
                          "the region after a move is all that the agent can reach");
    FEWEST_ASSERT_SAMPLED(stored == canonical_of({next, move.to}),
                          "images that are kept up to date are those of the state");
    FEWEST_ASSERT_SAMPLED(stored == canonical_of({rest_of(stored), place_of(stored)}),
                          "a stored state stands for itself");
    pending_.push_back({stored, hash(stored), 0, cost, row});
    if (table_.size() > 0) table_.prefetch(pending_.back().hash);
  }

  // Where the agent can walk after a move of one piece: mostly where it could before, and round where the piece was.
  PlaceSet<Q> region_after(const PlaceSet<Q>& before, const PlaceSet<Q>& open, const Move& move) const {
    const int left = place_bit_[move.deleted], taken = place_bit_[move.added];
    if (left < 0 || taken < 0) return graph_.reach(move.to_bit, open);
    PlaceSet<Q> region = before & open;
    if (contains(before, taken) && !graph_.is_held_together(region, taken)) return graph_.reach(move.to_bit, open);
    PlaceSet<Q> frontier = zero_state<Q>();
    if (meets(graph_.near(left), region) && contains(open, left)) insert(frontier, left);
    for (; !is_empty(frontier); frontier = without(graph_.neighbours(frontier) & open, region)) region = region | frontier;
    return contains(region, move.to_bit) ? region : graph_.reach(move.to_bit, open);
  }

  // h of a successor of `s`, the state being expanded.
  PackedCost bound_of(const State<P>& s, std::uint32_t row) {
    const Move& move = moves_[row];
    const State<P> next = rest_of(s) ^ move.flip;
    PackedCost bound;
    if (move.added >= 0) {
      bound = bound_.after(move.deleted, move.added, move.to);
    } else {
      successor_spots_.clear();
      for_each_in<P>(next, [&](int spot) { successor_spots_.push_back(spot); });
      bound = bound_.set(successor_spots_, move.to);
      bound_.set(true_spots_, place_of(s));
    }
    // A move does not change the balance: it is that of the agent before it.
    if (bound != kInfiniteCost && walks_.applies() && !is_goal(next))
      bound += pieces_.walk_cost * walks_.steps(balance_, graph_.place_of(move.from_bit));
    FEWEST_ASSERT_SAMPLED(is_bound_of(next, move, bound), "a bound that is kept up to date is that of the state");
    FEWEST_ASSERT(!bound_.is_consistent() || is_no_lower(bound, move), "a bound falls by no more than a move costs");
    return bound;
  }

  // The bound of a successor, from nothing. Walks aside: their bound counts from where the agent was.
  bool is_bound_of(const State<P>& rest, const Move& move, PackedCost bound) const {
    std::vector<int> spots;
    for_each_in<P>(rest, [&](int spot) { spots.push_back(spot); });
    PieceBound own = bound_;
    PackedCost expected = own.set(spots, move.to);
    if (expected != kInfiniteCost && walks_.applies() && !is_goal(rest))
      expected += pieces_.walk_cost * walks_.steps(walks_.of_spots(spots), move.to);
    return bound == expected;
  }

  // Whether the bound of a successor is no lower, in each component, than that of the state being expanded less the
  // cost between the two.
  bool is_no_lower(PackedCost bound, const Move& move) const {
    if (bound == kInfiniteCost || expanded_bound_ == kInfiniteCost) return bound == kInfiniteCost;
    PackedCost cost = move.cost;
    if (move.from_bit >= 0 && !merges_regions_)
      cost += pieces_.walk_cost * static_cast<PackedCost>(steps_to_[move.from_bit]);
    if (this->num_components() == 1) return expanded_bound_ <= cost + bound;
    const PackedCost low = 0xffffffffu;
    return expanded_bound_ >> 32 <= (cost >> 32) + (bound >> 32) &&
           (expanded_bound_ & low) <= (cost & low) + (bound & low);
  }

  void settle(StateId parent, const State<P>& s, const Pending& pending) {
    const auto [node, is_new] = table_.insert(pending.stored, pending.hash, pending.at);
    const std::uint32_t packed = small(pending.cost);
    if (!is_new && (cost_[node] & ~kClosed) <= packed) return;
    enter(node, parent, packed, pending.cost, bound_of(s, pending.row));
  }

  // A state that is new, or has become cheaper; `packed`: its cost as it is stored.
  void enter(StateId node, StateId parent, std::uint32_t packed, PackedCost cost, PackedCost bound) {
    parent_[node] = parent;
    if (bound == kInfiniteCost) {  // never looked at again
      cost_[node] = kClosed;
      ++num_dead_;
      return;
    }
    cost_[node] = packed;
    if (!open_.push(priority(cost, bound), bound, node)) stop(Status::memory);
  }

  bool is_finished(StateId node, const State<P>& rest, int place, const PlaceSet<Q>& open,
                   const PlaceSet<Q>& region, PackedCost g) {
    if (!stops_at_goals_) return false;
    for (const Test& goal : goals_) {
      if (!in_cube(rest, goal.mask, goal.value)) continue;
      PackedCost cost = g;
      if (goal.place >= 0) {
        const int bit = numbers_.bit_of[goal.place];
        if (merges_regions_) {
          if (!contains(region, bit)) continue;
        } else {
          PlaceSet<Q> wanted = zero_state<Q>();
          insert(wanted, bit);
          measure(place, open, wanted);
          if (steps_to_[bit] < 0) continue;
          cost += pieces_.walk_cost * static_cast<PackedCost>(steps_to_[bit]);
        }
      }
      if (finish_ == kNoState || cost < finish_cost_) finish_ = node, finish_cost_ = cost;
      if (cost == g) {
        FEWEST_ASSERT_SAMPLED(bound_of_goal(rest, place) == 0, "the bound of a goal is zero");
        stop(Status::goal);
        return true;
      }
    }
    return false;
  }

  PackedCost bound_of_goal(const State<P>& rest, int place) const {
    std::vector<int> spots;
    for_each_in<P>(rest, [&](int spot) { spots.push_back(spot); });
    return PieceBound(bound_).set(spots, place);
  }

  // --- The answer ---

  std::vector<OperatorId> plan() {
    std::vector<StateId> chain;
    for (StateId node = finish_; node != kNoState; node = parent_[node]) chain.push_back(node);
    std::reverse(chain.begin(), chain.end());
    return States::play(
        chain.size() - 1,
        [&](std::size_t i) { return large(cost_[chain[i]]) - large(cost_[chain[i - 1]]); },
        [&](std::size_t i, const Concrete& now) { return canonical_of(now) == table_[chain[i]]; });
  }

  InformedOutcome found() override {
    InformedOutcome result = counts();
    if (status_ == Status::goal) {
      result.cost = finish_cost_;
      result.plan = plan();
    }
    return result;
  }

  InformedOutcome counts() const {
    InformedOutcome result;
    result.status = status_;
    result.lower_bound = bound();
    result.num_states = table_.size();
    result.num_goal_states = finish_ != kNoState;
    result.num_expanded = num_expanded_;
    result.num_generated = num_generated_;
    result.num_dead = num_dead_;
    result.num_corrals = num_corrals_;
    result.num_lost_sets = lost_.size();
    result.initial_bound = initial_bound_;
    result.has_agent = pieces_.has_agent();
    result.merges_regions = merges_regions_;
    result.num_images = images_.size() + 1;
    result.bytes = budget_.peak();
    result.algorithm = "a*";
    return result;
  }

  PieceBound bound_;
  SearchOptions options_;
  Freezing<P> freezing_;
  DeadTable<P, Q> dead_;
  Corrals<P, Q> corrals_;
  LostSets<P, Q> lost_;
  WalkBound walks_;
  bool merges_regions_ = false, blocks_overlap_ = false, stops_at_goals_ = true;
  std::vector<int> place_bit_;  // per spot: the one place that it blocks; -1: not one
  std::vector<Image> images_;  // without the identity
  // The search.
  Budget budget_;
  StateTable<P> table_;
  PageArray<std::uint32_t> cost_;    // with kClosed
  PageArray<StateId> parent_;
  OpenList open_;
  Status status_ = Status::running;
  PackedCost least_f_ = 0, initial_bound_ = 0, finish_cost_ = 0;
  StateId finish_ = kNoState;
  std::uint64_t num_expanded_ = 0, num_generated_ = 0, num_dead_ = 0, num_corrals_ = 0;
  std::uint64_t num_spared_ = 0;  // by lost_
  // Of the state being expanded.
  std::vector<int> true_spots_, successor_spots_;
  PackedCost expanded_bound_ = 0;  // its bound, for assertions alone
  std::vector<std::uint32_t> candidates_;
  WalkBound::Balance balance_;
  std::vector<State<P>> parent_images_;
  std::vector<Pending> pending_;
};

}  // namespace fewest
