// Tests the checkers of certificates under the sanitizers. Random bytes neither crash a checker nor prove anything.
#include <algorithm>
#include <bit>
#include <random>
#include <string>

#include "check.hpp"
#include "death.hpp"
#include "layers.hpp"
#include "lrat.hpp"
#include "layer_writer.hpp"
#include "sequence.hpp"
#include "table_writer.hpp"

using namespace fewest::checkers;

namespace {

using Clauses = std::vector<std::vector<std::int32_t>>;

bool accepts(const Clauses& clauses, const std::string& proof) {
  LratChecker checker(1 << 24);
  try {
    for (const auto& clause : clauses) {
      for (const std::int32_t literal : clause) checker.add(literal);
      checker.add(0);
    }
    checker.feed(proof.data(), proof.size());
    checker.finish();
  } catch (const WrongProof&) {
    return false;
  } catch (const ProofTooLarge&) {
    return false;
  }
  return true;
}

std::string line(std::uint64_t id, const std::vector<std::int32_t>& literals,
                 const std::vector<std::uint64_t>& hints) {
  std::string out = "a";
  const auto put = [&](std::uint64_t value) {
    for (; value > 127; value >>= 7) out += static_cast<char>((value & 127) | 128);
    out += static_cast<char>(value);
  };
  put(2 * id);
  for (const std::int32_t l : literals) put(l > 0 ? 2 * l : -2 * l + 1);
  put(0);
  for (const std::uint64_t hint : hints) put(2 * hint);
  put(0);
  return out;
}

const Clauses kRefuted = {{1, 2}, {1, -2}, {-1, 3}, {-1, -3}};
// Ids 1 and 2 are clauses of the formula, and id 3 is derived. So the ids 4 and 5 belong to the other two clauses.
const std::string kProof = line(3, {1}, {1, 2}) + std::string("d\x02\x04\x00", 4) + line(6, {}, {3, 4, 5});

void a_proof_is_accepted_for_its_formula_alone() {
  CHECK(accepts(kRefuted, kProof));
  CHECK(!accepts({{1, 2}, {1, -2}, {-1, 3}}, kProof));
  CHECK(!accepts({{1, 2}, {1, -2}, {-1, 3}, {-1, -3, 4}}, kProof));
  CHECK(!accepts({{1, 2}, {-1, 3}, {1, -2}, {-1, -3}}, kProof));
  CHECK(!accepts(kRefuted, kProof.substr(0, kProof.size() - 1)));
  CHECK(!accepts(kRefuted, line(3, {}, {1, 2})));
  CHECK(!accepts(kRefuted, line(5, {}, {5})));
}

// The formula, followed by `count` clauses of `length` literals each.
Clauses with_long_clauses(int count, std::size_t length = 2000) {
  Clauses out = kRefuted;
  std::vector<std::int32_t> longer(length);
  for (std::size_t i = 0; i < longer.size(); ++i) longer[i] = static_cast<std::int32_t>(4 + i);
  out.insert(out.end(), static_cast<std::size_t>(count), longer);
  return out;
}

void deleted_clauses_leave_the_others_in_place() {
  // The ids 3 and 351 are derived; the ids 6 to 350 and 352 to 706 belong to long clauses. When the first deleted
  // clauses are removed from memory, many long clauses have no id yet.
  std::string proof = line(3, {1}, {1, 2});
  const auto remove = [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t id = first; id <= last; ++id)
      proof += {'d', static_cast<char>((2 * id & 127) | 128), static_cast<char>(2 * id >> 7), '\0'};
  };
  remove(64, 350);
  proof += line(351, {1, 2003}, {1, 2});
  remove(352, 706);
  const std::string end = line(707, {1}, {2, 1}) + line(708, {}, {707, 4, 5});
  CHECK(accepts(with_long_clauses(700), proof + end));
  CHECK(accepts(with_long_clauses(700), proof + line(707, {1, 2003}, {1, 2}) + line(708, {}, {3, 4, 5})));
  CHECK(accepts(with_long_clauses(700), proof + line(707, {1, 2003, 9}, {351}) + line(708, {}, {3, 4, 5})));
  CHECK(!accepts(with_long_clauses(700), proof + line(707, {1, 2002}, {351}) + line(708, {}, {3, 4, 5})));
  CHECK(accepts(with_long_clauses(700), proof + line(707, with_long_clauses(1).back(), {63}) +
                                           line(708, {}, {3, 4, 5})));
}

