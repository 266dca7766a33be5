// Canonicalisation: states that differ only in the place of the agent within a region, or by a symmetry, share one
// stored state.
//
// If walks are free, the stored state has the agent at the lowest place of its region. With symmetries, the stored
// state of an orbit is its smallest state. The images of the expanded state are computed only once. A move changes each
// image of the state by the image of the move's flip.
#pragma once

#include "informed/informed_search.hpp"
#include "informed/piece_states.hpp"
#include "state/compiler_attributes.hpp"

namespace fewest {

template <int P, int Q>
class CanonicalStates {
 public:
  using Concrete = typename PieceStates<P, Q>::Concrete;

  // `keeps_start`: whether only those images are used that map the pieces of the start to themselves. This is necessary
  // if the heuristic is valid only for states that are reachable from the start, as with local PDBs.
  FEWEST_COLD CanonicalStates(const PieceStates<P, Q>& states, const std::vector<std::vector<FactId>>& images, bool keeps_start)
      : states_(states), merges_regions_(states.pieces.has_agent() && states.pieces.walk_cost == 0) {
    for (const auto& image : images) add_image(image, keeps_start);
    parent_images_.resize(images_.size());
  }

  bool merges_regions() const { return merges_regions_; }
  std::size_t num_images() const { return images_.size() + 1; }

  // The stored state that represents `state`.
  State<P> of(const Concrete& state) const {
    PlaceSet<Q> region = zero_state<Q>();
    if (merges_regions_)
      region = states_.graph.reach(states_.numbers.bit_of[state.place], states_.open_places(state.rest));
    return canonical(state.rest, state.place, region,
                     [&](std::size_t i) { return image_of(images_[i], state.rest); });
  }

  // Sets the parent of the states that `after` returns.
  void set_parent(const State<P>& rest) {
    for (std::size_t i = 0; i < images_.size(); ++i) parent_images_[i] = image_of(images_[i], rest);
  }
  // The stored state after a move from the parent. `region`: the region of the agent after the move, if regions are
  // merged.
  State<P> after(const State<P>& rest, std::uint32_t row, const PlaceSet<Q>& region) const {
    const int place = states_.moves[row].to;
    const State<P> stored = canonical(
        rest, place, region, [&](std::size_t i) { return parent_images_[i] ^ images_[i].flip[row]; });
    FEWEST_ASSERT_SAMPLED(stored == of({rest, place}), "the updated images are those of the state");
    FEWEST_ASSERT_SAMPLED(stored == of({states_.rest_of(stored), states_.place_of(stored)}),
                          "a stored state represents itself");
    return stored;
  }

 private:
  struct Image {
    std::vector<State<P>> spot;  // for each spot, the bit of its image
    std::vector<int> place;      // per place
    std::vector<State<P>> flip;  // per move
  };

  // Adds an image, unless it is the identity. The image must map spots to spots, places to places, constant facts to
  // facts with the same value, and groups to groups of the same size with the same number of pieces. Any other image is
  // ignored. (The heuristic is undefined for states in which a group has a different number of pieces.)
  FEWEST_COLD void add_image(const std::vector<FactId>& of, bool keeps_start) {
    const Pieces& pieces = states_.pieces;
    std::vector<int> spot_of(of.size(), -1), place_of(of.size(), -1);
    for (int i = 0; i < pieces.num_spots(); ++i) spot_of[pieces.spots[i]] = i;
    for (int i = 0; i < pieces.num_places(); ++i) place_of[pieces.places[i]] = i;
    Image image;
    image.spot.assign(pieces.num_spots(), zero_state<P>());
    image.place.assign(pieces.num_places(), 0);
    bool is_identity = true;
    for (std::size_t fact = 0; fact < of.size(); ++fact) {
      const FactId to = of[fact];
      if ((spot_of[fact] < 0) != (spot_of[to] < 0) || (place_of[fact] < 0) != (place_of[to] < 0)) return;
      if (spot_of[fact] >= 0) {
        insert(image.spot[spot_of[fact]], spot_of[to]);
        is_identity = is_identity && spot_of[fact] == spot_of[to];
      } else if (place_of[fact] >= 0) {
        image.place[place_of[fact]] = place_of[to];
        is_identity = is_identity && place_of[fact] == place_of[to];
      } else if (pieces.is_true_at_start(static_cast<FactId>(fact)) != pieces.is_true_at_start(to)) {
        return;
      }
    }
    if (is_identity || !maps_groups(of, spot_of)) return;
    const State<P> start = states_.initial().rest;
    if (keeps_start && !(image_of(image, start) == start)) return;
    for (const auto& move : states_.moves) image.flip.push_back(image_of(image, move.flip));
    images_.push_back(std::move(image));
  }

