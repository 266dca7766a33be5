// A transducer led through a diagram: ranges of numbers, and where they go.
//
// Problem: a layer of hundreds of millions of marks is to be moved without looking at each.
// Solution: transducer, node read and node written go down together. Where the operators are done and both nodes are
// the same, all numbers that go on from there move by the same distance: a range of bits is copied. Where few numbers
// are left, a list says of 64 at a time which of them move how far, as masks of words. It is the same wherever the
// three meet again, and is made once; and where others meet it is often the same again, since it knows no more of
// them than their order.
// Usage: sweep.hpp.
#pragma once

#include <span>
#include <unordered_map>

#include "index/diagram.hpp"
#include "index/transducer.hpp"

namespace fewest {

// Where a transducer stands; what it reads begins at `from`, what it writes at `to`.
struct Station {
  std::uint32_t node, read, written;
  Number from, to;
};

// Those of 64 numbers whose bits are in the mask move up by `turn`, modulo 64; they remain below 64.
struct Shift {
  Word mask;
  unsigned turn;
  bool operator==(const Shift&) const = default;
};

// Up to 64 numbers, from `from` on in what is read, of which those in the mask move: `to` is where those of `from` are
// written, and how far they all move say so many shifts.
struct Item {
  Word mask;
  std::uint32_t first_shift, num_shifts;
  std::uint16_t from, to;
  unsigned size;
  bool operator==(const Item&) const = default;
};

class Descent {
 public:
  // Lists are of so many numbers at most.
  static constexpr Number kMost = 4096;

  // Its lists take so many bytes at most, or little more.
  Descent(const Diagram& diagram, const Transducer& transducer, std::size_t most_bytes)
      : diagram_(&diagram), transducer_(&transducer), most_bytes_(most_bytes), slots_(64) {}

  std::size_t bytes() const {
    return slots_.size() * sizeof(Slot) + shifts_.bytes() + items_.bytes();
  }

  static Station root() { return {Transducer::kRoot, 0, 0, 0, 0}; }

  Number size(const Station& at) const { return diagram_->size(transducer_->node(at.node).level, at.read); }

  std::span<const Shift> shifts(const Item& item) const { return shifts_.get(item.first_shift, item.num_shifts); }

  // Calls sink.may(begin, end): whether anything in this range matters; sink.range(from, to, size, times); and
  // sink.items(from, to, items).
  template <class Sink>
  void go(const Station& at, Sink& sink) {
    const Number size = this->size(at);
    if (!sink.may(at.from, at.from + size)) return;
    if (size <= kMost && written_size(at) <= kMost) return sink.items(at.from, at.to, items(at));
    for_each_next(
        at, [&](const Station& below) { go(below, sink); },
        [&](std::uint32_t times) { sink.range(at.from, at.to, size, times); });
  }

  // The stations that the same work can be begun at, each of so many numbers at most.
  void split(const Station& at, Number most, std::vector<Station>& stations) const {
    if (size(at) <= most) return stations.push_back(at);
    for_each_next(
        at, [&](const Station& below) { split(below, most, stations); },
        [&](std::uint32_t times) {
          const std::uint32_t copier = transducer_->copier(transducer_->node(at.node).level);
          for (; times > 0; --times) stations.push_back({copier, at.read, at.written, at.from, at.to});
        });
  }

 private:
  static constexpr Word kNoKey = ~Word{0};

  struct Slot {
    Word key = kNoKey;
    std::uint32_t first = 0, count = 0;
  };

  Number written_size(const Station& at) const {
    return diagram_->size(transducer_->node(at.node).level, at.written);
  }

  // Calls next(station) for what goes on, whole(times) for what moves as one.
  template <class Next, class Whole>
  void for_each_next(const Station& at, Next next, Whole whole) const {
    const Transducer::Node& node = transducer_->node(at.node);
    if (node.done > 0) {
      if (at.read == at.written) {
        whole(node.done);
      } else if (const std::uint32_t copier = transducer_->copier(node.level); copier != at.node) {
        for (std::uint32_t i = 0; i < node.done; ++i) next(Station{copier, at.read, at.written, at.from, at.to});
      }
      if (at.read == at.written && transducer_->copier(node.level) == at.node) return;
    }
    const Word* read = diagram_->row(node.level, at.read);
    const Word* written = diagram_->row(node.level, at.written);
    for (const Transducer::Edge& edge : transducer_->edges(at.node)) {
      const Word from = read[edge.from], to = written[edge.to];
      if (from == Diagram::kNone || to == Diagram::kNone) continue;
      next(Station{edge.next, Diagram::child(from), Diagram::child(to), at.from + Diagram::before(from),
                   at.to + Diagram::before(to)});
    }
  }