void the_memory_is_used_up_to_its_limit() {
  CHECK(accepts(with_long_clauses(2500, 1500), kProof));  // 15 MB of 16 MiB; twice 12.3 MB would be too much
  CHECK(!accepts(with_long_clauses(2900, 1500), kProof));
}

void changed_proofs_prove_nothing_that_is_false() {
  const Clauses satisfiable = {{1, 2}, {1, -2}, {-1, 3}, {-1, -3, 4}};
  std::mt19937 chance(1);
  for (int round = 0; round < 200'000; ++round) {
    std::string proof = kProof;
    for (std::uint32_t left = chance() % 4 + 1; left > 0; --left) {
      const std::size_t at = chance() % proof.size();
      if (chance() % 4 == 0) proof.erase(at, chance() % 3);
      else if (chance() % 2 == 0) proof.insert(at, 1, static_cast<char>(chance()));
      else proof[at] = static_cast<char>(chance() % 8 == 0 ? chance() : chance() % 16);
      if (proof.empty()) break;
    }
    CHECK(!accepts(satisfiable, proof));
    accepts(kRefuted, proof);
  }
}

std::string rows(const std::vector<std::uint64_t>& words) {
  std::string out;
  for (std::uint64_t word : words)
    for (int byte = 0; byte < 8; ++byte, word >>= 8) out += static_cast<char>(word & 255);
  return out;
}

// A walk along `size` places, from the first to the last, with one step per move. `falls`: from each place between the
// first and the last, a move also leads back to the first.
LayersInput walk(int size, bool falls) {
  LayersInput out;
  std::vector<std::uint64_t> mask, value;
  PartRows part;
  for (int move = 0; move < (falls ? 2 * size - 3 : size - 1); ++move) {
    const int at = move < size - 1 ? move : move - size + 2;
    const std::uint64_t here = std::uint64_t{1} << at;
    mask.push_back(here | (move < size - 1 ? here << 1 : 1));
    value.push_back(here);
    out.task.index_fact.push_back(at);
    part.weight.push_back(1);
    part.run_in.push_back(-1);
    part.run_out.push_back(-1);
  }
  out.task.initial = rows({1});
  out.task.operators = {rows(mask), rows(value)};
  out.task.flip = rows(mask);
  const std::uint64_t last = std::uint64_t{1} << (size - 1);
  out.task.goals = {rows({last}), rows({last})};
  out.parts = {part};
  std::vector<int> places(size);
  for (int at = 0; at < size; ++at) places[at] = at;
  out.groups = {{places, 1}};
  out.runs = {{}};
  out.bound = std::vector<std::uint64_t>{static_cast<std::uint64_t>(size - 1)};
  for (int at = 0; at + 1 < size; ++at) out.layers.push_back({{static_cast<std::uint64_t>(at)}, 1});
  return out;
}

// The same walk with a single permutation, which leads from each place to the next, and from the last place to the
// first.
LayersInput turning_walk(int size) {
  LayersInput out = walk(size, false);
  out.task.operators = {};
  out.task.flip.clear();
  out.task.index_fact.clear();
  std::vector<int> image(size);
  for (int at = 0; at < size; ++at) image[at] = (at + 1) % size;
  out.task.permutations = {image};
  out.parts = {{{1}, {-1}, {-1}, {}, {}}};
  return out;
}

// The same walk. Each step first leads to an intermediate state between two places, which has a separate fact. Then a
// consequence completes the step.
LayersInput walk_with_consequences(int size) {
  LayersInput out = walk(size, false);
  std::vector<std::uint64_t> mask, value;
  for (int at = 0; at + 1 < size; ++at) {
    const std::uint64_t here = std::uint64_t{1} << at, between = here << size;
    value.push_back(here);
    mask.push_back(here | between);
    out.task.effects.place.push_back(at);
    out.task.effects.stage.push_back(0);
    out.task.effects.mask += rows({between});
    out.task.effects.value += rows({between});
    out.task.effects.flip += rows({between | here << 1});
    out.task.effects.clear += rows({0});
    out.task.effects.need_mask += rows({0});
    out.task.effects.need_value += rows({0});
  }
  out.task.effects.is_everywhere = {0};
  out.task.operators = {rows(mask), rows(value)};
  out.task.flip = rows(mask);
  return out;
}

