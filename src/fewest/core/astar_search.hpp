// A* (Hart, Nilsson and Raphael, 1968) over spots of pieces and the place of an agent.
//
// Problem: breadth-first search looks at every state that is cheaper than the goal.
// Solution: f = g + h, cheapest first, with the lower bound h of piece_bound.hpp; a state is closed when
// it is expanded, not when it is generated, and opened again if it becomes cheaper.
// - Walks are contracted: a state is entered by a move, and its successors are the moves at all places
//   that the agent can walk to, each at its walking distance. Where walks are free, all places of a
//   region are one state, stored with the agent at the lowest.
// - Moves to dead spots have been taken out of the problem; a move that freezes pieces for good where no
//   goal has them (freezing.hpp), or completes a set that is known to be lost (dead_table.hpp), makes no
//   successor.
// - With symmetries, one state of each orbit is stored: the least of its images.
// Sound in every metric without runs.
// A state takes its words, a slot of the table, four bytes of cost and four of the state it came from; open
// ones four more.
#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "astar.hpp"
#include "corrals.hpp"
#include "freezing.hpp"
#include "open_list.hpp"
#include "piece_bound.hpp"
#include "place_sets.hpp"
#include "state_table.hpp"
#include "walk_bound.hpp"

namespace fewest {

template <int P, int Q>
class AStar {
 public:
  AStar(const Pieces& pieces, PieceBound& bound, const PlaceNumbers& numbers, const Hints& hints,
        int num_components, const Options& options)
      : pieces_(pieces),
        bound_(bound),
        numbers_(numbers),
        graph_(pieces, numbers),
        options_(options),
        num_components_(num_components),
        freezing_(pieces),
        dead_(pieces, numbers, hints.dead),
        corrals_(pieces, graph_, numbers),
        walks_(pieces, hints.numbers),
        budget_(options.memory),
        table_(budget_),
        cost_(budget_),
        parent_(budget_),
        open_(budget_) {
    blocks_overlap_ = freezing_.blocks_overlap();
    merges_regions_ = pieces.has_agent() && pieces.walk_cost == 0;
    place_shift_ = pieces.num_spots();
    const int place_bits = pieces.has_agent() ? std::bit_width(unsigned(pieces.num_places() - 1)) : 0;
    if (place_shift_ % 64 + place_bits > 64) place_shift_ = (place_shift_ + 63) / 64 * 64;
    if (place_bits == 0) place_shift_ = 0;
    place_mask_ = (Word{1} << place_bits) - 1;
    spots_mask_ = zero_state<P>();
    for (int spot = 0; spot < pieces.num_spots(); ++spot) insert(spots_mask_, spot);
    for (int spot = 0; spot < pieces.num_spots(); ++spot) {
      blocks_.push_back(zero_state<Q>());
      for (int place : pieces.blocks[spot]) insert(blocks_.back(), numbers.bit_of[place]);
    }
    collect_moves();
    for (const PieceCube& goal : pieces.goals) goals_.push_back(cube(goal));
    for (const PieceCube& cube_ : pieces.forbidden) forbidden_.push_back(cube(cube_));
    for (const auto& image : hints.images) add_image(image);
    parent_images_.resize(images_.size());
  }

  // Words that a key takes.
  static int words_of_key(const Pieces& pieces) {
    const int place_bits = pieces.has_agent() ? std::bit_width(unsigned(pieces.num_places() - 1)) : 0;
    int bits = pieces.num_spots();
    if (bits % 64 + place_bits > 64) bits = (bits + 63) / 64 * 64;
    return std::max(1, (bits + place_bits + 63) / 64);
  }

  AStarOutcome run() {
    Control control(options_);
    search(control);
    return outcome(control);
  }

 private:
  static constexpr std::uint64_t kExpansionsPerCheck = 256;
  static constexpr std::uint32_t kClosed = 0x80000000u;

  struct Test {
    State<P> mask, value;
    int place;
  };
  struct Move {
    State<P> mask, value;  // what must be there
    State<P> flip;
    int from_bit, to_bit;  // -1 without an agent
    int to;                // place
    int deleted, added;    // of the one piece that it moves; -1: more than that
    PackedCost cost;
    int index;             // in pieces_.moves
  };
  struct Image {
    std::vector<State<P>> spot;  // per spot its image's bit
    std::vector<int> place;      // per place
    std::vector<State<P>> flip;  // per move
  };
  struct Concrete {
    State<P> rest;
    int place;
  };

