// The product of a transducer with a diagram. The product yields ranges of numbers and the targets of these ranges.
//
// Problem: a layer can have hundreds of millions of marks, so computing its image must not require work for each mark.
// Solution: the recursion descends through the transducer, the diagram of the input and the diagram of the output
// together. If the operators have no remaining effects and both diagram nodes are the same, all numbers that continue
// from the nodes move by the same distance, so a whole range of bits is copied. If few numbers continue from the nodes,
// a list gives the distances for 64 numbers at a time, as masks of words. The list depends only on the three nodes and
// is computed once for each triple. Different triples often have equal lists, which are stored once.
// See rangewise_image.hpp for an example of its use.
#pragma once

#include "index/diagram.hpp"
#include "index/unique_lists.hpp"
#include "index/transducer.hpp"

namespace fewest {

// A node of the product combines a transducer node, an input diagram node and an output diagram node. `from` is the
// first number of the input, and `to` is the first number of the output.
struct ProductNode {
  std::uint32_t node, read, written;
  Number from, to;
};

// A rotation of a word: every bit of the mask moves up by `rotation` positions, modulo 64.
struct Shift {
  Word mask;
  unsigned rotation;
  bool operator==(const Shift&) const = default;
};
inline Word hash_of(const Shift& shift) { return shift.mask ^ Word{shift.rotation} << 32; }

// Up to 64 numbers of the input, starting at `from`. The numbers in the mask move to the word that begins at `to` in
// the output; the shifts determine the places of these numbers in that word.
struct Item {
  Word mask;
  ListPlace shifts;
  std::uint16_t from, to;
  unsigned size;
  bool operator==(const Item&) const = default;
};
inline Word hash_of(const Item& item) {
  return item.mask ^ Word{item.shifts.first} << 24 ^ Word{item.from} << 48 ^ Word{item.to} << 8 ^ item.size;
}

class TransducerProduct {
 public:
  // The maximum number of state numbers in a list.
  static constexpr Number kMost = 4096;

  // The cached lists take at most about `most_bytes`.
  TransducerProduct(const Diagram& diagram, const Transducer& transducer, std::size_t most_bytes)
      : diagram_(&diagram), transducer_(&transducer), most_bytes_(most_bytes) {}

  std::size_t bytes() const { return items_.bytes() + shifts_.bytes(); }

  void clear() { items_.clear(), shifts_.clear(); }

  static ProductNode root() { return {Transducer::kRoot, 0, 0, 0, 0}; }

  Number size(const ProductNode& at) const { return diagram_->size(transducer_->node(at.node).level, at.read); }

  std::span<const Shift> shifts(const Item& item) const { return shifts_.get(item.shifts); }

  // Calls the methods of the sink. may_contain(begin, end) returns false to skip a range of the input. range(from, to,
  // size, times) means that each of `times` operators moves `size` consecutive numbers, from `from` to `to`. items(from,
  // to, items) passes a list of items with numbers that are relative to `from` and `to`.
  template <class Sink>
  void traverse(const ProductNode& at, Sink& sink) {
    const Number size = this->size(at);
    FEWEST_ASSERT(at.from + size <= diagram_->size(0, 0), "the numbers of a station are those of states");
    if (!sink.may_contain(at.from, at.from + size)) return;
    if (size <= kMost && written_size(at) <= kMost) return sink.items(at.from, at.to, items(at));
    for_each_next(
        at, [&](const ProductNode& below) { traverse(below, sink); },
        [&](std::uint32_t times) {
          FEWEST_ASSERT(times > 0 && size == written_size(at),
                        "a range that moves as a whole has the same length in the output");
          sink.range(at.from, at.to, size, times);
        });
  }

  // Divides the work of a station among stations with at most `most` numbers each.
  void split(const ProductNode& at, Number most, std::vector<ProductNode>& stations) const {
    if (size(at) <= most) return stations.push_back(at);
    for_each_next(
        at, [&](const ProductNode& below) { split(below, most, stations); },
        [&](std::uint32_t times) {
          const std::uint32_t copier = transducer_->copier(transducer_->node(at.node).level);
          for (; times > 0; --times) stations.push_back({copier, at.read, at.written, at.from, at.to});
        });
  }

 private:
  Number written_size(const ProductNode& at) const {
    return diagram_->size(transducer_->node(at.node).level, at.written);
  }