  FEWEST_COLD bool maps_groups(const std::vector<FactId>& of, const std::vector<int>& spot_of) const {
    const Pieces& pieces = states_.pieces;
    std::vector<int> group_of(pieces.num_spots(), -1);
    for (std::size_t g = 0; g < pieces.groups.size(); ++g)
      for (int spot : pieces.groups[g].spots) group_of[spot] = static_cast<int>(g);
    const auto image = [&](int spot) { return group_of[spot_of[of[pieces.spots[spot]]]]; };
    return std::all_of(pieces.groups.begin(), pieces.groups.end(), [&](const PieceGroup& group) {
      const int to = image(group.spots[0]);
      return to >= 0 && pieces.groups[to].count == group.count &&
             pieces.groups[to].spots.size() == group.spots.size() &&
             std::all_of(group.spots.begin(), group.spots.end(), [&](int spot) { return image(spot) == to; });
    });
  }

  static State<P> image_of(const Image& image, const State<P>& spots) {
    State<P> r = zero_state<P>();
    for_each_in<P>(spots, [&](int spot) { r = r | image.spot[spot]; });
    return r;
  }

  static bool is_less(const State<P>& a, const State<P>& b) {
    for (int i = 0; i < P; ++i)
      if (a.w[i] != b.w[i]) return a.w[i] < b.w[i];
    return false;
  }

  // Returns the stored form of a state with the spots `spots`, which are those of an image, or of the state itself if
  // `image` is null. The agent is at the image of `place` or, if regions are merged, at the lowest place of the image
  // of `region`.
  State<P> key_in(const State<P>& spots, const Image* image, int place, const PlaceSet<Q>& region) const {
    if (!states_.pieces.has_agent()) return spots;
    if (!merges_regions_) return states_.key(spots, image == nullptr ? place : image->place[place]);
    if (image == nullptr) return states_.key(spots, states_.graph.place_of(lowest(region)));
    int least = 1 << 30;
    for_each_in<Q>(region, [&](int bit) {
      least = std::min(least, states_.numbers.bit_of[image->place[states_.graph.place_of(bit)]]);
    });
    return states_.key(spots, states_.graph.place_of(least));
  }

  // `rest_image(i)`: the spots of image i.
  template <class RestImage>
  State<P> canonical(const State<P>& rest, int place, const PlaceSet<Q>& region, RestImage rest_image) const {
    if (images_.empty()) return key_in(rest, nullptr, place, region);
    State<P> least = rest;
    const Image* chosen = nullptr;
    bool is_tie = false;
    for (std::size_t i = 0; i < images_.size(); ++i) {
      const State<P> image = rest_image(i);
      if (image == least) is_tie = true;
      if (is_less(image, least)) least = image, chosen = &images_[i], is_tie = false;
    }
    State<P> best = key_in(least, chosen, place, region);
    if (!is_tie) return best;
    const auto take = [&](const Image* image) {
      const State<P> other = key_in(least, image, place, region);
      if (is_less(other, best)) best = other;
    };
    for (std::size_t i = 0; i < images_.size(); ++i)
      if (rest_image(i) == least) take(&images_[i]);
    if (chosen != nullptr && rest == least) take(nullptr);
    return best;
  }

  const PieceStates<P, Q>& states_;
  bool merges_regions_;
  std::vector<Image> images_;  // without the identity
  std::vector<State<P>> parent_images_;
};

}  // namespace fewest
