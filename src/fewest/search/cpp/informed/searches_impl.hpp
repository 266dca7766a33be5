// Definitions of searches.hpp; each widths_*.cpp instantiates them for some pairs of widths.
#pragma once

#include "informed/bidirectional_astar.hpp"
#include "informed/ida_star.hpp"
#include "informed/searches.hpp"
#include "informed/shared_astar.hpp"

namespace fewest {

inline constexpr std::uint64_t kForEver = ~std::uint64_t{0};
inline constexpr std::uint64_t kBeforeChoice = 1000;  // expansions; whatever is solved by then needs no patterns
inline constexpr std::uint64_t kEntriesPerExpansion = 16;
inline constexpr std::size_t kSamples = 40;  // states by which zones are chosen
struct Zoning {
  std::uint64_t after;  // times `zones_from` expansions
  std::size_t states, filled;  // as zones.hpp has them
};
inline constexpr Zoning kZonings[] = {{1, 20000, std::size_t{1} << 19}, {2, 50000, std::size_t{1} << 23}};
inline constexpr int kWeightOfStart = 20;  // in samples, where the other zones are chosen
inline constexpr std::size_t kShareOfZones = 8;  // of the memory, of each end

// A* or IDA*, or one after the other, with pattern databases or zones where they pay.
template <int P, int Q>
class Informed {
 public:
  Informed(const Problem& problem, const PieceProblem& prepared, const Hints& hints,
           const Options& options, const InformedOptions& informed, Control& control)
      : prepared_(prepared),
        hints_(hints),
        options_(options),
        informed_(informed),
        control_(control),
        patterns_(*prepared.pieces, problem, prepared.num_components, options.memory) {}

  AStarOutcome run() {
    AStarOutcome found = informed_.is_deepening ? search<IdaStar<P, Q>>() : search<AStar<P, Q>>();
    if (found.status == Status::memory) {
      const AStarOutcome before = std::move(found);
      found = IdaStar<P, Q>(prepared_, hints_, options_).run(control_, kForEver, before);
      found.initial_bound = before.initial_bound;
    }
    for (const auto& zones : {&zones_, &other_zones_, &back_zones_})
      if (*zones && (*zones)->exist()) {
        found.num_zones += (*zones)->num_zones();
        found.zone_bytes += (*zones)->bytes();
        found.bytes += (*zones)->bytes();
      }
    if (!is_built_) return found;
    for (const auto& groups : patterns_.groups()) {
      found.patterns.emplace_back();
      for (int g : groups)
        found.patterns.back().push_back(prepared_.pieces->spots[prepared_.pieces->groups[g].spots[0]]);
    }
    found.pattern_entries = patterns_.num_entries();
    found.pattern_bytes = patterns_.bytes();
    found.bytes += patterns_.bytes();
    return found;
  }

 private:
  // Tables are built when the search without them has taken about as long as that will take: so they cost
  // at most twice what is needed, and nothing where a task is easy.
  template <class Search>
  AStarOutcome search() {
    AStarOutcome nothing;
    nothing.lower_bound = informed_.at_least;
    const bool is_forced = informed_.patterns == UsePatterns::always;
    if (informed_.patterns == UsePatterns::never) return whole<Search>(nothing);
    if (prepared_.pieces->has_agent()) return among_pieces<Search>(nothing);
    auto plain = std::make_unique<Search>(prepared_, hints_, options_);
    AStarOutcome outcome = plain->run(control_, is_forced ? 0 : kBeforeChoice, nothing);
    if (outcome.status != Status::running) return outcome;
    outcome.status = patterns_.choose(control_);
    if (outcome.status != Status::running) return outcome;
    if (!(is_forced ? patterns_.exist() : patterns_.pay())) {
      plain.reset();
      return whole<Search>(nothing);
    }
    if (!is_forced)
      outcome = plain->run(control_, patterns_.num_entries() / kEntriesPerExpansion, nothing);
    if (outcome.status != Status::running) return outcome;
    plain.reset();
    outcome.status = patterns_.build(control_, options_.threads);
    if (outcome.status != Status::running) return outcome;
    is_built_ = true;
    prepared_.bound->use(patterns_);
    options_.memory -= patterns_.bytes();
    return whole<Search>(outcome);
  }

  // With zones, where there can be any, once it is long, and with larger ones when it is longer.
  template <class Search>
  AStarOutcome among_pieces(const AStarOutcome& nothing) {
    const Pieces& pieces = *prepared_.pieces;
    AStarOutcome outcome = nothing;
    const bool is_forced = informed_.patterns == UsePatterns::always;
    for (const Zoning& zoning : kZonings) {
      if (!informed_.has_zones) break;
      if (is_forced && &zoning != std::end(kZonings) - 1) continue;
      std::unique_ptr<Zones> zones = zones_of(prepared_, {pieces.initial, {}, pieces.initial_place}, zoning);
      if (!zones) break;
      std::vector<PieceCube> samples;
      {
        Search before(prepared_, hints_, options_);
        outcome = before.run(control_, is_forced ? 0 : zoning.after * informed_.zones_from, outcome);
        if (outcome.status != Status::running) return outcome;
        if constexpr (std::is_same_v<Search, AStar<P, Q>>) samples = before.samples(kSamples);
      }
      outcome.status = build(*zones, prepared_, std::move(samples));
      if (outcome.status != Status::running) return outcome;
      if (!zones->exist()) break;
      zones_ = std::move(zones);
    }
    if (zones_) options_.memory -= zones_->bytes();
    return whole<Search>(outcome);
  }

