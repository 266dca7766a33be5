// The Python module fewest.certificates._checkers. The modules that check or write layers and clauses call the
// bindings; _checkers.pyi lists them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "layers.hpp"
#include "lrat.hpp"
#include "layer_writer.hpp"
#include "sequence.hpp"
#include "table_writer.hpp"

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

void require(bool holds, const char* otherwise) {
  if (!holds) throw std::invalid_argument(otherwise);
}

// Checks that there are `count` rows of `words` words each.
void require_rows(const Words& rows, std::size_t count, int words) {
  require(rows.size() == count * static_cast<std::size_t>(words) * 8, "rows must have 8 bytes for each word");
}

void require_between(const std::vector<int>& numbers, int least, int end, const char* otherwise) {
  for (const int number : numbers) require(number >= least && number < end, otherwise);
}

std::size_t rows_in(const CubeRows& cubes, int words) {
  const std::size_t count = cubes.mask.size() / (static_cast<std::size_t>(words) * 8);
  require_rows(cubes.mask, count, words);
  require_rows(cubes.value, count, words);
  return count;
}

// Throws std::invalid_argument if rows have the wrong size, or if a fact or stage does not exist. Extends permutations
// to all bits of a state.
void check(TaskRows& task) {
  require(task.words >= 1 && task.words <= 1 << 20, "a state has at least one word");
  const int facts = 64 * task.words;
  require_rows(task.initial, 1, task.words);
  const std::size_t count = rows_in(task.operators, task.words);
  require_rows(task.flip, count, task.words);
  require(task.index_fact.size() == count, "index_fact must have a fact for each operator");
  require_between(task.index_fact, -1, facts, "index_fact names a fact that does not exist");
  rows_in(task.goals, task.words);
  rows_in(task.forbidden, task.words);
  for (std::vector<int>& image : task.permutations) {
    const auto size = static_cast<int>(image.size());
    require(size <= facts, "a permutation has more facts than there are");
    require_between(image, 0, size, "a permutation names a fact that does not exist");
    for (int fact = size; fact < facts; ++fact) image.push_back(fact);
  }
  const EffectRows& effects = task.effects;
  const std::size_t num_effects = effects.place.size();
  require(effects.stage.size() == num_effects, "effects must have a place and a stage each");
  for (const Words* rows : {&effects.mask, &effects.value, &effects.flip, &effects.clear, &effects.need_mask,
                            &effects.need_value})
    require_rows(*rows, num_effects, task.words);
  require_between(effects.stage, 0, static_cast<int>(effects.is_everywhere.size()),
                  "an effect names a stage that does not exist");
  require(std::is_sorted(effects.stage.begin(), effects.stage.end()), "stages must ascend");
}

void check(LayersInput& input) {
  const int facts = 64 * input.task.words;
  const std::size_t moves = input.task.index_fact.size() + input.task.permutations.size();
  for (const PartRows& part : input.parts) {
    const int runs = static_cast<int>(part.run_fact.size());
    require(part.weight.size() == moves && part.run_in.size() == moves && part.run_out.size() == moves,
            "a part of the metric must have a weight and its runs for each move");
    require(part.run_weight.size() == part.run_fact.size(), "a run must have a weight and a fact");
    require_between(part.run_in, -1, runs, "run_in names a run that does not exist");
    require_between(part.run_out, -1, runs, "run_out names a run that does not exist");
    require_between(part.run_fact, -1, facts, "run_fact names a fact that does not exist");
  }
  for (const GroupRows& group : input.groups) {
    require_between(group.facts, kConstant, facts, "a group names a fact that does not exist");
    require(group.count >= -1 && group.count <= static_cast<int>(group.facts.size()),
            "the count of a group is out of range");
  }
  for (const std::vector<int>& places : input.variables) {
    require(!places.empty(), "a variable must have a value");
    require_between(places, kConstant, facts, "a variable names a fact that does not exist");
  }
  require(input.runs.size() <= input.parts.size(), "runs must have at most one list for each part");
  for (std::size_t part = 0; part < input.runs.size(); ++part)
    require_between(input.runs[part], -1, static_cast<int>(input.parts[part].run_fact.size()),
                    "runs names a run that does not exist");
  const std::size_t parts = input.parts.size();
  require(!input.bound || input.bound->size() == parts, "a bound must have a number for each part");
  for (const auto& layer : input.layers) require(layer.first.size() == parts, "a cost must have a number for each part");
  require(input.potential.size() <= static_cast<std::size_t>(facts), "a potential has more facts than there are");
  if (!input.potential.empty()) input.potential.resize(static_cast<std::size_t>(facts), 0);
}

