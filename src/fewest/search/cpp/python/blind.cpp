// The blind searches, as objects that Python advances one slice of work at a time. The GIL is released while they
// search.
#include <nanobind/stl/string.h>

#include "blind/search.hpp"
#include "python/inputs.hpp"
#include "store/shards.hpp"

namespace fewest::python {

namespace {

// The result of moving one layer of a search to shards.
struct SpilledLayer {
  LayerCounts counts;
  std::uint64_t expanded, generated;  // the work until the layer was complete
};

class ShardsSink final : public LayerSink {
 public:
  explicit ShardsSink(Shards& shards) : shards_(shards) {}

  void take(const Word* states, std::size_t count) override { shards_.feed(states, count); }
  void end_layer(std::uint64_t expanded, std::uint64_t generated) override {
    shards_.merge(0);
    layers_.push_back({shards_.close_layer(), expanded, generated});
    if (layers_.size() % kLayersPerSave == 0 && !shards_.is_held()) shards_.keep();
  }
  std::vector<SpilledLayer> layers() && { return std::move(layers_); }

 private:
  static constexpr std::size_t kLayersPerSave = 64;  // the layers are saved after each group of this many layers

  Shards& shards_;
  std::vector<SpilledLayer> layers_;
};

template <class Found>
struct BoundSearch {
  std::unique_ptr<SteppedSearch<Found>> search;
  int words;                 // of a packed state
  bool is_released = false;  // whether only the layers remain, which will be moved to shards
};
using BoundLayered = BoundSearch<Outcome>;
using BoundMeeting = BoundSearch<Meeting>;

template <class Found>
const char* advance(BoundSearch<Found>& bound, double seconds, nb::object progress, std::uint64_t expansions,
                    std::size_t bytes, std::size_t entries) {
  if (bound.is_released) throw std::invalid_argument("the search has released its table");
  const Limits limits(seconds, 0, std::move(progress));
  PythonHost host(limits);
  nb::gil_scoped_release released;
  return name_of(bound.search->advance({std::max<std::uint64_t>(1, expansions), bytes, entries, seconds, &host}));
}

// Returns nullopt if the search does not support the symmetry.
std::optional<BoundLayered> make_search(const BoundProblem& bound, const BoundCosts& table, const BoundSymmetry* images,
                                        bool exhaust, std::size_t memory, std::size_t threads, std::string file,
                                        double save_every) {
  check_costs(bound, table);
  if (images != nullptr) check_fits(bound, *images);
  Options options;
  options.exhaust = exhaust;
  options.memory = memory;
  options.threads = std::max<std::size_t>(1, threads);
  options.file = std::move(file);
  options.save_every = save_every;
  const int words = packed_words(bound.problem);
  try {
    auto search = fewest::make_search(bound.problem, table.table, options, images == nullptr ? nullptr : &images->symmetry);
    return BoundLayered{std::move(search), words};
  } catch (const UnusedSymmetry&) {
    return std::nullopt;
  }
}

BoundMeeting make_bidirectional(const BoundProblem& bound, const BoundCosts& table, const BoundProblem& back,
                                const BoundCosts& back_table, Input<Word> goals, std::size_t memory, std::string file,
                                double save_every) {
  check_costs(bound, table);
  check_costs(back, back_table);
  check_reversed(bound, back);
  const auto words = static_cast<std::size_t>(bound.problem.words);
  if (goals.size() % words != 0) throw std::invalid_argument("goals must have the shape (n, words)");
  Options options;
  options.memory = memory;
  options.file = std::move(file);
  options.save_every = save_every;
  auto search = fewest::make_bidirectional(bound.problem, table.table, back.problem, back_table.table, goals.data(),
                                           goals.size() / words, options);
  return {std::move(search), packed_words(bound.problem)};
}

template <class Found>
nb::class_<BoundSearch<Found>> bind_search(nb::module_& module, const char* name) {
  using Bound = BoundSearch<Found>;
  return nb::class_<Bound>(module, name)
      .def("advance", &advance<Found>, nb::kw_only(), nb::arg("seconds"), nb::arg("progress").none(),
           nb::arg("expansions"), nb::arg("bytes"), nb::arg("entries"))
      .def_prop_ro("bound", [](const Bound& bound) { return bound.search->bound(); })
      .def_prop_ro("num_expanded", [](const Bound& bound) { return bound.search->num_expanded(); })
      .def_prop_ro("bytes", [](const Bound& bound) { return bound.search->bytes(); })
      .def("outcome", [](Bound& bound) { return bound.search->outcome(); }, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace

void bind_blind_searches(nb::module_& module) {
  nb::class_<SpilledLayer>(module, "SpilledLayer")
      .def_ro("counts", &SpilledLayer::counts)
      .def_ro("expanded", &SpilledLayer::expanded)
      .def_ro("generated", &SpilledLayer::generated);
  bind_search<Outcome>(module, "ExhaustiveSearch")
      .def_prop_ro("num_layers", [](const BoundLayered& bound) { return bound.search->num_layers(); })
      .def("release_slots", [](BoundLayered& bound) {
        bound.is_released = true;
        return bound.search->release_slots();
      })
      .def("hand_over", [](const BoundLayered& bound, Shards& shards) {
        if (shards.words() != bound.words)
          throw std::invalid_argument("the shards must belong to the problem of the search");
        ShardsSink sink(shards);
        bound.search->hand_over(sink);
        return std::move(sink).layers();
      }, nb::arg("shards"), nb::call_guard<nb::gil_scoped_release>());
  bind_search<Meeting>(module, "BidirectionalSearch");
  module.def("make_search", &make_search, nb::arg("problem"), nb::arg("costs"), nb::kw_only(),
             nb::arg("symmetry").none(), nb::arg("exhaust"), nb::arg("memory"), nb::arg("threads"), nb::arg("file"),
             nb::arg("save_every"), nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>());
  module.def("make_bidirectional", &make_bidirectional, nb::arg("problem"), nb::arg("costs"), nb::arg("reversed"),
             nb::arg("reversed_costs"), nb::arg("goals"), nb::kw_only(), nb::arg("memory"), nb::arg("file"),
             nb::arg("save_every"), nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(),
             nb::keep_alive<0, 4>());
}

}  // namespace fewest::python