  // None where there can be none.
  std::unique_ptr<Zones> zones_of(const PieceProblem& problem, const PieceCube& start, const Zoning& zoning,
                                  int weight_of_start = 1) const {
    auto zones = std::make_unique<Zones>(*problem.pieces, problem.bound->table(0), problem.num_components, start,
                                         ZoneLimits{informed_.most_in_zone, zoning.states, zoning.filled,
                                                    options_.memory / kShareOfZones, weight_of_start});
    return zones->apply() ? std::move(zones) : nullptr;
  }

  Status build(Zones& zones, const PieceProblem& problem, std::vector<PieceCube> samples) {
    const Status status = zones.build(control_, std::move(samples));
    if (status == Status::running && zones.exist()) problem.bound->use(zones);
    return status;
  }

  // Ends what another thread does.
  struct Halt final : Host {
    std::atomic<bool> is_over = false;
    bool poll(const Snapshot&, bool) override { return is_over; }
  };

  // Zones of the other end; and on a second thread, so that it takes no time, others of this one, chosen by the start more than
  // by samples. These are for A* alone: where two ends looked them up as well it took up to a third of their speed.
  Status build_both(const BackwardProblem& back, std::vector<PieceCube> samples) {
    const Pieces& pieces = *prepared_.pieces;
    const Zoning& zoning = *std::rbegin(kZonings);
    back_zones_ = zones_of(*back.problem, back.starts[0], zoning);
    std::unique_ptr<Zones> others;
    Gang gang(std::min<std::size_t>(2, options_.threads));
    if (gang.size() > 1)
      others = zones_of(prepared_, {pieces.initial, {}, pieces.initial_place}, zoning, kWeightOfStart);
    Status status = Status::running, status_of_others = Status::running;
    Halt halt;
    Control quiet({.seconds = options_.seconds - control_.seconds(), .host = &halt});
    gang.all([&](std::size_t i) {
      if (i == 1) {
        try {
          status_of_others = others->build(quiet, std::move(samples));
        } catch (const std::bad_alloc&) {
          status_of_others = Status::memory;
        }
        return;
      }
      try {
        if (back_zones_) status = build(*back_zones_, *back.problem, {});
        halt.is_over = status != Status::running;
      } catch (...) {
        halt.is_over = true;
        throw;
      }
    });
    if (status != Status::running) return status;
    if (others && status_of_others == Status::running && others->exist()) {
      other_zones_ = std::move(others);
      options_.memory -= other_zones_->bytes();
    }
    if (back_zones_) options_.memory -= back_zones_->bytes();
    return Status::running;
  }

  // All of it: on several threads, where it is A* and takes so long that they are worth it.
  template <class Search>
  AStarOutcome whole(const AStarOutcome& before) {
    const bool is_astar = std::is_same_v<Search, AStar<P, Q>>;
    if (is_astar && informed_.has_both_ends && can_go_backward(prepared_)) {
      const BackwardProblem back = backward(prepared_);
      if (!zones_) return BidirectionalAStar<P, Q>(prepared_, back, hints_, options_).run(control_, before);
      AStarOutcome found;
      std::vector<PieceCube> samples;
      {
        AStar<P, Q> alone(prepared_, hints_, options_);
        found = alone.run(control_, informed_.before_both_ends, before);
        if (found.status != Status::running) return found;
        samples = alone.samples(kSamples);
      }
      found.status = build_both(back, std::move(samples));
      if (found.status != Status::running) return found;
      auto alone = std::make_unique<PieceBound>(*prepared_.bound);
      if (other_zones_) alone->use_too(*other_zones_);
      return BidirectionalAStar<P, Q>(prepared_, back, hints_, options_, std::move(alone)).run(control_, found);
    }
    const bool may_be_shared = is_astar && options_.threads > 1, is_kept = is_astar && !informed_.file.empty();
    if (!is_kept) {
      Search alone(prepared_, hints_, options_);
      AStarOutcome found = alone.run(control_, may_be_shared ? informed_.share_from : kForEver, before);
      if (found.status != Status::running) return found;
    }
    return SharedAStar<P, Q>(prepared_, hints_, options_)
        .run(control_, before, KeptStates(informed_.file, informed_.keep_every));
  }

  const PieceProblem& prepared_;
  const Hints& hints_;
  Options options_;
  InformedOptions informed_;
  Control& control_;
  Patterns patterns_;
  bool is_built_ = false;
  std::unique_ptr<Zones> zones_, other_zones_, back_zones_;
};

template <int P, int Q>
AStarOutcome astar_widths(const Problem& problem, const PieceProblem& prepared, const Hints& hints,
                          const Options& options, const InformedOptions& informed,
                          Control& control) {
  return Informed<P, Q>(problem, prepared, hints, options, informed, control).run();
}

}  // namespace fewest

#define FEWEST_COMPILE_WIDTHS(P, Q)                                                                 \
  namespace fewest {                                                                                \
  template AStarOutcome astar_widths<P, Q>(const Problem&, const PieceProblem&, const Hints&,       \
                                           const Options&, const InformedOptions&, Control&);       \
  }
