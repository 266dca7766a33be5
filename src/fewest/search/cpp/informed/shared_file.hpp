// Saves and restores the states of an A* search on several threads (astar_checkpoint.hpp): each state, its cost, and
// the number of its parent. The open list is rebuilt from these data.
#pragma once

#include <cstring>
#include <functional>

#include "informed/astar_checkpoint.hpp"
#include "informed/shared_part.hpp"

namespace fewest {

class SharedFile {
 public:
  using Parts = std::vector<std::unique_ptr<SharedPart>>;

  SharedFile(std::string path, double every) : checkpoint_(std::move(path), every) {}

  bool is_wanted() const { return checkpoint_.is_wanted(); }
  bool is_due() const { return checkpoint_.is_due(); }

  // `finish`: the part that contains the end of the cheapest plan, or null. Returns false if the disk is full. Throws
  // FileError.
  [[nodiscard]] bool save(const Parts& parts, const SharedPart* finish, PackedCost least_f) {
    const std::size_t n = parts.size();
    std::vector<StateId> first{0};  // per part: the number of its first state
    for (const auto& part : parts) first.push_back(first.back() + static_cast<StateId>(part->space().size()));
    const auto number = [&](StateId name) { return name == kNoState ? name : first[name % n] + name / n; };
    AstarCheckpoint::Counts counts{.key = parts[0]->exchange().shape(), .num_states = first.back(), .least_f = least_f};
    for (const auto& part : parts) {
      InformedOutcome of_part;
      part->space().count(of_part);
      counts.num_expanded += of_part.num_expanded;
      counts.num_generated += of_part.num_generated;
      counts.num_dead += of_part.num_dead;
      counts.num_corrals += of_part.num_corrals;
    }
    if (finish != nullptr) {
      counts.finish = number(finish->name_of(finish->finish));
      counts.finish_cost = finish->finish_cost;
    }
    const std::size_t state_bytes = parts[0]->exchange().state_bytes();
    return checkpoint_.write(counts, [&](auto out) {
      const Out rows = out;
      pour(parts, state_bytes, rows, [&](const SharedPart& part, StateId i, void* to) {
        std::memcpy(to, part.exchange().state(i), state_bytes);
      });
      pour(parts, sizeof(std::uint32_t), rows, [](const SharedPart& part, StateId i, void* to) {
        const std::uint32_t cost = part.space().costs().stored_cost(i);
        std::memcpy(to, &cost, sizeof cost);
      });
      pour(parts, sizeof(StateId), rows, [&](const SharedPart& part, StateId i, void* to) {
        const StateId parent = number(part.space().costs().parent(i));
        std::memcpy(to, &parent, sizeof parent);
      });
    });
  }

  struct Restored {
    bool is_there = false, is_whole = true;  // `is_whole` is false if there was too little memory for all states
    PackedCost least_f = 0;
    std::uint64_t num_states = 0;
  };
  // Throws FileError, and Damage if the file belongs to another search or is damaged.
  Restored restore(const Parts& parts) const {
    Restored found;
    const std::size_t row_bytes = parts[0]->exchange().state_bytes() + sizeof(std::uint32_t) + sizeof(StateId);
    try {
      found.is_there = checkpoint_.read(parts[0]->exchange().shape(), row_bytes, [&](const AstarCheckpoint::Counts& counts, auto in) {
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
  struct NoRoom {};
  using Out = std::function<void(const void* data, std::size_t bytes)>;
  using In = std::function<void(void* data, std::size_t bytes)>;

  // Writes a row of `bytes` bytes for each state, in the order of the parts. value(part, i, to) stores the row of state
  // i of the part at `to`.
  template <class Value>
  static void pour(const Parts& parts, std::size_t bytes, const Out& out, Value value) {
    std::vector<char> rows(kRowsAtOnce * bytes);
    std::size_t count = 0;
    for (const auto& part : parts)
      for (StateId i = 0; i < part->space().size(); ++i) {
        value(*part, i, rows.data() + count * bytes);
        if (++count < kRowsAtOnce) continue;
        out(rows.data(), count * bytes);
        count = 0;
      }
    if (count > 0) out(rows.data(), count * bytes);
  }

  static void take_back(const Parts& parts, const AstarCheckpoint::Counts& counts, const In& in) {
    std::vector<StateId> names;
    const auto part_of = [&](StateId name) -> SharedPart& { return *parts[name % parts.size()]; };
    const auto node_of = [&](StateId name) { return static_cast<StateId>(name / parts.size()); };
    scoop(counts.num_states, parts[0]->exchange().state_bytes(), in, [&](Word, const void* state) {
      SharedPart& owner = *parts[parts[0]->exchange().owner_of(state)];
      const StateId node = owner.insert(state);
      if (node == kNoState) throw NoRoom();
      names.push_back(owner.name_of(node));
    });
    scoop(counts.num_states, sizeof(std::uint32_t), in, [&](Word i, const void* row) {
      std::uint32_t cost;
      std::memcpy(&cost, row, sizeof cost);
      part_of(names[i]).space().costs().restore(node_of(names[i]), cost);
    });
    scoop(counts.num_states, sizeof(StateId), in, [&](Word i, const void* row) {
      StateId from;
      std::memcpy(&from, row, sizeof from);
      const StateId parent = from < names.size() ? names[from] : kNoState;
      part_of(names[i]).space().costs().restore_parent(node_of(names[i]), parent);
    });
    parts[0]->exchange().restore(counts.num_expanded, counts.num_generated, counts.num_dead, counts.num_corrals);
    if (counts.finish >= names.size()) return;
    SharedPart& finish = part_of(names[counts.finish]);
    finish.finish = node_of(names[counts.finish]);
    finish.finish_cost = counts.finish_cost;
  }

  // Calls take(i, row) for each of `count` rows.
  template <class Take>
  static void scoop(Word count, std::size_t bytes, const In& in, Take take) {
    std::vector<char> rows(kRowsAtOnce * bytes);
    for (Word at = 0; at < count;) {
      const std::size_t size = std::min<Word>(kRowsAtOnce, count - at);
      in(rows.data(), size * bytes);
      for (std::size_t i = 0; i < size; ++i) take(at + i, rows.data() + i * bytes);
      at += size;
    }
  }

  AstarCheckpoint checkpoint_;
};

}  // namespace fewest