bool holds(const LayersInput& input, const std::string& body, bool in_one_run) {
  try {
    if (!in_one_run) {
      check_layers(input, body, 10, 1 << 24);
      return true;
    }
    LayerSequence checker(input, 10, 1 << 24, 1u << 31, 1);
    do {
      for (std::size_t at = 0; at < body.size(); at += 7)
        checker.feed(body.data() + at, std::min<std::size_t>(7, body.size() - at));
    } while (checker.needs_another_pass());
    checker.finish();
  } catch (const Rejected&) {
    return false;
  } catch (const GivenUp&) {
    return false;
  }
  return true;
}

void layers_of_a_walk_are_accepted_and_no_others(const LayersInput& input, bool in_one_run) {
  std::string body;
  for (char at = 0; at < 19; ++at) body += at;
  CHECK(holds(input, body, in_one_run));
  std::mt19937 chance(2);
  for (int round = 0; round < 20'000; ++round) {
    std::string other = body;
    other[chance() % other.size()] = static_cast<char>(chance() % 4 == 0 ? chance() : chance() % 20);
    if (chance() % 4 == 0) other.erase(chance() % other.size(), 1);
    CHECK(holds(input, other, in_one_run) == (other == body));
  }
  LayersInput more = input;
  more.bound = std::vector<std::uint64_t>{20};
  CHECK(!holds(more, body, in_one_run));
  LayersInput many = input;
  many.layers[3].second = std::uint64_t{1} << 60;
  CHECK(!holds(many, body, in_one_run));
  many.layers[3] = {{~std::uint64_t{0}}, 1};
  CHECK(!holds(many, body, in_one_run));
}

std::string joined(const std::vector<std::string>& blocks) {
  std::string out;
  for (const std::string& block : blocks) out += block;
  return out;
}

std::string encoded(const LayerWriter& maker) {
  std::string out;
  maker.encode([&](const std::string& piece) { out += piece; });
  return out;
}

void layers_are_made_as_they_are_checked(const LayersInput& input) {
  LayerWriter maker(input, 0, false, 10, 1 << 24);
  for (char at = 0; at < 19; ++at) {
    CHECK(maker.advance() == 1);
    CHECK(encoded(maker) == std::string(1, at));
    CHECK(maker.cost() == static_cast<std::uint64_t>(at));
  }
  CHECK(maker.advance() == 0);
  TableWriter table(input, 10, 1 << 24);
  while (table.advance()) {
  }
  CHECK(table.layers().size() == 19);
  CHECK(table.facts() == rows({(1u << 19) - 1}));
  for (char at = 0; at < 19; ++at) CHECK(table.encoded(input, at) == std::string(1, at));
}

// Every second step is free, so there are two positions for each cost.
void what_is_free_is_in_the_same_layer() {
  LayersInput input = walk(20, false);
  for (std::size_t at = 0; at < input.parts[0].weight.size(); at += 2) input.parts[0].weight[at] = 0;
  input.bound = std::vector<std::uint64_t>{8};
  LayerWriter maker(input, 0, false, 10, 1 << 24);
  for (char cost = 0; cost < 8; ++cost) {
    CHECK(maker.advance() == 2);
    CHECK(encoded(maker) == std::string(1, static_cast<char>(2 * cost)) + std::string(1, 0));
    CHECK(maker.cost() == static_cast<std::uint64_t>(cost));
  }
  CHECK(maker.advance() == 0);
}

// Checks that both checkers give the same answer for the layers of the writer, and for changed layers. Returns whether
// they accepted the layers of the writer; they reject these layers if the goal costs less than the bound.
bool both_checkers_say_the_same(LayersInput input, bool is_reversible, std::mt19937& chance) {
  LayerWriter maker(input, 0, is_reversible, 10, 1 << 24);
  std::string body;
  input.layers.clear();
  while (const std::uint64_t count = maker.advance()) {
    input.layers.push_back({{maker.cost()}, count});
    body += encoded(maker);
  }
  const bool is_right = holds(input, body, false);
  CHECK(holds(input, body, true) == is_right);
  for (int change = 0; change < 50; ++change) {
    std::string other = body;
    LayersInput altered = input;
    other[chance() % other.size()] = static_cast<char>(chance() % 12);
    auto& layer = altered.layers[chance() % altered.layers.size()];
    if (chance() % 4 == 0) layer.first[0] += chance() % 2 == 0 ? 1 : -1;
    if (chance() % 4 == 0) layer.second += chance() % 2 == 0 ? 1 : -1;
    if (chance() % 4 == 0) other.erase(chance() % other.size(), 1);
    CHECK(holds(altered, other, true) == holds(altered, other, false));
  }
  return is_right;
}

