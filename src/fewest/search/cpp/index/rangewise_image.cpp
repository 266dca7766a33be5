#include "index/rangewise_image.hpp"

#include "state/threads.hpp"

namespace fewest {

namespace {

// The number of consecutive stations that one thread processes at a time. Most consecutive stations read the same words
// and write to nearby words.
constexpr std::size_t kConsecutive = 32;

// The maximum number of state numbers in a station.
Number max_station_size(Number size) { return std::clamp<Number>(size >> 11, Number{1} << 12, Number{1} << 22); }

// Calls visit(number, bits) for those numbers of a range that `select` selects.
template <class Select, class Visit>
void for_each_word(Number begin, Number end, Select select, Visit visit) {
  for (Number n = begin; n < end;) {
    const auto size = static_cast<unsigned>(std::min<Number>(64 - n % 64, end - n));
    if (const Word bits = select(n, size)) visit(n, bits);
    n += size;
  }
}

// Marks the successors of the states marked `now`, except for successors that are not marked `from`.
template <Mark from, bool is_part>
class Marker {
 public:
  Marker(MarkPlanes& marks, const TransducerProduct& product) : marks_(marks), product_(product) {}

  Number marked = 0;

  bool may_contain(Number begin, Number end) const { return marks_.may_be_now(begin, end); }

  void range(Number begin, Number to, Number size, std::uint32_t) {
    for (Number at = begin, end; at < begin + size; at = end) {
      end = std::min(begin + size, (at / MarkPlanes::kBlock + 1) * MarkPlanes::kBlock);
      if (!marks_.may_be_now(at, end)) continue;
      for_each_word(
          at, end, [this](Number n, unsigned width) { return marks_.now(n, width); },
          [&](Number n, Word bits) { marked += marks_.mark_all<from, is_part>(n - begin + to, bits); });
    }
  }

  void items(Number begin, Number to, std::span<const Item> items) {
    for (const Item& item : items) {
      const Word bits = marks_.now(begin + item.from, item.size) & item.mask;
      if (bits == 0) continue;
      Word all = 0;
      for (const Shift& shift : product_.shifts(item))
        all |= std::rotl(bits & shift.mask, static_cast<int>(shift.rotation));
      marked += marks_.mark_all<from, is_part>(to + item.to, all);
    }
  }

 private:
  MarkPlanes& marks_;
  const TransducerProduct& product_;
};

// Counts the moves from the closed states.
class Counter {
 public:
  Counter(const MarkPlanes& marks, const TransducerProduct& product) : marks_(marks), product_(product) {}

  std::uint64_t count = 0;

  bool may_contain(Number begin, Number end) const { return marks_.may_be_closed(begin, end); }

  void range(Number begin, Number, Number size, std::uint32_t times) {
    Number end = begin + size;
    if (!marks_.clip(begin, end)) return;
    for_each_word(
        begin, end, [this](Number n, unsigned width) { return marks_.closed(n, width); },
        [&](Number, Word bits) { count += std::uint64_t{times} * num_bits(bits); });
  }

  void items(Number begin, Number, std::span<const Item> items) {
    for (const Item& item : items)
      if (const Word bits = marks_.closed(begin + item.from, item.size) & item.mask)
        for (const Shift& shift : product_.shifts(item)) count += num_bits(bits & shift.mask);
  }

 private:
  const MarkPlanes& marks_;
  const TransducerProduct& product_;
};

template <class Select, class MayContain>
struct Finder {
  const MarkPlanes& marks;
  Select select;
  MayContain may_contain;
  const std::function<void(Number, Word)>& visit;

  void range(Number begin, Number, Number size, std::uint32_t) {
    Number end = begin + size;
    if (marks.clip(begin, end)) for_each_word(begin, end, select, visit);
  }

