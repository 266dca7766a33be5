// The Python module fewest.certificates._checkers. task_checker.py and clauses_checker.py check all
// arguments before they come here; _checkers.pyi says what is bound.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "layers.hpp"
#include "lrat.hpp"
#include "maker.hpp"
#include "sequence.hpp"
#include "table_maker.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fewest::checkers;

namespace {

std::string bytes_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }

CubeRows cubes_of(const std::pair<nb::bytes, nb::bytes>& rows) {
  return {bytes_of(rows.first), bytes_of(rows.second)};
}

nb::list pieces_of(const std::vector<std::string>& blocks) {
  nb::list out;
  for (const std::string& block : blocks) out.append(nb::bytes(block.data(), block.size()));
  return out;
}

// Lets Python's handlers of signals run, one of which may end what is under way.
void ask_python() {
  const nb::gil_scoped_acquire acquired;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// The literals of some clauses, 4 bytes each, little-endian, 0 behind each clause.
void add_clauses(LratChecker& checker, const nb::bytes& clauses) {
  const auto* data = reinterpret_cast<const unsigned char*>(clauses.c_str());
  const std::size_t size = clauses.size();
  nb::gil_scoped_release released;
  if (size % 4 != 0) throw WrongProof("a formula that is no rows of literals");
  for (std::size_t i = 0; i < size; i += 4)
    checker.add(static_cast<std::int32_t>(data[i] | data[i + 1] << 8 | data[i + 2] << 16 |
                                          static_cast<std::uint32_t>(data[i + 3]) << 24));
}

}  // namespace