  std::span<const Item> items(const Station& at) {
    const Word key = Word{at.node} << 48 | Word{at.read} << 24 | at.written;
    Slot* slot = slot_of(key);
    if (slot->key != key) {
      if (2 * ++num_slots_ > slots_.size()) slot = widen(key);
      list_.clear();
      collect({at.node, at.read, at.written, 0, 0});
      *slot = {key, items_.put(list_), static_cast<std::uint32_t>(list_.size())};
    }
    return items_.get(slot->first, slot->count);
  }

  // Where it is, or would be.
  Slot* slot_of(Word key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = (key * 0x9E3779B97F4A7C15u) >> 24 & mask;
    while (slots_[i].key != key && slots_[i].key != kNoKey) i = (i + 1) & mask;
    return &slots_[i];
  }

  // Twice as many slots, or all of them anew; where a key would be then.
  Slot* widen(Word key) {
    std::vector<Slot> slots(2 * slots_.size());
    if (2 * bytes() > most_bytes_) {
      slots.resize(slots_.size());
      slots_.clear(), shifts_.clear(), items_.clear();
      num_slots_ = 1;
    }
    slots_.swap(slots);
    for (const Slot& slot : slots)
      if (slot.key != kNoKey) *slot_of(slot.key) = slot;
    return slot_of(key);
  }

  // Adds the items of a station.
  void collect(const Station& at) {
    const Number size = this->size(at);
    if (size <= 64 && written_size(at) <= 64) {
      moves_.clear();
      collect_moves({at.node, at.read, at.written, 0, 0});
      return add_item(at.from, at.to, size);
    }
    for_each_next(
        at, [this](const Station& below) { collect(below); },
        [&](std::uint32_t times) {
          for (Number i = 0; i < size; i += 64) {
            const Number width = std::min<Number>(64, size - i);
            moves_.assign(times, {~Word{0} >> (64 - width), 0});
            add_item(at.from + i, at.to + i, width);
          }
        });
  }

  void add_item(Number from, Number to, Number size) {
    if (moves_.empty()) return;
    Item item{0, shifts_.put(moves_), static_cast<std::uint32_t>(moves_.size()), static_cast<std::uint16_t>(from),
              static_cast<std::uint16_t>(to), static_cast<unsigned>(size)};
    for (const Shift& shift : moves_) item.mask |= shift.mask;
    list_.push_back(item);
  }

  void collect_moves(const Station& at) {
    const Number size = this->size(at);
    for_each_next(
        at, [this](const Station& below) { collect_moves(below); },
        [&](std::uint32_t times) {
          for (; times > 0; --times)
            for (Number i = 0; i < size; ++i) add_move(at.from + i, at.to + i);
        });
  }

  // What is met twice is counted twice.
  void add_move(Number from, Number to) {
    const auto turn = static_cast<unsigned>(to - from) % 64;
    const Word bit = Word{1} << from;
    for (Shift& shift : moves_)
      if (shift.turn == turn && !(shift.mask & bit)) return static_cast<void>(shift.mask |= bit);
    moves_.push_back({bit, turn});
  }

  // Lists of which equal ones are one.
  template <class T>
  class Pool {
   public:
    std::uint32_t put(const std::vector<T>& list) {
      Word hash = list.size();
      for (const T& one : list) hash = (hash ^ hash >> 29 ^ hash_of(one)) * 0x9E3779B97F4A7C15u;
      const auto [first, last] = firsts_.equal_range(hash);
      for (auto same = first; same != last; ++same)
        if (all_.size() - same->second >= list.size() &&
            std::equal(list.begin(), list.end(), all_.begin() + same->second))
          return same->second;
      const auto at = static_cast<std::uint32_t>(all_.size());
      all_.insert(all_.end(), list.begin(), list.end());
      firsts_.emplace(hash, at);
      return at;
    }
    std::span<const T> get(std::uint32_t first, std::uint32_t count) const { return {all_.data() + first, count}; }
    std::size_t bytes() const { return all_.capacity() * sizeof(T) + firsts_.size() * 48; }
    void clear() { all_.clear(), firsts_.clear(); }

   private:
    static Word hash_of(const Shift& s) { return s.mask ^ Word{s.turn} << 32; }
    static Word hash_of(const Item& i) {
      return i.mask ^ Word{i.first_shift} << 32 ^ Word{i.num_shifts} << 12 ^ Word{i.from} << 48 ^ i.to;
    }

    std::vector<T> all_;
    std::unordered_multimap<Word, std::uint32_t> firsts_;  // by content
  };

  const Diagram* diagram_;
  const Transducer* transducer_;
  std::size_t most_bytes_, num_slots_ = 0;
  std::vector<Slot> slots_;
  Pool<Item> items_;
  Pool<Shift> shifts_;
  std::vector<Item> list_;    // being made
  std::vector<Shift> moves_;  // of its newest item
};

}  // namespace fewest