  void items(Number begin, Number, std::span<const Item> items) {
    for (const Item& item : items)
      if (const Word bits = select(begin + item.from, item.size) & item.mask) visit(begin + item.from, bits);
  }
};
template <class Select, class MayContain>
Finder(const MarkPlanes&, Select, MayContain, const std::function<void(Number, Word)>&) -> Finder<Select, MayContain>;

}  // namespace

RangewiseImage::RangewiseImage(const Diagram& diagram, Transducer transducer, const Team& team)
    : transducer_(std::move(transducer)), team_(team) {
  const Number size = diagram.size(0, 0);
  for (std::size_t i = 0; i < team.most; ++i)
    products_.emplace_back(diagram, transducer_, team.list_bytes);
  products_[0].split(TransducerProduct::root(), max_station_size(size), stations_);
  // Sorts the stations, so that stations that read the same words are processed by the same thread.
  std::stable_sort(stations_.begin(), stations_.end(),
                   [](const ProductNode& a, const ProductNode& b) { return a.from < b.from; });
  stations_.shrink_to_fit();
  FEWEST_ASSERT(!products_.empty(), "there is at least one thread, and each thread has a product");
}

Number RangewiseImage::move(MarkPlanes& marks, Mark from, Number width, const MayContinue& may_continue) {
  if (marks.is_part()) {
    if (from == Mark::out) return move_all<Mark::out, true>(marks, width, may_continue);
    return move_all<Mark::closed, true>(marks, width, may_continue);
  }
  if (from == Mark::out) return move_all<Mark::out, false>(marks, width, may_continue);
  return move_all<Mark::closed, false>(marks, width, may_continue);
}

std::uint64_t RangewiseImage::num_generated(const MarkPlanes& marks) {
  std::atomic<std::uint64_t> all = 0;
  const auto work = [&](std::size_t thread, std::size_t piece) {
    Counter counter(marks, products_[thread]);
    products_[thread].traverse(stations_[piece], counter);
    all.fetch_add(counter.count, std::memory_order_relaxed);
  };
  in_pieces(*team_.pool, stations_.size(), products_.size(), work, [](std::size_t) { return true; });
  return all;
}

void RangewiseImage::free_caches() {
  for (TransducerProduct& product : products_) product.clear();
}

std::size_t RangewiseImage::bytes() const {
  std::size_t bytes = transducer_.bytes() + stations_.capacity() * sizeof(ProductNode);
  for (const TransducerProduct& product : products_) bytes += product.bytes();
  return bytes;
}

template <Mark from, bool is_part>
Number RangewiseImage::move_all(MarkPlanes& marks, Number width, const MayContinue& may_continue) {
  std::atomic<Number> marked = 0;
  const std::size_t pieces = (stations_.size() + kConsecutive - 1) / kConsecutive;
  const auto work = [&](std::size_t thread, std::size_t piece) {
    Marker<from, is_part> marker(marks, products_[thread]);
    const std::size_t end = std::min(stations_.size(), (piece + 1) * kConsecutive);
    FEWEST_ASSERT(thread < products_.size(), "each thread has a product");
    for (std::size_t i = piece * kConsecutive; i < end; ++i) products_[thread].traverse(stations_[i], marker);
    marked.fetch_add(marker.marked, std::memory_order_relaxed);
  };
  in_pieces(*team_.pool, pieces, team_.size(width), work, [&](std::size_t begun) {
    return may_continue(marked.load(std::memory_order_relaxed), static_cast<double>(begun) / static_cast<double>(pieces));
  });
  return marked;
}

MatchingStates::MatchingStates(const Diagram& diagram, Transducer transducer, std::size_t list_bytes)
    : transducer_(std::move(transducer)), product_(diagram, transducer_, list_bytes) {}

void MatchingStates::for_each_now(const MarkPlanes& marks, const std::function<void(Number, Word)>& visit) {
  Finder finder{marks, [&](Number n, unsigned size) { return marks.now(n, size); },
                [&](Number begin, Number end) { return marks.may_be_now(begin, end); }, visit};
  product_.traverse(TransducerProduct::root(), finder);
}

void MatchingStates::for_each(const MarkPlanes& marks, const std::function<void(Number, Word)>& visit) {
  Finder finder{marks, [](Number, unsigned size) { return ~Word{0} >> (64 - size); },
                [](Number, Number) { return true; }, visit};
  product_.traverse(TransducerProduct::root(), finder);
}

void MatchingStates::for_each_closed(const MarkPlanes& marks, const std::function<void(Number, Word)>& visit) {
  Finder finder{marks, [&](Number n, unsigned size) { return marks.closed(n, size); },
                [&](Number begin, Number end) { return marks.may_be_closed(begin, end); }, visit};
  product_.traverse(TransducerProduct::root(), finder);
}

}  // namespace fewest