// Runs Python's signal handlers, which may interrupt the current work.
void check_signals() {
  const nb::gil_scoped_acquire acquired;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// `clauses`: the literals of some clauses, each as 4 bytes in little-endian order, with a 0 after each clause.
void add_clauses(LratChecker& checker, const nb::bytes& clauses) {
  const auto* data = reinterpret_cast<const unsigned char*>(clauses.c_str());
  const std::size_t size = clauses.size();
  nb::gil_scoped_release released;
  if (size % 4 != 0) throw WrongProof("the formula does not consist of rows of literals");
  for (std::size_t i = 0; i < size; i += 4)
    checker.add(static_cast<std::int32_t>(data[i] | data[i + 1] << 8 | data[i + 2] << 16 |
                                          static_cast<std::uint32_t>(data[i + 3]) << 24));
}

}  // namespace

NB_MODULE(_checkers, module) {
  nb::set_leak_warnings(false);  // the command line exits without freeing reference cycles
  interruption = check_signals;
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
         const std::pair<nb::bytes, nb::bytes>& forbidden, std::vector<std::vector<int>> permutations,
         const EffectRows& effects) {
        new (task) TaskRows{words,          bytes_of(initial),     cubes_of(operators),
                            bytes_of(flip), std::move(index_fact), cubes_of(goals),
                            cubes_of(forbidden), std::move(permutations), effects};
        check(*task);
      },
      "words"_a, "initial"_a, "operators"_a, "flip"_a, "index_fact"_a, "goals"_a, "forbidden"_a,
      "permutations"_a, "effects"_a);
  nb::class_<LayersInput>(module, "Layers")
      .def(
          "__init__",
          [](LayersInput* input, const TaskRows& task, const std::vector<const PartRows*>& parts,
             const std::vector<std::pair<std::vector<int>, int>>& groups,
             std::vector<std::vector<int>> variables, std::vector<std::vector<int>> runs,
             std::optional<std::vector<std::uint64_t>> bound,
             std::vector<std::pair<std::vector<std::uint64_t>, std::uint64_t>> layers,
             std::vector<std::int64_t> potential) {
            new (input) LayersInput{task,
                                          {},
                                          {},
                                          std::move(variables),
                                          std::move(runs),
                                          std::move(bound),
                                          std::move(layers),
                                          std::move(potential)};
            for (const PartRows* part : parts) {
              require(part != nullptr, "a part must not be None");
              input->parts.push_back(*part);
            }
            for (const auto& [facts, count] : groups) input->groups.push_back({facts, count});
            check(*input);
          },
          "task"_a, "parts"_a, "groups"_a, "variables"_a, "runs"_a, "bound"_a.none(), "layers"_a,
          "potential"_a);
  module.def(
      "check_layers",
      [](const LayersInput& input, const nb::bytes& body, double seconds, std::uint64_t memory) {
        const std::string text = bytes_of(body);
        nb::gil_scoped_release released;
        return check_layers(input, text, seconds, memory).list();
      },
      "input"_a, "body"_a, "seconds"_a, "memory"_a);
  nb::class_<LayerSequence>(module, "LayerSequence")
      .def(nb::init<const LayersInput&, double, std::uint64_t, std::uint64_t, std::uint64_t>(),
           "input"_a, "seconds"_a, "memory"_a, "share"_a, "seed"_a)
      .def(
          "feed",
          [](LayerSequence& checker, const nb::bytes& bytes) {
            const char* data = bytes.c_str();
            const std::size_t size = bytes.size();
            nb::gil_scoped_release released;
            checker.feed(data, size);
          },
          "piece"_a)
      .def("needs_another_pass", &LayerSequence::needs_another_pass,
           nb::call_guard<nb::gil_scoped_release>())
      .def("finish", &LayerSequence::finish)
      .def_prop_ro("counts", [](const LayerSequence& checker) { return checker.counts().list(); })
      .def_prop_ro("chosen", &LayerSequence::chosen);
  nb::class_<LayerWriter>(module, "LayerWriter")
      .def(nb::init<const LayersInput&, std::uint64_t, bool, double, std::uint64_t>(), "input"_a,
           "start"_a, "is_reversible"_a, "seconds"_a, "memory"_a)
      .def("advance", &LayerWriter::advance, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("cost", &LayerWriter::cost)
      .def("encode",
           [](const LayerWriter& maker, const nb::callable& write) {
             maker.encode([&](const std::string& piece) { write(nb::bytes(piece.data(), piece.size())); });
           },
           "write"_a)
      .def("all", [](const LayerWriter& maker) {
        return std::make_pair(maker.all().size(), pieces_of(maker.all().blocks()));
      });
  nb::class_<TableWriter>(module, "TableWriter")
      .def(nb::init<const LayersInput&, double, std::uint64_t>(), "input"_a, "seconds"_a, "memory"_a)
      .def("advance", &TableWriter::advance, nb::call_guard<nb::gil_scoped_release>())
      .def("facts",
           [](const TableWriter& maker) {
             const std::string facts = maker.facts();
             return nb::bytes(facts.data(), facts.size());
           })
      .def_prop_ro("layers", &TableWriter::layers)
      .def(
          "encoded",
          [](const TableWriter& maker, const LayersInput& numbers, std::size_t layer) {
            require(layer < maker.layers().size(), "there is no such layer");
            require(numbers.task.words == maker.words(), "the numbers must belong to the same task");
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
