// The steps of part.hpp for one width of states.
#pragma once

#include <atomic>
#include <utility>

#include "index/layer_images.hpp"
#include "index/number_list.hpp"
#include "index/part.hpp"
#include "index/part_file.hpp"
#include "state/compiler_attributes.hpp"

namespace fewest {

template <int P, int Q>
class PartSearch final : public IndexPart {
 public:
  FEWEST_COLD PartSearch(const Problem& problem, const CostTable& costs, const Numbering& numbering, const Numbering& levels,
             const PartOptions& options, const Team& team)
      : problem_(problem),
        invariants_(problem_),
        layout_(problem_, invariants_),
        compiler_(problem_, invariants_, layout_),
        numbers_(layout_, numbering),
        movers_(compiler_, costs, numbers_, levels, team),
        budget_(options.memory),
        marks_(budget_),
        outbox_(words(options.ends), options.outbox) {
    const Number begin = options.part == 0 ? 0 : options.ends[options.part - 1];
    const std::size_t fixed = numbers_.bytes() + movers_.bytes() + Outbox::most_bytes(team.most, options.outbox);
    if (!budget_.take(fixed) || !marks_.allocate_part(numbers_.size(), begin, options.ends[options.part], &outbox_))
      throw std::bad_alloc();
  }

  Number start() const override {
    const FactSet packed = layout_.pack(problem_.initial);
    return numbers_.rank(movers_.start(state_from<P>(packed.data(), packed.size())));
  }

  void begin(Number number) override {
    clear();
    if (marks_.begin() <= number && number < marks_.end()) next_ += marks_.mark(number, Mark::out);
  }

  void begin_at_goals() override {
    clear();
    movers_.for_each_goal(
        marks_, [&](Number number, Word bits) { next_ += marks_.template mark_all<Mark::out>(number, bits); });
  }

  bool move(bool backward, bool within) override {
    if (width_ > 0 && !outbox_.is_cancelled()) {
      LayerImage& mover = backward ? movers_.backward() : movers_.forward();
      next_ += mover.move(marks_, within ? Mark::closed : Mark::out, width_,
                          [this](Number, double) { return !outbox_.is_cancelled(); });
      outbox_.flush();
    }
    return !outbox_.is_cancelled();
  }

  void receive(const unsigned char* bytes, std::size_t size, bool within) override {
    Number marked = 0;
    for_each_word_in(bytes, size, [&](Number word, Word bits) {
      const Number number = word * 64;
      if (number < marks_.begin() || number + std::bit_width(bits) > marks_.end())
        throw std::invalid_argument("the words belong to another part");
      marked += within ? marks_.template mark_all<Mark::closed>(number, bits)
                       : marks_.template mark_all<Mark::out>(number, bits);
    });
    next_ += marked;
  }

  void take(std::size_t part, std::size_t most, PackedWords& bytes) override { outbox_.take(part, most, bytes); }
  std::size_t num_waiting(std::size_t part) const override { return outbox_.num_waiting(part); }
  void cancel() override { outbox_.cancel(); }

  Number advance(bool within) override {
    const Team& team = movers_.team();
    marks_.advance(within, *team.pool, team.size(std::max<Number>(width_, next_)));
    return width_ = next_.exchange(0);
  }

  GoalCount goals() override {
    GoalCount found;
    if (width_ == 0) return found;
    movers_.for_each_goal_now(marks_, [&](Number number, Word bits) {
      found.count += num_bits(bits);
      if (!found.first) found.first = number + std::countr_zero(bits);
    });
    return found;
  }

  void mark_goals() override {
    movers_.for_each_closed_goal(
        marks_, [&](Number number, Word bits) { next_ += marks_.template mark_all<Mark::closed>(number, bits); });
  }

  std::uint64_t num_generated() override { return movers_.forward().num_generated(marks_); }
  std::uint64_t num_counted() const override { return movers_.num_counted(); }

  FactSet least() override { return least_now(marks_, layout_, numbers_); }
  std::vector<FactSet> fewest_facts() override { return fewest_facts_now(marks_, layout_, numbers_); }

  bool list() override { return list_.fill(marks_, budget_.left()); }

  std::optional<Number> meet() override {
    const std::optional<Number> found = list_.first_now(marks_);
    list_.clear();
    return found;
  }

  FactSet state(Number number) const override { return layout_.unpack(state_of(number).w); }

  std::vector<OperatorId> operators(Number from, Number to) override {
    std::vector<OperatorId> plan;
    movers_.append_move(state_of(from), state_of(to), plan);
    return plan;
  }

  bool write(const std::string& path, std::uint64_t layer) override {
    return PartFile::write(path, {layer, marks_.begin(), marks_.end()}, marks_.first_plane(), marks_.second_plane());
  }

  Number read(const std::vector<std::string>& paths, std::uint64_t layer) override {
    marks_.clear();
    outbox_.reopen();
    for (const std::string& path : paths)
      PartFile::read(path, layer, marks_.begin(), marks_.end(), marks_.first_plane(), marks_.second_plane());
    marks_.written();
    next_ = 0;
    return width_ = marks_.num_now();
  }

  Number num_marked() const override { return next_; }

  std::size_t bytes() const override {
    return numbers_.bytes() + movers_.bytes() + marks_.bytes() + outbox_.bytes() + list_.bytes();
  }

 private:
  void clear() {
    marks_.clear();
    outbox_.reopen();
    next_ = 0;
    width_ = 0;
  }

  State<P> state_of(Number number) const {
    if (number >= numbers_.size())
      throw std::invalid_argument("the number is greater than the number of the last state");
    return movers_.state(number);
  }

  static std::vector<Number> words(const std::vector<Number>& ends) {
    std::vector<Number> words;
    for (const Number end : ends) words.push_back((end + 63) / 64);
    return words;
  }

  const Problem problem_;
  const Invariants invariants_;
  const Layout layout_;
  const Compiler compiler_;
  const Numbers<P, Q> numbers_;
  LayerImages<P, Q> movers_;
  Budget budget_;
  MarkPlanes marks_;
  Outbox outbox_;
  std::atomic<Number> next_ = 0;  // the number of states marked `next`
  Number width_ = 0;              // the number of states marked `now`
  NumberList list_;
};

}  // namespace fewest