// Tests moves of different costs, including free moves.
void both_checkers_say_the_same_of_weights() {
  std::mt19937 chance(6);
  int num_accepted = 0;
  for (int round = 0; round < 300; ++round) {
    LayersInput input = walk(12, true);
    for (std::uint64_t& weight : input.parts[0].weight) weight = chance() % 3;
    input.bound = std::vector<std::uint64_t>{1 + chance() % 12};
    num_accepted += both_checkers_say_the_same(input, false, chance);
  }
  CHECK(num_accepted > 30);
}

// Tests moves between random places; most of these moves are reversible. The checker does not follow the inverse of a
// move that led to a node.
void both_checkers_agree_about_inverse_moves() {
  std::mt19937 chance(8);
  int num_accepted = 0;
  for (int round = 0; round < 600; ++round) {
    LayersInput input = walk(12, false);
    std::vector<std::uint64_t> mask, value;
    input.task.index_fact.clear();
    const bool is_reversible = round % 2 == 0;
    const auto add = [&](int from, int to) {
      mask.push_back(std::uint64_t{1} << from | std::uint64_t{1} << to);
      value.push_back(std::uint64_t{1} << from);
      input.task.index_fact.push_back(from);
    };
    for (int edge = 0; edge < 24; ++edge) {
      const int from = static_cast<int>(chance() % 12), by = 1 + static_cast<int>(chance() % 4);
      if (from + by >= 12) continue;
      if (is_reversible || chance() % 4 != 0) add(from, from + by);
      if (is_reversible || chance() % 4 != 0) add(from + by, from);
    }
    input.task.operators = {rows(mask), rows(value)};
    input.task.flip = rows(mask);
    input.parts[0] = {std::vector<std::uint64_t>(mask.size(), 1), std::vector<int>(mask.size(), -1),
                         std::vector<int>(mask.size(), -1), {}, {}};
    input.bound = std::vector<std::uint64_t>{1 + chance() % 8};
    num_accepted += both_checkers_say_the_same(input, is_reversible, chance);
  }
  CHECK(num_accepted > 100);
}

// Tests sets of inverse moves for nodes. Some sets are empty, and some nodes are skipped. The sets are read in the
// order in which they were written.
void trails_are_read_as_they_were_put() {
  std::mt19937 chance(9);
  std::vector<std::vector<unsigned>> put;
  Trails trails;
  while (put.size() < 200'000) {
    for (std::uint32_t left_out = chance() % 8 == 0 ? chance() % 5 : 0; left_out > 0; --left_out) put.emplace_back();
    std::vector<unsigned> listed;
    InverseMoveSet inverse_set;
    for (std::uint32_t left = chance() % 4; left > 0; --left) listed.push_back(1 + chance() % 127);
    for (const unsigned number : listed) inverse_set.add(number);
    trails.put(put.size(), inverse_set);
    put.push_back(listed);
  }
  Trails::Reader reader(trails);
  for (std::vector<unsigned>& listed : put) {
    std::sort(listed.begin(), listed.end());
    listed.erase(std::unique(listed.begin(), listed.end()), listed.end());
    std::vector<unsigned> read;
    reader.next().for_each([&](unsigned number) { read.push_back(number); });
    CHECK(read == listed);
  }
  reader.next().for_each([](unsigned) { CHECK(false); });
}

// Whether each layer costs one unit more than the layer before and is not empty.
bool are_steps(const std::vector<std::pair<std::vector<std::uint64_t>, std::uint64_t>>& layers, std::uint64_t unit) {
  for (std::size_t at = 0; at < layers.size(); ++at)
    if (layers[at].first[0] != at * unit || layers[at].second == 0) return false;
  return true;
}

