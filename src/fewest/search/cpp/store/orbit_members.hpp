// The members of an orbit: the entries of a search without symmetry that one entry of a search with symmetry
// represents.
#pragma once

#include "expand/expanders.hpp"
#include "expand/images.hpp"

namespace fewest {

template <int P>
class OrbitMembers {
 public:
  // The compiler, the costs and the symmetry must outlive this object.
  OrbitMembers(const Compiler& compiler, const CostTable& costs, const Symmetry* symmetry)
      : single_(layered_expander<P>(compiler, costs)) {
    if (symmetry != nullptr) images_.emplace(compiler, *symmetry);
  }

  // Calls visit(entry) for every member, possibly more than once.
  template <class Visit>
  void for_each(const State<P>& s, Visit visit) {
    if (!images_) return visit(s);
    Plain<P> nothing{};
    for (const State<P>& image : images_->of(s)) visit(single_->start(image, nothing));
  }

 private:
  std::unique_ptr<Expander<P, Plain<P>>> single_;
  std::optional<Images<P>> images_;
};

}  // namespace fewest