  // A successor that is not yet in the table.
  struct Pending {
    State<P> stored;
    Word hash;
    std::size_t at;
    PackedCost cost;
    std::uint32_t row;  // of moves_
  };

  static State<P> set_of(const FactSet& facts) { return state_from<P>(facts.data(), facts.size()); }
  Test cube(const PieceCube& from) const {
    return {set_of(from.true_spots) | set_of(from.false_spots), set_of(from.true_spots), from.place};
  }

  void collect_moves() {
    std::vector<std::vector<int>> at(pieces_.num_spots());
    std::vector<int> anywhere;
    for (std::size_t i = 0; i < pieces_.moves.size(); ++i) {
      const PieceMove& move = pieces_.moves[i];
      if (!move.deleted.empty()) {
        at[move.deleted[0]].push_back(static_cast<int>(i));
        continue;
      }
      int spot = -1;
      for_each_fact(move.true_spots.data(), pieces_.words(), [&](FactId s) { spot = s; });
      (spot >= 0 ? at[spot] : anywhere).push_back(static_cast<int>(i));
    }
    const auto append = [&](int i) {
      const PieceMove& from = pieces_.moves[i];
      Move move;
      move.value = set_of(from.true_spots);
      move.mask = move.value | set_of(from.false_spots);
      move.flip = zero_state<P>();
      for (int spot : from.deleted) insert(move.flip, spot);
      for (int spot : from.added) insert(move.flip, spot);
      move.from_bit = from.from < 0 ? -1 : numbers_.bit_of[from.from];
      move.to_bit = from.to < 0 ? -1 : numbers_.bit_of[from.to];
      move.to = from.to;
      const bool is_known = bound_.knows(from);
      move.deleted = is_known ? from.deleted[0] : -1;
      move.added = is_known ? from.added[0] : -1;
      move.cost = from.cost;
      move.index = i;
      moves_.push_back(move);
    };
    for (int i : anywhere) append(i);
    num_anywhere_ = static_cast<std::uint32_t>(moves_.size());
    for (const auto& list : at) {
      const auto begin = static_cast<std::uint32_t>(moves_.size());
      for (int i : list) append(i);
      moves_at_.push_back({begin, static_cast<std::uint32_t>(moves_.size())});
    }
    candidates_.resize(moves_.size());
  }

  // Kept if it maps spots to spots, places to places, and what never changes to its like.
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
    if (is_identity) return;
    for (const Move& move : moves_) image.flip.push_back(image_of(image, move.flip));
    images_.push_back(std::move(image));
  }

  static State<P> image_of(const Image& image, const State<P>& spots) {
    State<P> r = zero_state<P>();
    for_each_in<P>(spots, [&](int spot) { r = r | image.spot[spot]; });
    return r;
  }