// Tests moves that continue a run for free, and free moves: both checkers give the same answer for the layers of the
// writer. If `LayerSequence` accepts changed layers, `check_layers` does, too.
void both_checkers_say_the_same_of_runs() {
  std::mt19937 chance(7);
  int num_accepted = 0, num_merged = 0, num_changed = 0;
  for (int round = 0; round < 600; ++round) {
    LayersInput input = walk(12, true);
    PartRows& part = input.parts[0];
    const std::uint64_t unit = 1 + chance() % 2;
    const int num_runs = 1 + static_cast<int>(chance() % 3);
    for (int run = 0; run < num_runs; ++run) {
      part.run_weight.push_back(unit);
      part.run_fact.push_back(static_cast<int>(chance() % 13) - 1);
      input.runs[0].push_back(run);
    }
    std::shuffle(input.runs[0].begin(), input.runs[0].end(), chance);
    for (std::size_t o = 0; o < part.weight.size(); ++o) {
      part.weight[o] = chance() % 3 == 0 ? 0 : unit;
      part.run_in[o] = static_cast<int>(chance() % (num_runs + 1)) - 1;
      part.run_out[o] = static_cast<int>(chance() % (num_runs + 1)) - 1;
    }
    input.bound = std::vector<std::uint64_t>{unit * (1 + chance() % 8)};
    LayersInput in_order = input;
    std::sort(in_order.runs[0].begin(), in_order.runs[0].end());
    LayerWriter maker(input, 0, false, 10, 1 << 24);
    std::string body;
    in_order.layers.clear();
    while (const std::uint64_t count = maker.advance()) {
      in_order.layers.push_back({{maker.cost()}, count});
      body += encoded(maker);
    }
    const bool is_right = holds(in_order, body, false);  // false if the goal costs less than the bound
    num_accepted += is_right;
    num_merged += in_order.layers[0].second > 1;
    CHECK(holds(in_order, body, true) == is_right);
    input.layers = in_order.layers;
    for (int change = 0; change < 60; ++change) {
      std::string other = body;
      LayersInput altered = chance() % 8 == 0 ? input : in_order;  // the order of runs differs in `input`
      for (std::uint32_t left = chance() % 3; left > 0; --left)
        other[chance() % other.size()] = static_cast<char>(chance() % 6);
      auto& layer = altered.layers[chance() % altered.layers.size()];
      if (chance() % 8 == 0) layer.first[0] += chance() % 2 == 0 ? unit : -unit;
      if (chance() % 8 == 0) layer.second += chance() % 2 == 0 ? 1 : -1;
      if (chance() % 4 == 0) other.erase(chance() % other.size(), 1);
      if (chance() % 4 == 0) other.insert(chance() % other.size(), 1, static_cast<char>(chance() % 4));
      const bool is_accepted = holds(altered, other, false);
      num_changed += is_accepted && other != body;
      // `check_layers` may accept what `LayerSequence` rejects only if a layer is empty, or if it does not cost exactly
      // one unit more than the layer before.
      if (holds(altered, other, true)) CHECK(is_accepted);
      else CHECK(!is_accepted || !are_steps(altered.layers, unit));
    }
  }
  CHECK(num_accepted > 100 && num_merged > 100 && num_changed > 20);
}

// For a walk without a goal at its last place, the checker accepts the set of all places and no other set.
void the_set_of_all_positions_is_accepted_and_no_other(bool falls) {
  LayersInput input = walk(20, falls);
  input.task.goals = {};
  input.parts.clear();
  input.runs.clear();
  input.bound.reset();
  LayerWriter maker(input, 0, false, 10, 1 << 24);
  while (maker.advance() != 0) {}
  const std::string body = joined(maker.all().blocks());
  CHECK(body == std::string(20, 0));
  input.layers = {{{}, 20}};
  CHECK(holds(input, body, true) && holds(input, body, false));
  std::mt19937 chance(4);
  for (int round = 0; round < 5'000; ++round) {
    std::string other = body;
    if (chance() % 2 == 0) other[chance() % other.size()] = static_cast<char>(chance() % 3);
    if (chance() % 2 == 0) other.erase(chance() % other.size(), 1);
    input.layers = {{{}, other.size()}};
    CHECK(holds(input, other, true) == (other == body));
    CHECK(holds(input, other, false) == (other == body));
  }
}

