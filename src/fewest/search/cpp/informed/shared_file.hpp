// The states of an A* search on several threads in a file (kept_states.hpp): of each state itself, its cost, and the number
// of the one that it was reached from. What is open follows from them.
#pragma once

#include "informed/kept_states.hpp"
#include "informed/shared_part.hpp"

namespace fewest {

template <int P, int Q>
class SharedFile {
  using Part = SharedPart<P, Q>;
  using Parts = typename Part::Parts;

 public:
  SharedFile(std::string path, double every) : kept_(std::move(path), every) {}

  bool is_wanted() const { return kept_.is_wanted(); }
  bool is_due() const { return kept_.is_due(); }

  // `finish`: the part with the cheapest end, or null. False: the disk is full.
  [[nodiscard]] bool save(const Parts& parts, const Part* finish, PackedCost least_f) {
    const std::size_t n = parts.size();
    std::vector<StateId> first{0};  // per part the number of its first state
    for (const auto& part : parts) first.push_back(first.back() + static_cast<StateId>(part->closed().size()));
    const auto number = [&](StateId name) { return name == kNoState ? name : first[name % n] + name / n; };
    KeptStates::Counts counts{.key = key(*parts[0]), .num_states = first.back(), .least_f = least_f};
    for (const auto& part : parts) {
      counts.num_expanded += part->generator().num_expanded();
      counts.num_generated += part->generator().num_generated();
      counts.num_dead += part->generator().pruning().num_dead();
      counts.num_corrals += part->generator().pruning().num_corrals();
    }
    if (finish != nullptr) {
      counts.finish = number(finish->name_of(finish->finish));
      counts.finish_cost = finish->finish_cost;
    }
    return kept_.write(counts, [&](auto out) {
      pour<State<P>>(parts, out, [](const Part& part, StateId i) { return part.closed()[i]; });
      pour<std::uint32_t>(parts, out, [](const Part& part, StateId i) { return part.closed().stored_cost(i); });
      pour<StateId>(parts, out, [&](const Part& part, StateId i) { return number(part.closed().parent(i)); });
    });
  }

  struct Restored {
    bool is_there = false, is_whole = true;  // not whole: the memory was too small
    PackedCost least_f = 0;
    std::uint64_t num_states = 0;
  };
  Restored restore(const Parts& parts) const {
    Restored found;
    try {
      found.is_there = kept_.read(key(*parts[0]), kRowBytes, [&](const KeptStates::Counts& counts, auto in) {
        take_back(parts, counts, in);
        found.least_f = counts.least_f;
        found.num_states = counts.num_states;
      });
    } catch (const NoRoom&) {
      found = {true, false};
    }
    return found;
  }

 private:
  static constexpr std::size_t kRowsAtOnce = 4096;
  static constexpr std::size_t kRowBytes = sizeof(State<P>) + 2 * sizeof(std::uint32_t);
  struct NoRoom {};

  // Of what must be the same for the states to mean the same.
  static Word key(const Part& any) {
    const PieceStates<P, Q>& states = any.generator().states();
    const CanonicalStates<P, Q>& canonical = any.generator().canonical();
    Word key = P;
    for (std::size_t count : {states.moves.size(), states.blocks.size(), canonical.num_images() - 1,
                              states.goals.size(), states.forbidden.size(), std::size_t{canonical.merges_regions()}})
      key = fold_multiply(key ^ count, 0xd6e8feb86659fd93u) + count;
    return key;
  }

  template <class T, class Out, class Value>
  static void pour(const Parts& parts, Out out, Value value) {
    std::vector<T> rows;
    for (const auto& part : parts)
      for (StateId i = 0; i < part->closed().size(); ++i) {
        rows.push_back(value(*part, i));
        if (rows.size() < kRowsAtOnce) continue;
        out(rows.data(), rows.size() * sizeof(T));
        rows.clear();
      }
    if (!rows.empty()) out(rows.data(), rows.size() * sizeof(T));
  }

  template <class In>
  static void take_back(const Parts& parts, const KeptStates::Counts& counts, In in) {
    std::vector<StateId> names;
    scoop<State<P>>(counts.num_states, in, [&](Word, const State<P>& s) {
      Part& owner = *parts[parts[0]->owner_of(hash(s))];
      if (owner.closed().size() + 1 >= kNoState / parts.size() || !owner.closed().reserve(1)) throw NoRoom();
      names.push_back(owner.name_of(owner.closed().insert(s, hash(s), 0).node));
    });
    const auto part_of = [&](StateId name) -> Part& { return *parts[name % parts.size()]; };
    const auto node_of = [&](StateId name) { return static_cast<StateId>(name / parts.size()); };
    scoop<std::uint32_t>(counts.num_states, in, [&](Word i, std::uint32_t cost) {
      part_of(names[i]).closed().restore_cost(node_of(names[i]), cost);
    });
    scoop<StateId>(counts.num_states, in, [&](Word i, StateId from) {
      part_of(names[i]).closed().restore_parent(node_of(names[i]), from < names.size() ? names[from] : kNoState);
    });
    parts[0]->generator().restore(counts.num_expanded, counts.num_generated);
    parts[0]->generator().pruning().restore(counts.num_dead, counts.num_corrals);
    if (counts.finish >= names.size()) return;
    Part& finish = part_of(names[counts.finish]);
    finish.finish = node_of(names[counts.finish]);
    finish.finish_cost = counts.finish_cost;
  }

  template <class T, class In, class Take>
  static void scoop(Word count, In in, Take take) {
    std::vector<T> rows;
    for (Word at = 0; at < count; at += rows.size()) {
      rows.resize(std::min<Word>(kRowsAtOnce, count - at));
      in(rows.data(), rows.size() * sizeof(T));
      for (std::size_t i = 0; i < rows.size(); ++i) take(at + i, rows[i]);
    }
  }

  KeptStates kept_;
};

}  // namespace fewest