  // Calls next(station) for every continuation. Calls whole(times) if all numbers of the station move by the same
  // distance; `times` is the number of operators that move them.
  template <class Next, class MoveRange>
  void for_each_next(const ProductNode& at, Next next, MoveRange whole) const {
    const Transducer::Node& node = transducer_->node(at.node);
    if (node.done > 0) {
      if (at.read == at.written) {
        whole(node.done);
      } else if (const std::uint32_t copier = transducer_->copier(node.level); copier != at.node) {
        for (std::uint32_t i = 0; i < node.done; ++i) next(ProductNode{copier, at.read, at.written, at.from, at.to});
      }
      if (at.read == at.written && transducer_->copier(node.level) == at.node) return;
    }
    const Word* read = diagram_->row(node.level, at.read);
    const Word* written = diagram_->row(node.level, at.written);
    for (const Transducer::Edge& edge : transducer_->edges(at.node)) {
      const Word from = read[edge.from], to = written[edge.to];
      if (from == Diagram::kNone || to == Diagram::kNone) continue;
      next(ProductNode{edge.next, Diagram::child(from), Diagram::child(to), at.from + Diagram::before(from),
                   at.to + Diagram::before(to)});
    }
  }

  static Word key(const ProductNode& at) {
    FEWEST_ASSERT(at.node < 1u << 16 && at.read < 1u << 24 && at.written < 1u << 24, "a station fits into a word");
    return Word{at.node} << 48 | Word{at.read} << 24 | at.written;
  }

  std::span<const Item> items(const ProductNode& at) {
    std::optional<ListPlace> place = items_.find(key(at));
    if (!place) {
      if (bytes() > most_bytes_) clear();
      list_.clear();
      collect({at.node, at.read, at.written, 0, 0});
      place = items_.put(key(at), list_);
    }
    return items_.get(*place);
  }

  // Adds the items of a station.
  void collect(const ProductNode& at) {
    const Number size = this->size(at);
    if (size <= 64 && written_size(at) <= 64) return add_item(at.from, at.to, size, shifts_of(at));
    for_each_next(
        at, [this](const ProductNode& below) { collect(below); },
        [&](std::uint32_t times) {
          for (Number i = 0; i < size; i += 64) {
            const Number width = std::min<Number>(64, size - i);
            moves_.assign(times, {~Word{0} >> (64 - width), 0});
            add_item(at.from + i, at.to + i, width, shifts_.put(moves_));
          }
        });
  }

  ListPlace shifts_of(const ProductNode& at) {
    if (const std::optional<ListPlace> place = shifts_.find(key(at))) return *place;
    moves_.clear();
    collect_moves({at.node, at.read, at.written, 0, 0});
    return shifts_.put(key(at), moves_);
  }

  void add_item(Number from, Number to, Number size, const ListPlace& shifts) {
    FEWEST_ASSERT(size > 0 && size <= 64, "an item has at most 64 numbers");
    FEWEST_ASSERT(from < kMost && to < kMost, "a list has at most kMost numbers");
    Item item{0, shifts, static_cast<std::uint16_t>(from), static_cast<std::uint16_t>(to),
              static_cast<unsigned>(size)};
    for (const Shift& shift : shifts_.get(shifts)) item.mask |= shift.mask;
    if (item.mask != 0) list_.push_back(item);
  }

  void collect_moves(const ProductNode& at) {
    const Number size = this->size(at);
    for_each_next(
        at, [this](const ProductNode& below) { collect_moves(below); },
        [&](std::uint32_t times) {
          for (; times > 0; --times)
            for (Number i = 0; i < size; ++i) add_move(at.from + i, at.to + i);
        });
  }

  // If two operators move a number by the same distance, each of them gets its own shift, so that both are counted.
  void add_move(Number from, Number to) {
    FEWEST_ASSERT(from < 64 && to < 64, "the numbers of an item remain below 64");
    const auto rotation = static_cast<unsigned>(to - from) % 64;
    const Word bit = Word{1} << from;
    for (Shift& shift : moves_)
      if (shift.rotation == rotation && !(shift.mask & bit)) return static_cast<void>(shift.mask |= bit);
    moves_.push_back({bit, rotation});
  }

  const Diagram* diagram_;
  const Transducer* transducer_;
  std::size_t most_bytes_;
  Lists<Item> items_;         // the items for the nodes of a station
  Lists<Shift> shifts_;       // the shifts for the nodes of a station with at most 64 numbers
  std::vector<Item> list_;    // the list that is being computed
  std::vector<Shift> moves_;  // the shifts of the newest item in this list
};

}  // namespace fewest