// The sorter returns numbers in ascending order without repetitions, although they were added in random order and some
// were repeated.
void numbers_are_sorted_and_merged() {
  std::mt19937_64 chance(5);
  for (const std::uint64_t most : {std::uint64_t{3}, std::uint64_t{1} << 20, kNoNumber - 1}) {
    std::vector<std::uint64_t> numbers;
    Sorter sorter(5'000);
    for (int i = 0; i < 123'456; ++i) {
      numbers.push_back(chance() % most);
      sorter.add(numbers.back());
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    std::size_t at = 0;
    sorter.for_each([&](std::uint64_t number) { CHECK(at < numbers.size() && numbers[at++] == number); });
    CHECK(at == numbers.size());
  }
}

// Tests groups with one, several or any number of true facts, and a variable. All states are visited, in sequence and
// by random access. `has_gates`: many operators have few different sets of negative preconditions, so the filter groups
// the operators by these sets.
void numbers_lead_where_states_do(bool has_gates) {
  LayersInput input;
  input.groups = {{{0, 1, 2}, 1}, {{3, 4, 5, 6, 7}, 2}, {{8, 9}, -1}};
  input.variables = {{10, 11}};
  std::vector<std::uint64_t> mask, value, flip;
  const auto add = [&](std::uint64_t gone, std::uint64_t come) {
    mask.push_back(gone | come);
    value.push_back(gone);
    flip.push_back(gone | come);
    input.task.index_fact.push_back(std::countr_zero(gone));
  };
  add(1, 2), add(2, 4), add(8, 16), add(8 + 32, 64 + 128), add(256, 512), add(1024, 2048), add(1 + 16, 4 + 64);
  for (int copy = 0; has_gates && copy < 40; ++copy) add(1, 2), add(8, 16), add(4, 1);
  if (has_gates) {
    mask.push_back(64), value.push_back(0), flip.push_back(0), input.task.index_fact.push_back(-1);
    CHECK(ApplicabilityFilter(Cubes({rows(mask), rows(value)}, 1), input.task.index_fact).are_good());
  }
  input.task.initial = rows({0});
  input.task.operators = {rows(mask), rows(value)};
  input.task.flip = rows(flip);
  NumberedMoves moves(input), fresh(input);
  std::vector<std::uint64_t> states;
  for (std::uint64_t n = 0; n < moves.size(); ++n) {
    moves.seek(n);
    states.push_back(moves.state()[0]);
  }
  CHECK(moves.size() == 3 * 10 * 4 * 2);
  std::mt19937 chance(3);
  for (int round = 0; round < 2'000; ++round) {
    const std::uint64_t n = chance() % moves.size();
    fresh.seek(n);
    CHECK(fresh.state()[0] == states[n]);
    std::vector<std::uint64_t> led, wanted;
    fresh.for_each_move([&](std::uint64_t to, std::uint32_t, std::uint64_t) {
      led.push_back(to == kNoNumber ? to : states[to]);
    });
    for (std::size_t o = 0; o < mask.size(); ++o)
      if ((states[n] & mask[o]) == value[o]) wanted.push_back(states[n] ^ flip[o]);
    std::sort(led.begin(), led.end());
    std::sort(wanted.begin(), wanted.end());
    CHECK(led == wanted);
  }
}

#ifdef FEWEST_ASSERTIONS
void broken_invariants_end_the_process() {
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const std::string words = last_words_of([] {
    Ascending list;
    list.push_back(3);
    list.push_back(3);
  });
  CHECK(has(words, "delta_list.hpp:") && has(words, "each number is greater than the one before"));
  CHECK(has(last_words_of([] { InverseMoveSet().add(128); }), "the number of a move is below 128"));
  const std::string of_trails = last_words_of([] {
    Trails trails;
    trails.put(3, {});
    trails.put(2, {});
  });
  CHECK(has(of_trails, "the nodes ascend"));
}

#endif

const check::Suite suite("checkers", [] {
#ifdef FEWEST_ASSERTIONS
  broken_invariants_end_the_process();
#endif
  a_proof_is_accepted_for_its_formula_alone();
  deleted_clauses_leave_the_others_in_place();
  the_memory_is_used_up_to_its_limit();
  changed_proofs_prove_nothing_that_is_false();
  for (const LayersInput& input : {walk(20, false), walk(20, true), turning_walk(20), walk_with_consequences(20)}) {
    for (const bool in_one_run : {false, true}) layers_of_a_walk_are_accepted_and_no_others(input, in_one_run);
    layers_are_made_as_they_are_checked(input);
  }
  for (const bool falls : {false, true}) the_set_of_all_positions_is_accepted_and_no_other(falls);
  what_is_free_is_in_the_same_layer();
  both_checkers_say_the_same_of_weights();
  both_checkers_agree_about_inverse_moves();
  trails_are_read_as_they_were_put();
  both_checkers_say_the_same_of_runs();
  numbers_are_sorted_and_merged();
  for (const bool has_gates : {false, true}) numbers_lead_where_states_do(has_gates);
});

}  // namespace