NB_MODULE(_checkers, module) {
  nb::set_leak_warnings(false);  // the command line leaves at its end what is in cycles to the system
  interruption = ask_python;
  nb::exception<Rejected>(module, "RejectedError");
  nb::exception<GivenUp>(module, "GivenUpError");
  nb::class_<PartRows>(module, "Part")
      .def(
          "__init__",
          [](PartRows* part, std::vector<std::uint64_t> weight, std::vector<int> run_in,
             std::vector<int> run_out, std::vector<std::uint64_t> run_weight,
             std::vector<int> run_fact) {
            new (part) PartRows{std::move(weight), std::move(run_in), std::move(run_out),
                                std::move(run_weight), std::move(run_fact)};
          },
          "weight"_a, "run_in"_a, "run_out"_a, "run_weight"_a, "run_fact"_a);
  nb::class_<EffectRows>(module, "Effects")
      .def(
          "__init__",
          [](EffectRows* effects, const std::pair<nb::bytes, nb::bytes>& fits, const nb::bytes& flip,
             const nb::bytes& clear, const std::pair<nb::bytes, nb::bytes>& can_still,
             std::vector<int> place, std::vector<int> stage, std::vector<int> is_everywhere) {
            CubeRows first = cubes_of(fits), still = cubes_of(can_still);
            new (effects) EffectRows{std::move(first.mask), std::move(first.value), bytes_of(flip),
                                     bytes_of(clear), std::move(still.mask), std::move(still.value),
                                     std::move(place), std::move(stage), std::move(is_everywhere)};
          },
          "fits"_a, "flip"_a, "clear"_a, "can_still"_a, "place"_a, "stage"_a, "is_everywhere"_a);
  nb::class_<TaskRows>(module, "Task").def(
      "__init__",
      [](TaskRows* task, int words, const nb::bytes& initial,
         const std::pair<nb::bytes, nb::bytes>& operators, const nb::bytes& flip,
         std::vector<int> index_fact, const std::pair<nb::bytes, nb::bytes>& goals,
         const std::pair<nb::bytes, nb::bytes>& forbidden, std::vector<std::vector<int>> turns,
         const EffectRows& effects) {
        new (task) TaskRows{words,          bytes_of(initial),     cubes_of(operators),
                            bytes_of(flip), std::move(index_fact), cubes_of(goals),
                            cubes_of(forbidden), std::move(turns), effects};
      },
      "words"_a, "initial"_a, "operators"_a, "flip"_a, "index_fact"_a, "goals"_a, "forbidden"_a,
      "turns"_a, "effects"_a);
  nb::class_<LayersQuestion>(module, "Layers")
      .def(
          "__init__",
          [](LayersQuestion* question, const TaskRows& task, const std::vector<const PartRows*>& parts,
             const std::vector<std::pair<std::vector<int>, int>>& groups,
             std::vector<std::vector<int>> variables, std::vector<std::vector<int>> runs,
             std::optional<std::vector<std::uint64_t>> bound,
             std::vector<std::pair<std::vector<std::uint64_t>, std::uint64_t>> layers,
             std::vector<std::int64_t> potential) {
            new (question) LayersQuestion{task,
                                          {},
                                          {},
                                          std::move(variables),
                                          std::move(runs),
                                          std::move(bound),
                                          std::move(layers),
                                          std::move(potential)};
            for (const PartRows* part : parts) question->parts.push_back(*part);
            for (const auto& [facts, count] : groups) question->groups.push_back({facts, count});
          },
          "task"_a, "parts"_a, "groups"_a, "variables"_a, "runs"_a, "bound"_a.none(), "layers"_a,
          "potential"_a);
  module.def(
      "check_layers",
      [](const LayersQuestion& question, const nb::bytes& body, double seconds, std::uint64_t memory) {
        const std::string text = bytes_of(body);
        nb::gil_scoped_release released;
        return check_layers(question, text, seconds, memory).list();
      },
      "question"_a, "body"_a, "seconds"_a, "memory"_a);
  nb::class_<LayerSequence>(module, "LayerSequence")
      .def(nb::init<const LayersQuestion&, double, std::uint64_t, std::uint64_t, std::uint64_t>(),
           "question"_a, "seconds"_a, "memory"_a, "share"_a, "seed"_a)
      .def(
          "feed",
          [](LayerSequence& checker, const nb::bytes& bytes) {
            const char* data = bytes.c_str();
            const std::size_t size = bytes.size();
            nb::gil_scoped_release released;
            checker.feed(data, size);
          },
          "piece"_a)
      .def("needs_another_run", &LayerSequence::needs_another_run,
           nb::call_guard<nb::gil_scoped_release>())
      .def("finish", &LayerSequence::finish)
      .def_prop_ro("counts", [](const LayerSequence& checker) { return checker.counts().list(); })
      .def_prop_ro("chosen", &LayerSequence::chosen);
  nb::class_<LayerMaker>(module, "LayerMaker")
      .def(nb::init<const LayersQuestion&, std::uint64_t, bool, double, std::uint64_t>(), "question"_a,
           "start"_a, "is_reversible"_a, "seconds"_a, "memory"_a)
      .def("advance", &LayerMaker::advance, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("cost", &LayerMaker::cost)
      .def("encode",
           [](const LayerMaker& maker, const nb::callable& write) {
             maker.encode([&](const std::string& piece) { write(nb::bytes(piece.data(), piece.size())); });
           },
           "write"_a)
      .def("all", [](const LayerMaker& maker) {
        return std::make_pair(maker.all().size(), pieces_of(maker.all().blocks()));
      });
  nb::class_<TableMaker>(module, "TableMaker")
      .def(nb::init<const LayersQuestion&, double, std::uint64_t>(), "question"_a, "seconds"_a, "memory"_a)
      .def("advance", &TableMaker::advance, nb::call_guard<nb::gil_scoped_release>())
      .def("facts",
           [](const TableMaker& maker) {
             const std::string facts = maker.facts();
             return nb::bytes(facts.data(), facts.size());
           })
      .def_prop_ro("layers", &TableMaker::layers)
      .def(
          "encoded",
          [](const TableMaker& maker, const LayersQuestion& numbers, std::size_t layer) {
            const std::string text = maker.encoded(numbers, layer);
            return nb::bytes(text.data(), text.size());
          },
          "numbers"_a, "layer"_a);
  nb::exception<WrongProof>(module, "WrongProofError");
  nb::exception<ProofTooLarge>(module, "ProofTooLargeError");
  nb::class_<LratChecker>(module, "Lrat")
      .def(nb::init<std::uint64_t>(), "memory"_a)
      .def("add", &add_clauses, "clauses"_a)
      .def(
          "feed",
          [](LratChecker& checker, const nb::bytes& proof) {
            const char* data = proof.c_str();
            const std::size_t size = proof.size();
            nb::gil_scoped_release released;
            checker.feed(data, size);
          },
          "proof"_a)
      .def(
          "feed_and_write",
          [](LratChecker& checker, const nb::bytes& proof) {
            std::string text;
            checker.write_to(&text);
            checker.feed(proof.c_str(), proof.size());
            checker.write_to(nullptr);
            return nb::bytes(text.data(), text.size());
          },
          "proof"_a)
      .def("finish", &LratChecker::finish)
      .def_prop_ro("num_clauses", &LratChecker::num_clauses)
      .def_prop_ro("num_derived", &LratChecker::num_derived);
}
