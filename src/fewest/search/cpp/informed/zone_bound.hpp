// The lower bound of zones.hpp, of a state and of what follows it: only what a move changes is looked up again.
//
// Usage:
//   bound.set(spots, place);          // of a state; Zones::kNoWay: no goal can be reached
//   bound.after(deleted, added, to);  // of its successor by a move of one piece
#pragma once

#include "informed/zones.hpp"

namespace fewest {

class ZoneBound {
 public:
  explicit ZoneBound(const Zones& zones) : zones_(&zones), codes_(zones.num_zones()), detours_(zones.num_zones()) {}

  int set(const std::vector<int>& spots, int place) {
    place_ = place;
    std::fill(codes_.begin(), codes_.end(), 0);
    sum_ = zones_->base();
    for (int spot : spots) {
      sum_ = plus(sum_, zones_->potential(spot, place));
      for (int zone : zones_->zones_at(spot)) {
        FEWEST_ASSERT(zones_->bit(zone, spot) != 0 && (codes_[zone] & zones_->bit(zone, spot)) == 0,
                      "each spot of a zone has a bit of its own");
        codes_[zone] |= zones_->bit(zone, spot);
      }
    }
    for (int zone = 0; zone < zones_->num_zones(); ++zone) {
      detours_[zone] = zones_->detours(zone, codes_[zone], place);
      FEWEST_ASSERT(detours_[zone] >= 0, "no detour is negative");
      sum_ = plus(sum_, detours_[zone]);
    }
    return sum_;
  }

  // What zones without these spots say stays: there the agent goes where it could have walked.
  int after(int deleted, int added, int place) const {
    if (sum_ >= Zones::kNoWay) return Zones::kNoWay;
    int sum = plus(sum_ - zones_->potential(deleted, place_), zones_->potential(added, place));
    const auto change = [&](int zone) {
      FEWEST_ASSERT((codes_[zone] & zones_->bit(zone, deleted)) == zones_->bit(zone, deleted) &&
                        (codes_[zone] & zones_->bit(zone, added)) == 0,
                    "a piece leaves the spot where it is, and comes to one that is empty");
      const Word code = codes_[zone] ^ zones_->bit(zone, deleted) ^ zones_->bit(zone, added);
      sum = plus(sum, zones_->detours(zone, code, place) - detours_[zone]);
    };
    for (int zone : zones_->zones_at(deleted)) change(zone);
    for (int zone : zones_->zones_at(added))
      if (zones_->bit(zone, deleted) == 0) change(zone);
    return sum;
  }

 private:
  static int plus(int sum, int more) { return sum >= Zones::kNoWay || more >= Zones::kNoWay / 2 ? Zones::kNoWay : sum + more; }

  const Zones* zones_;
  std::vector<Word> codes_;  // per zone
  std::vector<int> detours_;
  int sum_ = 0, place_ = -1;
};

}  // namespace fewest
