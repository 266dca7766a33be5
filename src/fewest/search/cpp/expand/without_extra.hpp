// An expander for searches that store entries without their extras. The expander recomputes the extra when an entry is
// new.
#pragma once

#include "expand/expander.hpp"

namespace fewest {

template <int P, class Extra>
class WithoutExtra final : public Expander<P, Plain<P>> {
 public:
  explicit WithoutExtra(std::unique_ptr<Expander<P, Extra>> inner) : inner_(std::move(inner)) {}

  const char* algorithm() const override { return inner_->algorithm(); }
  std::unique_ptr<Expander<P, Plain<P>>> copy() const override {
    return std::make_unique<WithoutExtra>(inner_->copy());
  }
  void set_limit(ExpansionLimit* limit) override { inner_->set_limit(limit); }
  State<P> start(const State<P>& initial, Plain<P>&) override {
    Extra extra{};
    return inner_->start(initial, extra);
  }
  void expand(const State<P>& s, Successors<P, Plain<P>>& out) override {
    inner_->expand(s, with_extras_.cleared());
    for (const auto& next : with_extras_) out.push(next.state, {});
  }
  std::vector<OperatorId> plan(const Layers<P>& layers, const State<P>& goal,
                               std::size_t layer) override {
    return inner_->plan(layers, goal, layer);
  }

 private:
  Count weigh(const State<P>& s, const Plain<P>&) override { return inner_->count(s, inner_->extra_of(s)); }

  std::unique_ptr<Expander<P, Extra>> inner_;
  Successors<P, Extra> with_extras_;
};

}  // namespace fewest
