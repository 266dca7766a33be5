// Informed searches for tests. The stages run in order, with the tables that a test selects.
#pragma once

#include "informed/informed_problem.hpp"

namespace stages {

using namespace fewest;

enum class UsePatterns { never, if_they_pay, always };

struct Stages {
  Algorithm algorithm = Algorithm::astar;
  UsePatterns patterns = UsePatterns::if_they_pay;
  bool has_both_ends = false;
  std::uint64_t share_from = 20000;  // the work after which threads start
  bool has_local_pdbs = false;
  std::uint64_t local_pdbs_from = 20000;  // small local PDBs are built after this work; large ones, after twice as much
  std::uint64_t before_both_ends = 40000;
  int most_in_local_pdb = 56;
  std::uint64_t at_once = ~std::uint64_t{0};  // the work of one call of `advance`
  Weight weight = {};
  std::string file = {};
  double save_every = 60;
};

struct Found : InformedOutcome {
  std::vector<std::vector<FactId>> patterns;
  int num_local_pdbs = 0;
};

class StagedSearch {
 public:
  StagedSearch(const Problem& problem, const CostTable& costs, const Hints& hints, const Options& options,
               const Stages& stages)
      : problem_(problem, costs, hints), hints_(hints), options_(options), stages_(stages), control_(options_) {}

  Found run() {
    begin(stages_.algorithm);
    Status status = with_tables();
    if (status == Status::memory) {
      begin(Algorithm::ida_star);
      status = until(kForEver);
    }
    Found found{search_->outcome(), problem_.patterns(), problem_.num_local_pdbs()};
    if (found.status == Status::running) found.status = status;
    found.num_expanded += expanded_;
    found.lower_bound = std::max(found.lower_bound, bound_);
    found.bytes = std::max<std::uint64_t>(found.bytes, bytes_) + tables();
    return found;
  }

 private:
  static constexpr std::uint64_t kForEver = ~std::uint64_t{0};

  Status with_tables() {
    if (stages_.patterns == UsePatterns::never) return to_the_end();
    if (!problem_.has_agent()) return with_patterns();
    return stages_.has_local_pdbs && problem_.can_have_local_pdbs() ? with_local_pdbs() : to_the_end();
  }

  Status with_patterns() {
    const bool is_forced = stages_.patterns == UsePatterns::always;
    Status status = until(is_forced ? 0 : 1000);
    if (status == Status::running) status = problem_.choose_patterns(control_, options_.memory);
    if (status != Status::running) return status;
    if (!(is_forced ? problem_.has_pattern_choice() : problem_.do_patterns_pay())) return to_the_end();
    if (!is_forced) status = until(problem_.num_pattern_entries() / 16);
    if (status == Status::running) status = problem_.build_patterns(control_, options_.threads);
    if (status != Status::running) return status;
    begin(stages_.algorithm);
    return to_the_end();
  }

  Status with_local_pdbs() {
    const bool is_forced = stages_.patterns == UsePatterns::always;
    for (std::uint64_t stage : {1, 2}) {
      if (is_forced && stage == 1) continue;
      Status status = until(is_forced ? 0 : stage * stages_.local_pdbs_from);
      if (status == Status::running) status = problem_.build_local_pdbs(control_, limits(stage), search_->samples(40));
      if (status != Status::running) return status;
      if (!problem_.has_local_pdbs()) break;
      begin(stages_.algorithm);
    }
    return to_the_end();
  }

  Status to_the_end() {
    const bool is_astar = stages_.algorithm == Algorithm::astar;
    if (is_astar && stages_.has_both_ends && problem_.can_begin_at_goals()) {
      if (problem_.has_local_pdbs()) {
        Status status = until(stages_.before_both_ends);
        if (status == Status::running) status = problem_.build_local_pdbs_from_goals(control_, limits(2));
        if (status != Status::running) return status;
      }
      begin(Algorithm::both_ends, options_.threads);
      return until(kForEver);
    }
    const bool is_shared = is_astar && options_.threads > 1, is_saved = is_astar && !stages_.file.empty();
    if (!is_saved)
      if (const Status status = until(is_shared ? stages_.share_from : kForEver); status != Status::running)
        return status;
    begin(Algorithm::astar, options_.threads, stages_.file);
    return until(kForEver);
  }

  LocalPdbLimits limits(std::uint64_t stage) const {
    return {stages_.most_in_local_pdb, stage == 1 ? 20000u : 50000u, std::size_t{1} << (stage == 1 ? 19 : 23),
            options_.memory / 8};
  }

  Status until(std::uint64_t work) {
    Status status = Status::running;
    while (status == Status::running && search_->work() < work) {
      const std::uint64_t left = work - search_->work();
      status = search_->advance(control_, {.work = search_->work() + std::min(left, stages_.at_once)});
      bound_ = std::max(bound_, search_->bound());
    }
    return status;
  }

  void begin(Algorithm algorithm, std::size_t threads = 1, std::string file = {}) {
    if (search_ && search_->work() > 0) {
      const InformedOutcome before = search_->outcome();
      expanded_ += before.num_expanded;
      bytes_ = std::max<std::size_t>(bytes_, before.bytes);
    }
    search_.reset();
    SearchOptions options;
    options.algorithm = algorithm;
    options.memory = options_.memory - std::min(options_.memory, tables());
    options.threads = threads;
    if (algorithm == Algorithm::astar) options.weight = stages_.weight;
    options.at_least = bound_;
    options.expanded_before = expanded_;
    options.most_in_table = options_.memory;
    options.file = std::move(file);
    options.save_every = stages_.save_every;
    if (algorithm == Algorithm::ida_star && options.memory > std::size_t{1} << 24) options.most_in_table = 1 << 20;
    search_ = make_search(problem_, hints_, options);
  }

  std::size_t tables() const { return problem_.pattern_bytes() + problem_.local_pdb_bytes(); }

  InformedProblem problem_;
  const Hints& hints_;
  Options options_;
  Stages stages_;
  Control control_;
  std::unique_ptr<InformedSearch> search_;
  PackedCost bound_ = 0;
  std::uint64_t expanded_ = 0;
  std::size_t bytes_ = 0;
};

inline Found astar(const Problem& problem, const CostTable& costs, const Hints& hints, const Options& options,
                   const Stages& stages = {}) {
  return StagedSearch(problem, costs, hints, options, stages).run();
}

}  // namespace stages