  State<P> key(const State<P>& rest, int place) const {
    State<P> s = rest;
    if (place_mask_ != 0) s.w[place_shift_ / 64] |= static_cast<Word>(place) << (place_shift_ % 64);
    return s;
  }
  State<P> rest_of(const State<P>& s) const { return s & spots_mask_; }
  int place_of(const State<P>& s) const {
    if (!pieces_.has_agent()) return -1;
    return static_cast<int>(s.w[place_shift_ / 64] >> (place_shift_ % 64) & place_mask_);
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

  PlaceSet<Q> open_places(const State<P>& rest) const {
    PlaceSet<Q> blocked = zero_state<Q>();
    for_each_in<P>(rest, [&](int spot) { blocked = blocked | blocks_[spot]; });
    return without(graph_.all(), blocked);
  }

  // --- The search ---

  std::uint32_t small(PackedCost cost) const {
    if (num_components_ == 1) {
      if (cost >= kClosed) throw std::overflow_error("a cost is too large for A*");
      return static_cast<std::uint32_t>(cost);
    }
    if (cost >> 32 >= 0x8000 || (cost & 0xffffffffu) >= 0x10000)
      throw std::overflow_error("a cost is too large for A*");
    return static_cast<std::uint32_t>(cost >> 32 << 16 | (cost & 0xffff));
  }
  PackedCost large(std::uint32_t cost) const {
    cost &= ~kClosed;
    return num_components_ == 1 ? cost : PackedCost{cost >> 16} << 32 | (cost & 0xffff);
  }

  void stop(Status status) {
    if (status_ == Status::running) status_ = status;
  }

  Concrete initial() const { return {set_of(pieces_.initial), pieces_.initial_place}; }

  State<P> canonical_of(const Concrete& state) const {
    PlaceSet<Q> region = zero_state<Q>();
    if (merges_regions_) region = graph_.reach(numbers_.bit_of[state.place], open_places(state.rest));
    return canonical(state.rest, state.place, region,
                     [&](std::size_t i) { return image_of(images_[i], state.rest); });
  }

  void search(Control& control) {
    const Concrete start = initial();
    true_spots_.clear();
    for_each_in<P>(start.rest, [&](int spot) { true_spots_.push_back(spot); });
    PackedCost h = pieces_.goals.empty() ? kInfiniteCost : bound_.set(true_spots_, start.place);
    if (freezing_.is_dead(start.rest)) h = kInfiniteCost;
    if (h == kInfiniteCost) return stop(Status::exhausted);
    if (walks_.applies() && !is_goal(start.rest))
      h += pieces_.walk_cost * walks_.steps(walks_.of_spots(true_spots_), start.place);
    initial_bound_ = least_f_ = h;
    if (!table_.reserve(1) || !cost_.reserve(1) || !parent_.reserve(1)) return stop(Status::memory);
    const State<P> stored = canonical_of(start);
    table_.insert(stored, hash(stored));
    cost_[0] = 0;
    parent_[0] = kNoState;
    if (!open_.push(h, h, 0)) return stop(Status::memory);
    while (status_ == Status::running) {
      if (open_.empty()) return stop(finish_ == kNoState ? Status::exhausted : Status::goal);
      least_f_ = std::max(least_f_, open_.least_f());
      if (finish_ != kNoState && open_.least_f() >= finish_cost_) return stop(Status::goal);
      const StateId node = open_.pop();
      if (const StateId next = open_.peek(); next != kNoState) {
        table_.prefetch_state(next);
        __builtin_prefetch(&cost_[next]);
      }
      if (cost_[node] & kClosed) continue;
      if (num_expanded_ % kExpansionsPerCheck == 0)
        stop(control.check(least_f_, table_.size(), num_expanded_,
                           [this] { return budget_.used(); }));
      if (status_ != Status::running) return;
      expand(node);
    }
  }

  void expand(StateId node) {
    const State<P> s = table_[node];
    const State<P> rest = rest_of(s);
    const int place = place_of(s);
    const PackedCost g = large(cost_[node]);
    cost_[node] |= kClosed;
    ++num_expanded_;
    PlaceSet<Q> open = zero_state<Q>(), region = zero_state<Q>();
    if (pieces_.has_agent()) open = open_places(rest);
    if (merges_regions_) region = graph_.reach(numbers_.bit_of[place], open);
    if (is_finished(node, rest, place, open, region, g)) return;

    true_spots_.clear();
    for_each_in<P>(rest, [&](int spot) { true_spots_.push_back(spot); });
    bound_.set(true_spots_, place);
    if (walks_.applies()) balance_ = walks_.of_spots(true_spots_);
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
        candidates_[num_candidates++] = i;
        if (move.from_bit >= 0) insert(wanted, move.from_bit);
      }
    };
    collect(0, num_anywhere_);
    for (int spot : true_spots_) collect(moves_at_[spot].begin, moves_at_[spot].end);
    if (pieces_.has_agent() && !merges_regions_) measure(place, open, wanted);
    // Each successor's slot is fetched first, then what stands there, then it is inserted.
    pending_.clear();
    for (unsigned i = 0; i < num_candidates; ++i) {
      const Move& move = moves_[candidates_[i]];
      PackedCost cost = g + move.cost;
      if (move.from_bit >= 0 && !merges_regions_) {
        if (steps_to_[move.from_bit] < 0) continue;
        cost += pieces_.walk_cost * static_cast<PackedCost>(steps_to_[move.from_bit]);
      }
      generate(rest, open, candidates_[i], cost);
    }
    const std::size_t rows = table_.size() + pending_.size();
    if (!table_.reserve(pending_.size()) || !cost_.reserve(rows) || !parent_.reserve(rows))
      return stop(Status::memory);
    for (Pending& next : pending_) {
      next.at = table_.approach(next.hash);
      if (const StateId there = table_.at(next.at); there != kNoState)
        __builtin_prefetch(&cost_[there]);
    }
    for (const Pending& next : pending_) {
      settle(node, rest, place, next);
      if (status_ != Status::running) return;
    }
  }

  // Walking distances from `place` to the wanted places, in steps; -1: not reached.
  void measure(int place, const PlaceSet<Q>& open, PlaceSet<Q> wanted) {
    if (steps_to_.empty()) steps_to_.assign(Q * 64, -1);
    for_each_in<Q>(wanted, [&](int bit) { steps_to_[bit] = -1; });
    PlaceSet<Q> reached = zero_state<Q>();
    insert(reached, numbers_.bit_of[place]);
    PlaceSet<Q> frontier = reached;
    for (int steps = 0;; ++steps) {
      const PlaceSet<Q> found = frontier & wanted;
      if (!is_empty(found)) {
        for_each_in<Q>(found, [&](int bit) { steps_to_[bit] = steps; });
        wanted = without(wanted, found);
        if (is_empty(wanted)) return;
      }
      frontier = without(graph_.neighbours(frontier) & open, reached);
      if (is_empty(frontier)) return;
      reached = reached | frontier;
    }
  }

  void generate(const State<P>& rest, const PlaceSet<Q>& open, std::uint32_t row, PackedCost cost) {
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
    PlaceSet<Q> region = zero_state<Q>();
    if (merges_regions_) {
      const bool is_simple = move.added >= 0 && !blocks_overlap_;
      const PlaceSet<Q> open_next =
          is_simple ? without(open | blocks_[move.deleted], blocks_[move.added]) : open_places(next);
      region = graph_.reach(move.to_bit, open_next);
    }
    const State<P> stored =
        canonical(next, move.to, region,
                  [&](std::size_t i) { return parent_images_[i] ^ images_[i].flip[row]; });
    pending_.push_back({stored, hash(stored), 0, cost, row});
    table_.prefetch(pending_.back().hash);
  }

  void settle(StateId parent, const State<P>& rest, int place, const Pending& pending) {
    const auto [node, is_new] = table_.insert(pending.stored, pending.hash, pending.at);
    const std::uint32_t packed = small(pending.cost);
    if (!is_new && (cost_[node] & ~kClosed) <= packed) return;
    const Move& move = moves_[pending.row];
    const State<P> next = rest ^ move.flip;
    PackedCost bound;
    if (move.added >= 0) {
      bound = bound_.after(move.deleted, move.added, move.to);
    } else {
      successor_spots_.clear();
      for_each_in<P>(next, [&](int spot) { successor_spots_.push_back(spot); });
      bound = bound_.set(successor_spots_, move.to);
      bound_.set(true_spots_, place);
    }
    parent_[node] = parent;
    if (bound == kInfiniteCost) {  // never looked at again
      cost_[node] = kClosed;
      ++num_dead_;
      return;
    }
    cost_[node] = packed;
    // A move does not change the balance: it is that of the agent before it.
    if (walks_.applies() && !is_goal(next))
      bound += pieces_.walk_cost * walks_.steps(balance_, graph_.place_of(move.from_bit));
    if (!open_.push(pending.cost + bound, bound, node)) stop(Status::memory);
  }

  bool is_goal(const State<P>& rest) const {
    return std::any_of(goals_.begin(), goals_.end(), [&](const Test& goal) {
      return goal.place < 0 && in_cube(rest, goal.mask, goal.value);
    });
  }

  bool is_finished(StateId node, const State<P>& rest, int place, const PlaceSet<Q>& open,
                   const PlaceSet<Q>& region, PackedCost g) {
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
        stop(Status::goal);
        return true;
      }
    }
    return false;
  }

  // --- The answer ---

  // Appends the walk from one place to another.
  void walk(const State<P>& rest, int from, int to, std::vector<OperatorId>& plan) const {
    const PlaceSet<Q> open = open_places(rest);
    std::vector<int> before(pieces_.num_places(), -1), queue{from};
    std::vector<OperatorId> by(pieces_.num_places(), -1);
    before[from] = from;
    for (std::size_t i = 0; i < queue.size() && before[to] < 0; ++i)
      for (const Walk& step : pieces_.walks[queue[i]]) {
        if (before[step.to] >= 0 || !contains(open, numbers_.bit_of[step.to])) continue;
        before[step.to] = queue[i];
        by[step.to] = step.id;
        queue.push_back(step.to);
      }
    const std::size_t size = plan.size();
    for (int at = to; at != from; at = before[at]) plan.push_back(by[at]);
    std::reverse(plan.begin() + static_cast<std::ptrdiff_t>(size), plan.end());
  }

  // The chain of stored states is known; on the way along it, the true state is played.
  std::vector<OperatorId> plan() {
    std::vector<StateId> chain;
    for (StateId node = finish_; node != kNoState; node = parent_[node]) chain.push_back(node);
    std::reverse(chain.begin(), chain.end());
    std::vector<OperatorId> plan;
    Concrete now = initial();
    for (std::size_t i = 1; i < chain.size(); ++i) {
      const PackedCost paid = large(cost_[chain[i]]) - large(cost_[chain[i - 1]]);
      PlaceSet<Q> open = zero_state<Q>();
      if (pieces_.has_agent()) {
        open = open_places(now.rest);
        measure(now.place, open, graph_.all());
      }
      const Move* used = nullptr;
      for (const Move& move : moves_) {
        if (!in_cube(now.rest, move.mask, move.value)) continue;
        PackedCost cost = move.cost;
        if (move.from_bit >= 0) {
          if (steps_to_[move.from_bit] < 0) continue;
          cost += pieces_.walk_cost * static_cast<PackedCost>(steps_to_[move.from_bit]);
        }
        if (cost > paid) continue;
        if (!(canonical_of({now.rest ^ move.flip, move.to}) == table_[chain[i]])) continue;
        used = &move;
        break;
      }
      if (used == nullptr) throw std::logic_error("a plan cannot be followed");
      if (used->from_bit >= 0) walk(now.rest, now.place, graph_.place_of(used->from_bit), plan);
      plan.push_back(pieces_.moves[used->index].id);
      now = {now.rest ^ used->flip, used->to};
    }
    if (!pieces_.has_agent()) return plan;
    // To where the goal wants the agent: the nearest such place.
    measure(now.place, open_places(now.rest), graph_.all());
    int place = now.place, least = 1 << 30;
    for (const Test& goal : goals_) {
      if (!in_cube(now.rest, goal.mask, goal.value)) continue;
      if (goal.place < 0) return plan;
      const int steps = steps_to_[numbers_.bit_of[goal.place]];
      if (steps >= 0 && steps < least) least = steps, place = goal.place;
    }
    walk(now.rest, now.place, place, plan);
    return plan;
  }

  AStarOutcome outcome(const Control& control) {
    AStarOutcome result;
    result.status = status_;
    result.lower_bound = least_f_;
    if (status_ == Status::goal) {
      result.cost = result.lower_bound = finish_cost_;
      result.plan = plan();
    }
    result.num_states = table_.size();
    result.num_goal_states = finish_ != kNoState;
    result.num_expanded = num_expanded_;
    result.num_generated = num_generated_;
    result.num_dead = num_dead_;
    result.num_corrals = num_corrals_;
    result.initial_bound = initial_bound_;
    result.has_agent = pieces_.has_agent();
    result.merges_regions = merges_regions_;
    result.num_images = images_.size() + 1;
    result.seconds = control.seconds();
    result.bytes = budget_.peak();
    result.algorithm = "a*";
    return result;
  }

  struct Range {
    std::uint32_t begin = 0, end = 0;
  };

  const Pieces& pieces_;
  PieceBound& bound_;
  const PlaceNumbers& numbers_;
  PlaceGraph<Q> graph_;
  Options options_;
  int num_components_;
  Freezing<P> freezing_;
  DeadTable<P, Q> dead_;
  Corrals<P, Q> corrals_;
  WalkBound walks_;
  bool merges_regions_ = false, blocks_overlap_ = false;
  // How a state is stored: spots from bit 0 on, the place in a field.
  int place_shift_ = 0;
  Word place_mask_ = 0;
  State<P> spots_mask_;
  std::vector<PlaceSet<Q>> blocks_;  // per spot
  std::vector<Move> moves_;
  std::vector<Range> moves_at_;      // per spot
  std::uint32_t num_anywhere_ = 0;
  std::vector<Test> goals_, forbidden_;
  std::vector<Image> images_;        // without the identity
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
  // Of the state being expanded.
  std::vector<int> true_spots_, successor_spots_, steps_to_;
  std::vector<std::uint32_t> candidates_;
  WalkBound::Balance balance_;
  std::vector<State<P>> parent_images_;
  std::vector<Pending> pending_;
};

}  // namespace fewest
